# Installs the engine into a fresh folder, builds resources/examples against it, runs the one program on a sample and has the programs of
# the build folder load the plug-in.
#   cmake -DSOURCE=... -DBUILD=... -DWINDOW=ON|OFF -P installed_package.cmake
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

# One that writes its program: what it saves, the command line reads, with the same cycles.
run(${work}/build/build_program ${work}/product.sluice)
if(NOT output MATCHES "default point: ([1-9][0-9]*) cycles\n.*rows=[0-9]+ columns=[0-9]+: [0-9]+ cycles")
  message(FATAL_ERROR "not what was expected:\n${output}")
endif()
set(cycles ${CMAKE_MATCH_1})
run(${BUILD}/bin/sluice-cli simulate ${work}/product.sluice --json)
if(NOT output MATCHES "\"cycles\": ${cycles}[,\n]")
  message(FATAL_ERROR "no ${cycles} cycles in\n${output}")
endif()

function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "no '${pattern}' in\n${output}")
  endif()
endfunction()

# refused(STATUS PATTERN COMMAND...): it ends with a diagnostic like PATTERN.
function(refused expected pattern)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL ${expected} OR NOT errors MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: ${status}, no '${pattern}' in\n${output}${errors}")
  endif()
endfunction()

set(example ${SOURCE}/resources/examples/plugin)
set(program ${example}/delayed.sluice)
set(plugin ${work}/plugin/libexample.so)
set(cli ${BUILD}/bin/sluice-cli)
run(${CMAKE_COMMAND} -S ${example} -B ${work}/plugin -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/plugin)
run(${cli} simulate ${program} --plugin ${plugin} --set hold=100 --json)
expect("\"cycles\": 1603")
expect("\"hops_per_cycle\": 0.0")
run(${cli} --plugin=${plugin} check ${program})
run(${CMAKE_COMMAND} -E env SLUICE_PLUGINS=${plugin} ${cli} explore ${program} --plugin ${plugin} --strategy evenly --budget 3)
expect("1 603")
expect("hops/cycle")
refused(1 "no operator of kind 'Delay'" ${cli} simulate ${program})
refused(1 "there is no such file" ${cli} simulate ${program} --plugin ${work}/none.so)
refused(2 "'--plugin' has no file behind it" ${cli} simulate ${program} --plugin)
file(COPY ${plugin} DESTINATION ${work})
refused(1 "the name is taken" ${cli} simulate ${program} --plugin ${plugin} --plugin ${work}/libexample.so)
if(IS_DIRECTORY ${BUILD}/lib/sluice)
  # A copy without what it loads when it is first needed runs all else.
  file(COPY ${cli} DESTINATION ${work}/alone/bin)
  run(${work}/alone/bin/sluice-cli simulate ${SOURCE}/sample_workloads/simple_moe.sluice)
  refused(1 "libsluice-zip.so.*missing-module" ${work}/alone/bin/sluice-cli simulate ${SOURCE}/sample_workloads/moe_mixtral.sluice
    --input routing=${SOURCE}/tests/fuzz/corpus/numpy/stored.npz)
  file(COPY ${BUILD}/lib/sluice DESTINATION ${work}/alone/lib)
  run(${work}/alone/bin/sluice-cli explore ${SOURCE}/sample_workloads/simple_moe.sluice --strategy nsga2 --budget 3)
endif()

if(WINDOW)
  # The window, and the helper that draws, which hears of the plug-in from the command line.
  set(ENV{QT_QPA_PLATFORM} offscreen)
  foreach(folder HOME XDG_CONFIG_HOME XDG_DATA_HOME)
    set(ENV{${folder}} ${work}/home)
  endforeach()
  run(${BUILD}/bin/sluice --plugin ${plugin} --screenshot ${work}/window.png ${program})
  run(${cli} export ${program} --plugin ${plugin} --chart graph --out ${work}/graph.pdf)
  refused(1 "there is no such file" ${BUILD}/bin/sluice --plugin ${work}/none.so)
endif()

# The same, built with the headers of another version.
set(header ${work}/prefix/include/sluice/engine/plugins/plugin.h)
file(READ ${header} text)
string(REPLACE "interface 4" "interface 0" text "${text}")
file(WRITE ${header} "${text}")
run(${CMAKE_COMMAND} --build ${work}/plugin)
refused(1 "built for Sluice [0-9.]+, interface 0, and this is Sluice [0-9.]+, interface 4" ${cli} simulate ${program} --plugin ${plugin})
file(REMOVE_RECURSE ${work})
