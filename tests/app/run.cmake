# run(COMMAND...): what it prints is `output`; the test ends where it fails.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
