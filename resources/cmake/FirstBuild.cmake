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

# sluice_optimise_little(TARGET): what reads, prints, arranges or draws and waits for no one but a person; a third faster to compile.
# sluice_optimise_nothing(TARGET): what asks and compares.
function(sluice_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
function(sluice_optimise_nothing target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O0>)
endfunction()

# sluice_unite(TARGET [ALONE REGEX]): files of one folder in one run of the compiler, as headers and templates, used by all of them, take most of
# its time. A new file so meets the names of its own folder only. Those that a registry finds, with a `run`, an `apply` or a `read` each, are
# namespaces of their own. Files that match stay alone. -DSLUICE_UNITY=OFF gives each file a run of its own.
function(sluice_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ALONE" "")
  if(NOT SLUICE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # several files in one have no main file
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(arg_ALONE AND source MATCHES "${arg_ALONE}")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    elseif(source MATCHES "\\.cpp$")
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
