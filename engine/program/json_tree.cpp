#include "engine/program/json_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/core/cancelled.h"
#include "engine/core/json_extent.h"

namespace sluice::inline program {
namespace {

constexpr std::size_t max_bytes = std::size_t{64} << 20;

/// Reads characters and counts them outside of itself: nlohmann copies iterators, and tells no positions.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

/// In the text of that name.
Location placeIn(const std::string& name, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start), before.end(),
                                        [](char c) { return (c & 0xC0) != 0x80; });
  return Location(Where::File, name) / Location(Where::Line, line) / Location(Where::Column, column);
}

/// nlohmann tells the end of what it could not take; this is its beginning.
std::size_t startOfToken(std::string_view text, std::size_t end, const std::string& token,
                         const std::string& cause) {
  end = std::min(end, text.size());
  if (cause.find("end of input;") != std::string::npos) return text.size();
  if (cause.find("invalid literal") != std::string::npos) {
    const auto part_of_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    };
    while (end > 0 && part_of_word(text[end - 1])) --end;
    return end;
  }
  // A string ends at the place told, a number one before it.
  for (const std::size_t last : {end + 1, end}) {
    if (token.size() > 1 && last >= token.size() && text.substr(last - token.size(), token.size()) == token)
      return last - token.size();
  }
  return end;
}

/// What to do about a syntax error at `offset`, from what stands there.
std::string syntaxFix(std::string_view text, std::size_t offset, const std::string& cause) {
  const auto has = [&](const char* part) { return cause.find(part) != std::string::npos; };
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  const std::size_t last = text.substr(0, std::min(offset, text.size())).find_last_not_of(" \t\r\n");
  const char before = last == std::string_view::npos ? '\0' : text[last];
  if (has("UTF-8")) return "save the file in UTF-8";
  if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with("#")) return "remove the comment";
  if (rest.starts_with("'")) return "put text into double quotes";
  if (rest.empty()) return "the text ends too early: close every quote, bracket and brace";
  if (before == ',' && (rest.starts_with("]") || rest.starts_with("}")))
    return "remove the comma before this bracket";
  if (has("control character"))
    return "close the quote; line breaks and tabs inside text are written \\n and \\t";
  if (has("after backslash")) return "a backslash in a text is written twice";
  if (has("expected ':'")) return "put a colon between key and value";
  if (has("expected end of input")) return "remove what follows the last brace";
  if (before == '0' && last + 1 == offset) return "write numbers without leading zeros and in decimals";
  if (has("expected '}'") || has("expected ']'")) return "put a comma before it, or the missing bracket";
  if (has("object key")) return "keys are texts in double quotes";
  if (has("literal") || has("number")) {
    return "numbers are written 16 or 1.5, text in double quotes, and true, false in lower case; NaN and "
           "infinity do "
           "not exist";
  }
  return "check the commas, quotes and brackets here and just before";
}

