#pragma once
// Names of programs as identifiers of C++, names of files and words of a shell: lower-case letters, digits
// and underscores, no word of the language, each once.

#include <set>
#include <string>
#include <string_view>

namespace sluice::inline tensor {

class CppNames {
 public:
  /// The name that comes closest to the wish; taken from then on. At most 60 characters and a number.
  std::string take(std::string_view wish);

 private:
  std::set<std::string> taken_;
};

}  // namespace sluice::inline tensor
