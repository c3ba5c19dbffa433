// Recursive-descent parser of itensor types:
//   itensor = 'itensor' '<' element ',' space ',' map [ ',' depth ] '>'
//   element = { number 'x' } scalar | ('vector' | 'tensor') '<' { number 'x' } scalar '>'
//   space   = [ 'iter_space' ':' ] list ('*' | ',') list
//   map     = [ 'iter_map' ':' ] names '->' '(' [ sum { ',' sum } ] ')', perhaps in 'affine_map' '<' '>'
//   depth   = [ 'depth' ':' ] number

#include <algorithm>
#include <charconv>

#include "engine/core/characters.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline itensor {
namespace {

constexpr std::size_t most_characters_of_a_type = 1 << 16;
constexpr int most_nesting = 64;  // so that no text can exhaust the stack

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// After the first failure it stands at the end of the text, where every further step finds nothing, and only
/// that failure counts: no step has to hand errors up.
class Parser {
 public:
  Parser(std::string_view text, const Location& place) : text_(text), place_(place) {}

  Result<WrittenITensor> parse();
  Result<std::vector<std::int64_t>> parseShape();

 private:
  void fail(std::size_t position, Code code, std::string cause, std::string fix);
  void failHere(const std::string& expected, std::string fix);
  std::string found();

  char peek();
  bool accept(char c);
  void expect(char c, const std::string& where);
  bool acceptWord(std::string_view word);
  std::string_view name();
  std::int64_t number(const std::string& what, std::int64_t least);

  void element(ITensor& type);
  void shapedScalar(ITensor& type, bool needs_shape);
  std::vector<std::int64_t> list(const std::string& what);
  void space(ITensor& type);
  void map(ITensor& type);
  void loopNames();
  AffineForm sum(int nesting);
  AffineForm product(int nesting);
  AffineForm factor(int nesting);
  AffineForm combined(AffineForm a, const AffineForm& b, std::int64_t weight, std::size_t at);
  AffineForm loopNamed();

