#include "engine/interchange/npy_header.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace sluice::inline interchange {
namespace {

/// Reads the few Python literals that a header consists of. Every read skips blanks first.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skipBlanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipBlanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> string() {
    skipBlanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }
  std::optional<std::size_t> number() {
    skipBlanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2
    return static_cast<std::size_t>(value);
  }
  bool atEnd() {
    skipBlanks();
    return text_.empty();
  }

 private:
  void skipBlanks() {
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(first == std::string_view::npos ? text_.size() : first);
  }
  std::string_view text_;
};

Diagnostic malformed(const Location& place, const std::string& what) {
  return error("wrong-format", place, "the .npy header is malformed: " + what,
               "save the array again with numpy.save");
}

Result<NpyType> typeOf(const std::string& descr, const Location& place, bool floats) {
  const auto refuse = [&](const std::string& what) {
    return error("input-value", place,
                 "the array holds " + what + " (dtype '" + descr + "'); " +
                     (floats ? "values are floats or integers" : "a trace holds integers"),
                 std::string("convert it with array.astype('") + (floats ? "float32" : "int64") +
                     "') before numpy.save");
  };
  std::string_view text = descr;
  NpyType type;
  if (!text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos) {
    type.big_endian = text.front() == '>';
    text.remove_prefix(1);
  }
  if (text == "?") text = "b1";
  if (text.starts_with('O')) return refuse("Python objects, which are never unpickled");
  if (floats && (text == "f2" || text == "f4" || text == "f8")) {
    type.is_float = true;
    type.size = static_cast<std::size_t>(text[1] - '0');
    return type;
  }
  if (text.starts_with('f')) return refuse(floats ? "wide floating-point numbers" : "floating-point numbers");
  const bool integer = text.size() == 2 && (text[0] == 'i' || text[0] == 'u') &&
                       (text[1] == '1' || text[1] == '2' || text[1] == '4' || text[1] == '8');
  if (!integer && text != "b1") return refuse("elements of another kind");
  type.is_signed = text[0] == 'i';
  type.size = static_cast<std::size_t>(text[1] - '0');
  return type;
}

std::optional<std::vector<std::size_t>> shapeOf(Cursor& cursor) {
  constexpr std::size_t most_dimensions = 32;
  if (!cursor.take('(')) return std::nullopt;
  std::vector<std::size_t> shape;
  while (!cursor.take(')')) {
    const std::optional<std::size_t> extent = cursor.number();
    if (!extent || shape.size() == most_dimensions) return std::nullopt;
    shape.push_back(*extent);
    if (cursor.take(',')) continue;
    if (!cursor.take(')')) return std::nullopt;
    break;
  }
  return shape;
}

/// What the dictionary says, each key once.
struct Entries {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::size_t>> shape;
};

/// Reads the value of `key`; gives what is wrong, empty if nothing is.
std::string readValue(Cursor& cursor, const std::string& key, Entries& entries) {
  if (key == "descr" && !entries.descr) {
    entries.descr = cursor.string();
    return entries.descr ? "" : "'descr' is not a plain element type (structured arrays are not traces)";
  }
  if (key == "fortran_order" && !entries.fortran_order) {
    if (cursor.takeWord("True")) {
      entries.fortran_order = true;
    } else if (cursor.takeWord("False")) {
      entries.fortran_order = false;
    }
    return entries.fortran_order ? "" : "'fortran_order' is neither True nor False";
  }
  if (key == "shape" && !entries.shape) {
    entries.shape = shapeOf(cursor);
    return entries.shape ? "" : "'shape' is not a tuple of up to 32 sizes";
  }
  return "key '" + key + "' is unknown or comes twice";
}

std::string readEntries(Cursor& cursor, Entries& entries) {
  if (!cursor.take('{')) return "it does not begin with '{'";
  while (!cursor.take('}')) {
    const std::optional<std::string> key = cursor.string();
    if (!key || !cursor.take(':')) return "a quoted key and ':' were expected";
    if (std::string wrong = readValue(cursor, *key, entries); !wrong.empty()) return wrong;
    if (cursor.take(',')) continue;
    if (!cursor.take('}')) return "',' or '}' was expected";
    break;
  }
  if (!cursor.atEnd()) return "something follows its '}'";
  return entries.descr && entries.fortran_order && entries.shape
             ? ""
             : "one of descr, fortran_order and shape is missing";
}

}  // namespace

Result<NpyHeader> parseNpyHeader(std::string_view text, const Location& place, bool floats) {
  Cursor cursor(text);
  Entries entries;
  if (const std::string wrong = readEntries(cursor, entries); !wrong.empty()) return malformed(place, wrong);
  SLUICE_TRY(const NpyType type, typeOf(*entries.descr, place, floats));
  return NpyHeader{type, *entries.fortran_order, std::move(*entries.shape)};
}

}  // namespace sluice::inline interchange
