#include "engine/itensor/text_reader.h"

#include <algorithm>
#include <charconv>

#include "engine/core/cancelled.h"
#include "engine/core/characters.h"

namespace sluice::inline itensor {

void TextReader::fail(std::string cause, std::string fix) {
  fail("text-syntax", std::move(cause), std::move(fix));
}

void TextReader::fail(Code code, std::string cause, std::string fix) {
  fail(error(code, {}, std::move(cause), std::move(fix)));
}

void TextReader::fail(Diagnostic problem) {
  if (!failed_) {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    problem.place = place_ / Location(Where::Line, line) / problem.place;
    failed_ = std::move(problem);
  }
  at_ = text_.size();
}

char TextReader::peek() {
  if (stop_.stop_requested() && !failed_) failed_ = cancelledDiagnostic(), at_ = text_.size();
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '/' && text_.substr(at_, 2) == "//")
      at_ = std::min(text_.find('\n', at_), text_.size() - 1);
    else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
      return c;
  }
  return '\0';
}

bool TextReader::accept(char c) {
  if (peek() != c || c == '\0') return false;
  ++at_;
  return true;
}

bool TextReader::acceptWord(std::string_view wanted) {
  peek();
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with(wanted)) return false;
  if (rest.size() > wanted.size() && (isLetter(rest[wanted.size()]) || isDigit(rest[wanted.size()])))
    return false;
  at_ += wanted.size();
  return true;
}

std::string TextReader::found() {
  const char c = peek();
  return c == '\0' ? "the end" : std::string("'") + c + "'";
}

void TextReader::expect(char c) {
  if (!accept(c)) fail("'" + std::string(1, c) + "' is expected, not " + found(), form_);
}

void TextReader::keyword(const std::string& wanted, const std::string& fix) {
  if (const std::string got = word(); got != wanted && !failed_)
    fail("'" + wanted + "' is expected, not '" + got + "'", fix);
}

std::string TextReader::word() {
  peek();
  const std::size_t begin = at_;
  while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
  if (at_ == begin) fail("a word is expected, not " + found(), form_);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string TextReader::name(char sigil) {
  expect(sigil);
  if (peek() != '"') return word();
  ++at_;
  std::string name;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
    if (escaped) ++at_;
    name += escaped && text_[at_] == 'n' ? '\n' : text_[at_];
  }
  if (at_ == text_.size()) {
    fail("a quoted name does not end", "close it with a quotation mark");
    return name;
  }
  ++at_;
  return name;
}

std::size_t TextReader::number() {
  peek();
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc{}) return fail("a number is expected, not " + found(), "write a whole number"), 0;
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

float TextReader::decimal() {
  peek();
  float value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc{}) return fail("a number is expected, not " + found(), "write it as in 1e-05"), 0.0f;
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::string_view TextReader::until(char end) {
  peek();
  const std::size_t stop = std::min(text_.find(end, at_), text_.size());
  const std::string_view all = text_.substr(at_, stop - at_);
  at_ = stop;
  return all;
}

std::string_view TextReader::bracketed() {
  peek();
  const std::size_t begin = at_;
  std::size_t depth = 0;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '<') ++depth;
    // An arrow's head is no bracket.
    if (text_[at_] != '>' || (at_ > 0 && text_[at_ - 1] == '-')) continue;
    if (depth <= 1) return text_.substr(begin, ++at_ - begin);
    --depth;
  }
  fail("a bracket '<' does not end", "close it with '>'");
  return {};
}

std::string named(char sigil, const std::string& name) {
  const bool identifier = !name.empty() && isLetter(name[0]) &&
                          std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c); });
  if (identifier) return sigil + name;
  std::string quoted = {sigil, '"'};
  for (const char c : name) {
    if (c == '"' || c == '\\' || c == '\n') quoted += '\\';
    quoted += c == '\n' ? 'n' : c;
  }
  return quoted + '"';
}

}  // namespace sluice::inline itensor
