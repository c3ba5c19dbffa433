#pragma once
// Reads MLIR-style text: words, numbers, names such as %x or @"a name"; `//` begins a comment.

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace sluice::inline itensor {

/// After the first failure it stands at the end of the text, where every further step finds nothing, and only
/// that failure counts: no step has to hand errors up.
class TextReader {
 public:
  /// `form` says where the form of the text is described. The text and its place must outlive it. A stop
  /// request is a failure.
  TextReader(std::string_view text, const Location& place, std::string form, std::stop_token stop = {})
      : text_(text), place_(place), form_(std::move(form)), stop_(std::move(stop)) {}

  const Location& place() const { return place_; }
  const std::optional<Diagnostic>& failure() const { return failed_; }
  bool failed() const { return failed_.has_value(); }
  /// Of the form alone.
  void fail(std::string cause, std::string fix);
  void fail(Code code, std::string cause, std::string fix);
  /// Its place is within the line.
  void fail(Diagnostic problem);

  char peek();  ///< the next character that is no space; '\0' at the end
  bool accept(char c);
  bool acceptWord(std::string_view wanted);
  void expect(char c);
  void keyword(const std::string& wanted, const std::string& fix);
  std::string word();
  std::string name(char sigil);
  std::size_t number();
  float decimal();  ///< 1e-05
  /// All up to the character, which is not read.
  std::string_view until(char end);
  /// The text of brackets that may be nested: "itensor<vector<2x4xi8>, ...>" from its word on.
  std::string_view bracketed();

 private:
  std::string found();

  std::string_view text_;
  Location place_;
  std::string form_;
  std::stop_token stop_;
  std::size_t at_ = 0;
  std::optional<Diagnostic> failed_;
};

inline constexpr std::size_t most_characters = 1 << 24;  ///< of a whole text

/// What `read` finds in a text that holds nothing else, verified. `noun`: what messages call it.
template <class T, class Read>
Result<T> readWhole(std::string_view text, const Location& place, const std::string& form,
                    const std::string& noun, Read read, const std::stop_token& stop = {}) {
  if (text.size() > most_characters)
    return error("file-too-large", place, "the text has more than 16 MiB", "give one " + noun);
  TextReader reader(text, place, form, stop);
  T whole = read(reader);
  if (!reader.failed() && reader.peek() != '\0')
    reader.fail("something follows the " + noun, "leave one " + noun + " in the text");
  if (reader.failed()) return *reader.failure();
  Diagnostics wrong = verify(whole);
  for (Diagnostic& diagnostic : wrong) diagnostic.place = place / diagnostic.place;
  if (hasErrors(wrong)) return wrong;
  return whole;
}

/// The name with its sigil, in quotes unless it is an identifier.
std::string named(char sigil, const std::string& name);

}  // namespace sluice::inline itensor
