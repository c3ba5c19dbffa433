#pragma once
// Binding: from integers as the user wrote them to numbers. Constants and knobs are resolved once a document;
// an expression is parsed once a place, and again evaluated per region instance only if it uses a region's
// index. Private to elaboration.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "engine/core/range.h"
#include "engine/core/result.h"
#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline program {

/// Collects what is wrong; the same complaint about the same place is kept once, and a flood is cut off.
class DiagnosticSink {
 public:
  /// `stop`: checks look at it in loops over instances, and leave them.
  explicit DiagnosticSink(std::stop_token stop = {}) : stop_(std::move(stop)) {}
  bool cancelled() const { return stop_.stop_requested(); }

  void add(Code code, Location place, std::string cause, std::string fix, std::vector<Location> related = {},
           std::vector<FixEdit> fixes = {});
  void add(const Diagnostics& diagnostics);
  bool empty() const { return diagnostics_.empty(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  std::set<std::pair<Location, std::string>> seen_;
  std::stop_token stop_;
};

/// A location that is made when somebody complains: it is strings, and most values are right. Refers to what
/// it is made from.
class Place {
 public:
  Place(const Location& known)
      : from_(&known), make_([](const void* from) { return *static_cast<const Location*>(from); }) {}
  template <class Make>
  requires std::is_invocable_r_v<Location, const Make&> Place(const Make& make)
      : from_(&make),
        make_([](const void* from) -> Location { return (*static_cast<const Make*>(from))(); }) {}
  operator Location() const { return make_(from_); }

 private:
  const void* from_;
  Location (*make_)(const void* from);
};

/// An integer whose names are known but whose region indices may still be open.
struct OpenInteger {
  Expr expression;                    ///< over knobs and region indices
  std::string written;                ///< for diagnostics
  std::optional<BoundInteger> bound;  ///< set when it uses no region index
};

class Binding {
 public:
  /// Complains about constants and knobs; what cannot be resolved is left out.
  Binding(const Document& document, const KnobValues& knobs, DiagnosticSink& sink);

  /// `indices` are the names of the enclosing regions' instance numbers, outermost first, "" where there is
  /// none.
  std::optional<OpenInteger> open(const Value& value, std::span<const std::string> indices, Place place);
  /// `instance` gives their values. Nothing (and a complaint) if the result is no 64-bit integer in `range`.
  std::optional<BoundInteger> close(const OpenInteger& integer, std::span<const std::string> indices,
                                    std::span<const std::int64_t> instance, const Range& range, Place place);
  /// The text that a parameter "=knob" takes; a text without "=" is itself.
  std::optional<std::string> choice(const std::string& written, Place place);
  /// A name that is already a constant or a knob cannot name a region's index.
  bool taken(const std::string& name) const { return names_.contains(name) || reserved(name); }
  const KnobValues& knobs() const { return knob_values_; }  ///< of all knobs of the document
  static bool reserved(const std::string& name);            ///< ceil, floor, max, min

 private:
  void addKnobs(const Document& document, const KnobValues& knobs);
  void addConstants(const Document& document);
  bool resolveConstant(const std::string& name, const std::map<std::string, Value>& constants,
                       std::vector<std::string>& chain);
  std::optional<Expr> parse(const Value& value, Place place);
  /// Nothing (and a complaint) if that is too much to compute with.
  std::optional<Expr> withConstants(const Expr& written, Place place);
  std::optional<BoundInteger> evaluate(const Expr& expression, const std::string& written,
                                       const std::string& where, Place place);

  DiagnosticSink& sink_;
  std::map<std::string, Expr> names_;      ///< constants as expressions over knobs, knobs as symbols
  std::map<std::string, Expr> constants_;  ///< the part of names_ that is substituted
  KnobValues knob_values_;
  std::map<std::string, const Knob*> knobs_;
  std::map<std::string, std::int64_t> chosen_;
  std::unordered_map<std::string, OpenInteger> opened_;  ///< as written; what uses no region's index
  std::set<std::string> broken_;                         ///< constants that are refused already
};

}  // namespace sluice::inline program
