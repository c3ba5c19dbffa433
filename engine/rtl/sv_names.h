#pragma once
// Names of programs as identifiers of SystemVerilog: letters, digits and underscores, no word of the
// language, each once in a scope.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::inline rtl {

/// The identifier that comes closest: "expert[3].gate" becomes "expert_3_gate", "ref" "ref_". At most 80
/// characters.
std::string svName(std::string_view wish);

class SvNames {
 public:
  /// svName(), with a number where it is taken; taken from then on, with each of `suffixes` behind it.
  std::string take(std::string_view wish, const std::vector<std::string>& suffixes = {});

 private:
  std::set<std::string> taken_;
};

std::string joined(const std::vector<std::string>& parts, const std::string& between);

}  // namespace sluice::inline rtl
