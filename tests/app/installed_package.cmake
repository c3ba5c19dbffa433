# Installs the engine into a fresh folder, builds resources/examples/engine against it and runs it on a sample.
#   cmake -DSOURCE=... -DBUILD=... -P installed_package.cmake
set(work ${BUILD}/installed_package)
file(REMOVE_RECURSE ${work})

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run(${CMAKE_COMMAND} --install ${BUILD} --component engine --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/resources/examples/engine -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/explore_program ${SOURCE}/sample_workloads/simple_moe.sluice)
if(NOT output MATCHES "default point: [1-9][0-9]* cycles\n.*=[0-9]+ [0-9]+ cycles")
  message(FATAL_ERROR "not what was expected:\n${output}")
endif()
file(REMOVE_RECURSE ${work})