  std::string_view text_;
  const Location& place_;
  std::size_t at_ = 0;
  std::optional<Diagnostic> failure_;
  std::vector<std::string_view> names_;  ///< of the loops, as the map calls them
};

void Parser::fail(std::size_t position, Code code, std::string cause, std::string fix) {
  if (!failure_)
    failure_ = error(code, place_ / Location(Where::Column, static_cast<std::int64_t>(position + 1)),
                     std::move(cause), std::move(fix));
  at_ = text_.size();
}

void Parser::failHere(const std::string& expected, std::string fix) {
  const std::string what = found();
  fail(at_, "text-syntax", "expected " + expected + ", found " + what, std::move(fix));
}

std::string Parser::found() {
  const char c = peek();
  if (at_ >= text_.size()) return "the end";
  const auto code = static_cast<unsigned char>(c);
  if (code < 0x20 || code >= 0x7F) return "character code " + std::to_string(code);
  if (!isLetter(c)) return "'" + std::string(1, c) + "'";
  std::size_t end = at_;
  while (end < text_.size() && end < at_ + 40 && (isLetter(text_[end]) || isDigit(text_[end]))) ++end;
  return "'" + std::string(text_.substr(at_, end - at_)) + "'";
}

/// Skips spaces; '\0' at the end.
char Parser::peek() {
  while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Parser::accept(char c) {
  if (peek() != c || at_ >= text_.size()) return false;
  ++at_;
  return true;
}

void Parser::expect(char c, const std::string& where) {
  const std::string wanted = std::string("'") + c + "'";
  if (!accept(c)) failHere(wanted + " " + where, "write " + wanted + " here");
}

bool Parser::acceptWord(std::string_view word) {
  peek();
  const std::size_t start = at_;
  if (name() == word) return true;
  at_ = start;
  return false;
}

/// Letters and digits from here; empty where there are none.
std::string_view Parser::name() {
  peek();
  const std::size_t start = at_;
  while (at_ < text_.size() && (isLetter(text_[at_]) || (at_ > start && isDigit(text_[at_])))) ++at_;
  return text_.substr(start, at_ - start);
}

std::int64_t Parser::number(const std::string& what, std::int64_t least) {
  if (!isDigit(peek())) {
    failHere(what, peek() == '?' ? "sizes are static: write a number" : "write a whole number, digits only");
    return least;
  }
  const std::size_t start = at_;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  at_ = static_cast<std::size_t>(end - text_.data());
  if (error != std::errc() || value > most_itensor_size)
    fail(start, "out-of-range", what + " is too large", "use numbers up to 2^60");
  if (value < least)
    fail(start, "out-of-range", what + " is " + std::to_string(value),
         "use a number of at least " + std::to_string(least));
  return value;
}

void Parser::element(ITensor& type) {
  peek();
  const std::size_t start = at_;
  type.vector_token = acceptWord("vector");
  const bool wrapped = type.vector_token || acceptWord("tensor");
  if (wrapped && !accept('<')) {
    at_ = start;
    return failHere("an element such as 4x2xf32", "write the token's shape after it: vector<2x4xf32>");
  }
  shapedScalar(type, wrapped);
  if (wrapped) expect('>', "after the element's scalar");
}

void Parser::shapedScalar(ITensor& type, bool needs_shape) {
  peek();
  const std::size_t start = at_;
  while (isDigit(peek()) || peek() == '?') {
    type.tile.push_back(number("the extent of the element", 1));
    if (!accept('x'))
      failHere("'x' and a scalar after the extent", "end the element with its scalar, such as 4x2xf32");
    if (type.tile.size() > most_itensor_loops)
      fail(start, "too-many",
           "the element has more than " + std::to_string(most_itensor_loops) + " dimensions",
           "collapse dimensions of the tensor");
  }
  peek();
  const std::size_t at_scalar = at_;
  const std::string_view written = name();
  const std::optional<Scalar> scalar = scalarNamed(written);
  if (!scalar) {
    at_ = at_scalar;
    return failHere("a scalar",
                    "use f16, bf16, f32, f64, f8E4M3FN, f8E5M2 or an integer such as i8, ui4, si16");
  }
  if (needs_shape && type.tile.empty())
    fail(start, "text-syntax", "the token has no shape",
         "write its extents before the scalar: vector<2x4xf32>");
  type.scalar = *scalar;
}

std::vector<std::int64_t> Parser::list(const std::string& what) {
  if (!accept('[')) failHere("the list of " + what, "write them in brackets, outermost loop first: [4,2]");
  std::vector<std::int64_t> numbers;
  if (accept(']')) return numbers;
  do {
    if (numbers.size() == most_itensor_loops)
      fail(at_, "too-many", "there are more than " + std::to_string(most_itensor_loops) + " " + what,
           "merge adjacent loops");
    numbers.push_back(number("one of the " + what, 1));
  } while (accept(','));
  expect(']', "after the " + what);
  return numbers;
}

void Parser::space(ITensor& type) {
  if (acceptWord("iter_space")) expect(':', "after iter_space");
  const std::vector<std::int64_t> trips = list("trip counts");
  if (!accept('*') && !accept(','))
    failHere("'*' after the trip counts", "write the steps after the trip counts: [4,2]*[2,4]");
  peek();
  const std::size_t start = at_;
  const std::vector<std::int64_t> steps = list("steps");
  if (steps.size() != trips.size())
    return fail(start, "rank-mismatch",
                "there are " + std::to_string(trips.size()) + " trip counts and " +
                    std::to_string(steps.size()) + " steps",
                "give every loop a trip count and a step");
  for (std::size_t d = 0; d < trips.size(); ++d) type.loops.push_back({trips[d], steps[d]});
}

void Parser::loopNames() {
  expect('(', "before the loops of the map");
  if (accept(')')) return;
  do {
    peek();
    const std::size_t start = at_;
    const std::string_view written = name();
    if (written.empty()) failHere("the name of a loop", "name the loops d0, d1, ...");
    if (std::find(names_.begin(), names_.end(), written) != names_.end())
      fail(start, "duplicate-name", "the loop '" + std::string(written) + "' is named twice",
           "give each loop its own name");
    names_.push_back(written);
  } while (accept(','));
  expect(')', "after the loops of the map");
}

void Parser::map(ITensor& type) {
  if (acceptWord("iter_map")) expect(':', "after iter_map");
  const bool wrapped = acceptWord("affine_map");
  if (wrapped) expect('<', "after affine_map");
  peek();
  const std::size_t start = at_;
  loopNames();
  if (names_.size() != type.loops.size())
    return fail(start, "rank-mismatch",
                "the map names " + std::to_string(names_.size()) + " loops but the iteration space has " +
                    std::to_string(type.loops.size()),
                "name every loop of iter_space once on the left of ->");
  if (peek() == '[') return fail(at_, "text-syntax", "the map has symbols", "write it over the loops only");
  if (!accept('-') || at_ >= text_.size() || text_[at_] != '>')
    return failHere("'->' after the loops of the map", "write the offsets after it: (d0,d1)->(d1,d0)");
  ++at_;
  peek();
  const std::size_t results = at_;
  expect('(', "before the offsets");
  if (!accept(')')) {
    do {
      if (type.map.size() == most_itensor_loops)
        fail(at_, "too-many", "the map has more than " + std::to_string(most_itensor_loops) + " results",
             "collapse dimensions of the tensor");
      type.map.push_back(sum(0));
    } while (accept(','));
    expect(')', "after the offsets");
  }
  if (wrapped) expect('>', "after the affine map");
  if (!type.tile.empty() && type.tile.size() != type.rank())
    fail(results, "rank-mismatch",
         "the element has " + std::to_string(type.tile.size()) + " dimensions and the map " +
             std::to_string(type.rank()) + " results",
         "give the map one result for each dimension of the element");
}

AffineForm Parser::combined(AffineForm a, const AffineForm& b, std::int64_t weight, std::size_t at) {
  const auto add = [&](std::int64_t& to, std::int64_t what) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(what, weight, &product) || __builtin_add_overflow(to, product, &to) ||
        to > most_itensor_size || to < -most_itensor_size)
      fail(at, "out-of-range", "an offset is too large", "use numbers up to 2^60");
  };
  add(a.constant, b.constant);
  for (std::size_t d = 0; d < names_.size(); ++d) add(a.coefficients[d], b.coefficients[d]);
  return a;
}

