# A build from nothing, a newcomer's or CI's, is half headers. Where no ccache keeps what was compiled before (and it keeps little of
# what uses precompiled headers), headers are precompiled. What spends no time of its own is optimised little, and tests not at all.

set(SLUICE_STANDARD_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque> <filesystem> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <stop_token> <string> <string_view> <tuple>
  <unordered_map> <utility> <variant> <vector>)

# sluice_precompile(TARGET HEADER...): the standard headers and these.
function(sluice_precompile target)
  if(NOT SLUICE_CCACHE)
    target_precompile_headers(${target} PRIVATE ${SLUICE_STANDARD_HEADERS} ${ARGN})
  endif()
endfunction()

# sluice_precompile_as(TARGET OTHER): those of another target with the same flags.
function(sluice_precompile_as target other)
  if(NOT SLUICE_CCACHE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# sluice_optimise_little(TARGET), sluice_optimise_files_little(FILE...): what reads, prints, arranges or draws and waits for no one but a
# person; a third faster to compile. sluice_optimise_nothing(TARGET): what asks and compares.
function(sluice_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
function(sluice_optimise_files_little)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()
function(sluice_optimise_nothing target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# sluice_unite(TARGET): files of one folder in one run of the compiler, where headers, Qt's above all, take most of its time; not for the
# engine, where code does. A new file so meets the names of its own folder only. -DSLUICE_UNITY=OFF gives each file a run of its own.
function(sluice_unite target)
  if(NOT SLUICE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(source MATCHES "\\.cpp$")
      get_filename_component(folder ${source} ABSOLUTE)
      get_filename_component(folder ${folder} DIRECTORY)
      file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
      string(MAKE_C_IDENTIFIER "${folder}" group)
      list(APPEND files_${group} ${source})
      list(LENGTH files_${group} number)
      math(EXPR run "(${number} - 1) / 8")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${run})
    endif()
  endforeach()
endfunction()
