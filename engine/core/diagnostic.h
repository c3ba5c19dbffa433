#pragma once
// What a user is told when something is wrong: where it is, why it is wrong, how to fix it.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/location.h"

namespace sluice {

enum class Severity { Note, Warning, Error };

/// What is wrong in one word that never changes, for programs and for looking up: "rank-mismatch". Lower-case
/// letters, digits and hyphens, checked when it is compiled. resources/diagnostics/ has a page for each.
class Code {
 public:
  consteval Code(const char* name) : name_(name) {
    if (name_.empty() || name_.front() == '-' || name_.back() == '-')
      throw std::invalid_argument("not a code");
    for (const char c : name_)
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
        throw std::invalid_argument("not a code");
  }
  constexpr std::string_view name() const { return name_; }

 private:
  std::string_view name_;
};

/// An edit of the document that fixes what is wrong, for a program to make (engine/program/fix_edit.h).
struct FixEdit {
  enum class Kind : std::uint8_t {
    SetKind,
    AddParameter,
    RenameParameter,
    ReplaceSymbol,
    SetEnd,
    RaiseDepth
  };

  Kind kind = Kind::SetKind;
  std::string at;        ///< the path of a node; of SetEnd and RaiseDepth the id of a stream
  std::string field;     ///< a parameter; of SetEnd "from" or "to"; not of SetKind and RaiseDepth
  std::string from;      ///< of ReplaceSymbol: the name in the parameter's value
  std::string to;        ///< the name instead; not of AddParameter, whose value its operator suggests
  bool certain = false;  ///< nothing else can be meant

  bool operator==(const FixEdit&) const = default;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;  ///< of Code
  Location place;
  std::string cause;  ///< what was found and what was expected
  std::string fix;    ///< what the user can do about it; never empty
  std::vector<Location>
      related;  ///< other places that take part: where a name was used first, the rest of a cycle
  std::vector<FixEdit> fixes = {};  ///< each alone is enough

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic error(Code code, Location place, std::string cause, std::string fix);
Diagnostic warning(Code code, Location place, std::string cause, std::string fix);
Diagnostic note(Code code, Location place, std::string cause, std::string fix);

/// "error: PLACE: CAUSE (FIX)", one line.
std::string text(const Diagnostic& diagnostic);
/// One line per diagnostic.
std::string text(const Diagnostics& diagnostics);
bool hasErrors(const Diagnostics& diagnostics);
/// Work was asked to stop: whatever else is reported is of no interest.
bool isCancelled(const Diagnostics& diagnostics);

}  // namespace sluice
