# A build from nothing, a newcomer's or CI's, is half headers. Where no ccache keeps what was compiled before (and it keeps little of
# what uses precompiled headers), headers are precompiled, and what spends no time of its own, tests and the command line, is
# optimised little.

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

# sluice_optimise_little(TARGET)
function(sluice_optimise_little target)
  if(NOT SLUICE_CCACHE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# sluice_unite(TARGET): several files in one run of the compiler, where headers, Qt's above all, take most of its time; not for the
# engine, where code does. -DSLUICE_UNITY=OFF gives each file a run of its own.
function(sluice_unite target)
  if(SLUICE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