/// Builds the tree; stops at the first thing that is wrong.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& name, const std::size_t& consumed,
              const std::stop_token& stop)
      : text_(text), name_(name), consumed_(consumed), stop_(stop) {}

  std::optional<Json> root;
  std::optional<Diagnostic> problem;

  // The names and types of the functions below are nlohmann's.
  bool null() { return leaf(std::monostate{}, 1); }
  bool boolean(bool value) { return leaf(value, 1); }
  bool number_integer(std::int64_t value) { return leaf(value, 2); }
  bool number_unsigned(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return leaf(static_cast<std::int64_t>(value), 2);
    return leaf(value, 2);
  }
  bool number_float(double value, const std::string&) { return leaf(value, 2); }
  bool string(std::string& value) { return leaf(std::move(value), 1); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::Object{}); }
  bool start_array(std::size_t) { return open(Json::List{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    const std::size_t line = lineHere(1);
    const auto [first, is_new] = frame.keys.emplace(name, line);
    if (!is_new) {
      refuse("duplicate-field", line, "the key " + jsonString(name) + " is written twice in one object",
             "remove or rename one of the two");
      problem->related = {placeOf(first->second)};
      return false;
    }
    frame.key = std::move(name);
    return true;
  }

  template <class Exception>
  bool parse_error(std::size_t position, const std::string& token, const Exception& refusal) {
    // "[json.exception.parse_error.101] parse error at line 3, column 7: syntax error while parsing value -
    // invalid literal; last read: '...'; expected ..." - place and what was read are reported better here.
    std::string cause = refusal.what();
    if (const std::size_t id = cause.find("] "); id != std::string::npos) cause.erase(0, id + 2);
    const std::size_t colon = cause.find(": ");
    if (cause.starts_with("parse error") && colon != std::string::npos) cause.erase(0, colon + 2);
    if (const std::size_t read = cause.find("; last read: "); read != std::string::npos) {
      const std::size_t expected = cause.rfind("; expected ");
      cause.erase(read,
                  expected != std::string::npos && expected > read ? expected - read : std::string::npos);
    }
    const std::size_t offset = startOfToken(text_, position == 0 ? 0 : position - 1, token, cause);
    const std::string_view rest = text_.substr(std::min(offset, text_.size()));
    const std::string excerpt(rest.substr(0, std::min<std::size_t>(20, rest.find_first_of("\r\n"))));
    if (!excerpt.empty()) cause += ", at " + jsonString(excerpt);
    problem = error("json-syntax", placeIn(name_, text_, offset), cause, syntaxFix(text_, offset, cause));
    return false;
  }

 private:
  struct Frame {
    Json json;
    std::string key;
    std::map<std::string, std::size_t> keys;  ///< with their lines
  };

  /// The line of the token just read. A number is known to end only after the character behind it is read:
  /// lookBehind 2.
  std::size_t lineHere(std::size_t lookBehind) {
    const std::size_t end = consumed_ >= lookBehind ? std::min(consumed_ - lookBehind, text_.size()) : 0;
    for (; counted_ < end; ++counted_) line_ += text_[counted_] == '\n' ? 1 : 0;
    return line_;
  }

  Location placeOf(std::size_t line) const {
    return Location(Where::File, name_) / Location(Where::Line, static_cast<std::int64_t>(line));
  }

  bool refuse(Code code, std::size_t line, std::string cause, std::string fix) {
    problem = error(code, placeOf(line), std::move(cause), std::move(fix));
    return false;
  }

  template <class T>
  bool leaf(T&& value, std::size_t lookBehind) {
    return attach(Json{std::forward<T>(value), lineHere(lookBehind)});
  }

  template <class T>
  bool open(T&& container) {
    const std::size_t line = lineHere(1);
    if (frames_.size() >= deepest_json) {
      return refuse("too-many", line,
                    "lists and objects are nested more than " + std::to_string(deepest_json) + " deep",
                    "flatten the nesting; a region may hold regions, but not that many");
    }
    frames_.push_back({Json{std::forward<T>(container), line}, {}, {}});
    return true;
  }

  bool close() {
    Json json = std::move(frames_.back().json);
    frames_.pop_back();
    return attach(std::move(json));
  }

  bool attach(Json json) {
    if (stop_.stop_requested()) {
      problem = cancelledDiagnostic();
      return false;
    }
    if (++values_ > most_json_values) {
      return refuse("too-many", json.line,
                    "the file holds more than " + std::to_string(most_json_values) + " values",
                    "keep large tensors in a .npy or .npz file");
    }
    if (frames_.empty()) {
      root = std::move(json);
      return true;
    }
    Frame& frame = frames_.back();
    if (auto* object = std::get_if<Json::Object>(&frame.json.value)) {
      object->push_back({std::move(frame.key), std::move(json)});
    } else {
      std::get<Json::List>(frame.json.value).push_back(std::move(json));
    }
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  const std::size_t& consumed_;
  const std::stop_token& stop_;
  std::vector<Frame> frames_;
  std::size_t counted_ = 0, line_ = 1, values_ = 0;
};

}  // namespace

std::string jsonString(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string describe(const Json& json) {
  struct Describer {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
      const bool fits = std::abs(value) < 0x1p63;
      return nlohmann::json(value).dump() + (fits ? "" : ", a number that does not fit in 64 bits");
    }
    std::string operator()(const std::string& value) const {
      constexpr std::size_t most = 40;
      return value.size() > most ? jsonString(value.substr(0, most) + "...") : jsonString(value);
    }
    std::string operator()(const Json::List& value) const {
      return "a list of " + std::to_string(value.size());
    }
    std::string operator()(const Json::Object&) const { return "an object"; }
  };
  return std::visit(Describer{}, json.value);
}

Result<Json> parseJson(std::string_view text, const std::string& name, const std::stop_token& stop) {
  if (text.size() > max_bytes) {
    return error("file-too-large", Location(Where::File, name),
                 "the text is larger than 64 MiB (" + std::to_string(text.size()) + " bytes)",
                 "keep large tensors in a .npy or .npz file");
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return error("wrong-format", placeIn(name, text, zero), "a zero byte: this is not a text file",
                 "open a .sluice file; it is JSON in UTF-8");
  }
  std::size_t consumed = 0;
  TreeBuilder builder(text, name, consumed, stop);
  const char* end = text.data() + text.size();
  nlohmann::json::sax_parse(CountingIterator(text.data(), &consumed), CountingIterator(end, &consumed),
                            &builder);
  if (builder.problem) return *builder.problem;
  if (!builder.root) throw std::logic_error("JSON ended without a value and without an error");
  return *std::move(builder.root);
}

}  // namespace sluice::inline program
