#pragma once
// C++ as text: indented lines, pragmas, numbers, comments that cannot break out of their line.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice::inline tensor {

/// The parts one after the other; integers as decimals.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string all;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>)
      all += std::to_string(part);
    else
      all += part;
  };
  (add(parts), ...);
  return all;
}

class CodeWriter {
 public:
  template <class... Parts>
  void line(const Parts&... parts) {
    text_ += std::string(2 * depth_, ' ') + joined(parts...) + "\n";
  }
  void blank() { text_ += "\n"; }
  /// "#pragma HLS ...", at the left edge as is usual.
  template <class... Parts>
  void pragma(const Parts&... parts) {
    text_ += "#pragma HLS " + joined(parts...) + "\n";
  }
  /// A line that ends with "{"; what follows is indented until close().
  template <class... Parts>
  void open(const Parts&... parts) {
    const std::string head = joined(parts...);
    line(head, head.empty() ? "{" : " {");
    ++depth_;
  }
  void close(std::string_view behind = "") {
    --depth_;
    line("}", behind);
  }
  /// for (int NAME = 0; NAME < EXTENT; NAME += STEP) {
  void loop(const std::string& name, std::int64_t extent, std::int64_t step = 1);
  /// A comment of one line, whatever the text holds.
  template <class... Parts>
  void comment(const Parts&... parts) {
    line("// ", commentText(joined(parts...)));
  }

  const std::string& text() const { return text_; }

  /// Printable ASCII without backslashes: a comment can neither end early nor run on.
  static std::string commentText(std::string_view text);

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

/// The text, in brackets unless it is a name or a number.
std::string inBrackets(const std::string& text);
/// "0.5f", "1e-05f", "-INFINITY"; read again, the same bits.
std::string floatLiteral(float value);

/// The index in dimension k of element `at` of a row-major array: "at / 16 % 8".
std::string coordinate(const std::string& at, std::span<const std::int64_t> shape, std::size_t k);
/// The element of a row-major array at these indices: "i0 * 16 + i1".
std::string elementAt(std::span<const std::string> indices, std::span<const std::int64_t> shape);
/// "constant + 16 * l0 + l1"; terms whose factor is 0 are left out.
std::string affineText(std::int64_t constant, std::span<const std::int64_t> factors,
                       std::span<const std::string> names);

}  // namespace sluice::inline tensor
