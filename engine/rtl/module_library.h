#pragma once
// The modules of resources/rtl: one file an operator, which says in lines "//@ ..." at its top what it is for
// and where its parameters come from (README.md). Nothing else goes by an operator's name.

#include <string>
#include <string_view>
#include <vector>

namespace sluice::inline rtl {

struct ModuleParameter {
  std::string name;    ///< of the module: "COMPUTE_BW"
  std::string source;  ///< "compute_bw", "out_shape.size", "machine.hbm_request_bytes", "element_bytes"
  std::vector<std::string> choices;  ///< of a choice: those that the module knows; empty: all
};

/// An operator without a module.
struct WithoutModule {
  std::string kind, why, instead;
};

struct RtlModule {
  std::string_view file;  ///< without its suffix
  std::string_view text;
  std::vector<std::string> kinds;  ///< operators that it is; none: a part of others
  std::vector<ModuleParameter> parameters;
  std::vector<ModuleParameter>
      numbers;  ///< files of the numbers of an input: parameter and operator's parameter
  std::vector<WithoutModule> without;  ///< operators that have none
  bool memory = false;                 ///< has a port at the off-chip memory
  bool tokens = false;                 ///< a source that plays the tokens of an input
  bool groups = false;                 ///< takes or gives groups of tokens (buffers, tuples)
  bool tensor = false;                 ///< reads or writes tiles of a tensor at the functional level
  std::string timing_only;             ///< why it is not at the functional level; empty: it is
  bool simulation = false;             ///< for the test bench alone, not synthesized
  bool black_box = false;              ///< synthesis leaves it as a box: a memory beside the program

  std::string name() const { return "operator_" + std::string(file); }
};

/// In the order of their files' names.
std::vector<RtlModule> rtlModules();
/// Null: no module is of this kind.
const RtlModule* moduleOf(const std::vector<RtlModule>& modules, std::string_view kind);
/// Null: no reason is recorded why the operator has none.
const WithoutModule* withoutModule(const std::vector<RtlModule>& modules, std::string_view kind);

}  // namespace sluice::inline rtl