AffineForm Parser::sum(int nesting) {
  AffineForm total = product(nesting);
  for (;;) {
    const char sign = peek();
    const std::size_t at = at_;
    if (!accept('+') && !accept('-')) return total;
    total = combined(std::move(total), product(nesting), sign == '-' ? -1 : 1, at);
  }
}

AffineForm Parser::product(int nesting) {
  AffineForm left = factor(nesting);
  while (peek() == '*') {
    const std::size_t at = at_++;
    AffineForm right = factor(nesting);
    const auto is_constant = [](const AffineForm& form) { return AffineForm{0, form.coefficients}.isZero(); };
    if (!is_constant(left)) std::swap(left, right);
    if (!is_constant(left))
      fail(at, "expression-syntax", "two loops are multiplied",
           "offsets are sums of loops times numbers: 2*d0+d1");
    left = combined(AffineForm::zero(names_.size()), right, left.constant, at);
  }
  peek();
  const std::size_t at = at_;
  for (const char* operation : {"floordiv", "ceildiv", "mod"}) {
    if (acceptWord(operation))
      fail(at, "expression-syntax", std::string(operation) + " is no sum of loops",
           "split the loop in two, so that offsets are sums of loops times numbers");
  }
  return left;
}

AffineForm Parser::factor(int nesting) {
  const char c = peek();
  if (nesting > most_nesting) fail(at_, "too-many", "the offset is nested too deeply", "remove parentheses");
  if (accept('-')) {
    const std::size_t at = at_;
    return combined(AffineForm::zero(names_.size()), factor(nesting + 1), -1, at);
  }
  if (accept('(')) {
    AffineForm inner = sum(nesting + 1);
    expect(')', "to close the parenthesis");
    return inner;
  }
  if (isDigit(c)) {
    AffineForm constant = AffineForm::zero(names_.size());
    constant.constant = number("a number of the map", 0);
    return constant;
  }
  return loopNamed();
}

AffineForm Parser::loopNamed() {
  peek();
  const std::size_t start = at_;
  const std::string_view written = name();
  if (written.empty()) failHere("an offset", "write a loop, a number, or a sum such as 2*d0+d1");
  const auto known = std::find(names_.begin(), names_.end(), written);
  if (known == names_.end()) {
    fail(start, "unknown-name", "the map has no loop '" + std::string(written.substr(0, 40)) + "'",
         "use the loops named on the left of ->");
    return AffineForm::zero(names_.size());
  }
  return AffineForm::loop(static_cast<std::size_t>(known - names_.begin()), names_.size());
}

Result<WrittenITensor> Parser::parse() {
  if (text_.size() > most_characters_of_a_type)
    fail(0, "file-too-large", "the text is longer than 64 KiB", "write one type only");
  accept('!');
  if (acceptWord("hls")) expect('.', "after hls");
  if (!acceptWord("itensor"))
    failHere("'itensor'",
             "write for example itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>");
  expect('<', "after itensor");
  WrittenITensor written;
  element(written.type);
  expect(',', "after the element");
  space(written.type);
  expect(',', "after the iteration space");
  map(written.type);
  if (accept(',')) {
    if (acceptWord("depth")) expect(':', "after depth");
    written.fifo_depth = number("the depth of the FIFO", 1);
  }
  expect('>', "at the end of the type");
  if (peek(); at_ < text_.size()) failHere("the end", "remove what follows the type");
  if (failure_) return *failure_;
  if (const Result<Done> done = verify(written.type); !done) {
    Diagnostic wrong = done.diagnostics().front();
    wrong.place = place_ / Location(Where::Column, 1) / wrong.place;
    return wrong;
  }
  return written;
}

Result<std::vector<std::int64_t>> Parser::parseShape() {
  if (text_.size() > most_characters_of_a_type)
    fail(0, "file-too-large", "the text is longer than 64 KiB", "write one shape only");
  std::vector<std::int64_t> shape;
  do {
    if (shape.size() == most_itensor_loops)
      fail(at_, "too-many", "the tensor has more than " + std::to_string(most_itensor_loops) + " dimensions",
           "collapse dimensions of the tensor");
    shape.push_back(number("the extent of the tensor", 1));
  } while (accept('x'));
  if (peek(); at_ < text_.size()) failHere("'x' or the end", "write the extents as in 8x8");
  if (!failure_ && !boundedProduct(shape))
    fail(0, "too-many", "the tensor has more than 2^60 elements", "use smaller extents");
  if (failure_) return *failure_;
  return shape;
}

}  // namespace

Result<WrittenITensor> parseITensor(std::string_view text, const Location& place) {
  return Parser(text, place).parse();
}

Result<std::vector<std::int64_t>> parseTensorShape(std::string_view text, const Location& place) {
  return Parser(text, place).parseShape();
}

}  // namespace sluice::inline itensor
