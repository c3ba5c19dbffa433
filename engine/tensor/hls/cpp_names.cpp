#include "engine/tensor/hls/cpp_names.h"

#include <algorithm>
#include <array>

#include "engine/program/spelling.h"

namespace sluice::inline tensor {
namespace {

/// Words of the language, names and macros of the headers that emitted code includes, and its own names.
constexpr std::array reserved = std::to_array<std::string_view>(
    {"alignas",     "alignof",   "and",        "and_eq",       "asm",       "assert",
     "auto",        "bench",     "bitand",     "bitor",        "bool",      "break",
     "case",        "catch",     "char",       "char16_t",     "char32_t",  "class",
     "compl",       "const",     "const_cast", "constexpr",    "continue",  "csim",
     "decltype",    "default",   "delete",     "do",           "double",    "dynamic_cast",
     "else",        "enum",      "errno",      "explicit",     "export",    "extern",
     "false",       "float",     "for",        "friend",       "functions", "goto",
     "hls",         "if",        "inline",     "int",          "linux",     "long",
     "main",        "memory",    "mutable",    "namespace",    "new",       "noexcept",
     "not",         "not_eq",    "nullptr",    "operator",     "or",        "or_eq",
     "private",     "processes", "protected",  "public",       "register",  "reinterpret_cast",
     "return",      "short",     "signed",     "sizeof",       "static",    "static_assert",
     "static_cast", "std",       "stderr",     "stdin",        "stdout",    "struct",
     "switch",      "template",  "this",       "thread_local", "throw",     "true",
     "try",         "typedef",   "typeid",     "typename",     "union",     "unix",
     "unsigned",    "using",     "virtual",    "void",         "volatile",  "wchar_t",
     "while",       "xor",       "xor_eq"});

std::string plain(std::string_view wish) {
  constexpr std::size_t longest = 60;
  std::string name;
  for (const char c : wish) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (word)
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
    if (name.size() == longest) break;
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "t");
  return std::ranges::find(reserved, name) == reserved.end() ? name : name + "_";
}

}  // namespace

std::string CppNames::take(std::string_view wish) {
  const std::string name =
      freeName(plain(wish), [&](const std::string& other) { return taken_.contains(other); });
  taken_.insert(name);
  return name;
}

}  // namespace sluice::inline tensor
