# Parts of a program that are loaded when one of their functions is first called, as a Windows linker does by /DELAYLOAD. A library costs every start
# of a program the time to map and bind it, used or not: those of sluice-cli's searches, LPs and formats made up two thirds of its start.
#
# sluice_delay_load(PROGRAM PART OBJECTS): the functions of the object library OBJECTS go, with the libraries that it needs, into a module,
# libsluice-PART.so. In the program stands a jump for each of them. The first that is taken loads the module (app/process/delay_load.h).
# The part calls the program as a plug-in does, so that must export its symbols.
#
# Only the jumps are written for one processor. Elsewhere, and under sanitizers, a part is linked as everything else is.

if(SLUICE_DELAY_LOAD)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND CMAKE_SIZEOF_VOID_P EQUAL 8 AND NOT SLUICE_SANITIZE)
    enable_language(ASM)
  else()
    set(SLUICE_DELAY_LOAD OFF)
  endif()
endif()
set(SLUICE_DELAY_LOAD_FOLDER ${CMAKE_CURRENT_LIST_DIR})

function(sluice_delay_load program part objects)
  if(NOT SLUICE_DELAY_LOAD)
    target_link_libraries(${program} PRIVATE ${objects})
    return()
  endif()
  set(module sluice-${part})
  file(TOUCH ${CMAKE_CURRENT_BINARY_DIR}/${module}.cpp)  # a library has a source of its own
  add_library(${module} MODULE ${CMAKE_CURRENT_BINARY_DIR}/${module}.cpp)
  target_link_libraries(${module} PRIVATE ${objects})
  # What is called inside of the part is not looked up in the program, where the jumps have the same names.
  target_link_options(${module} PRIVATE LINKER:-Bsymbolic-functions LINKER:--as-needed)
  set_target_properties(${module} PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/sluice)
  set(jumps ${CMAKE_CURRENT_BINARY_DIR}/${module}.S)
  add_custom_command(OUTPUT ${jumps} DEPENDS $<TARGET_OBJECTS:${objects}> ${SLUICE_DELAY_LOAD_FOLDER}/delay_load_jumps.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D MODULE=lib${module}.so "-DOBJECTS=$<JOIN:$<TARGET_OBJECTS:${objects}>,|>" -D JUMPS=${jumps}
      -P ${SLUICE_DELAY_LOAD_FOLDER}/delay_load_jumps.cmake
    COMMENT "Writing the jumps into ${module}")
  target_sources(${program} PRIVATE ${jumps})
  target_link_options(${program} PRIVATE LINKER:--as-needed)
  # The folder of the modules, from that of the program.
  set_target_properties(${program} PROPERTIES BUILD_RPATH "$ORIGIN/../lib/sluice" INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/sluice")
  add_dependencies(${program} ${module})
  install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sluice COMPONENT app)
endfunction()
