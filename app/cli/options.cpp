#include "app/cli/options.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

template <class Number>
std::string unfit(const std::string& text, const char* what) {
  Number number{};
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error == std::errc::result_out_of_range) return "'" + text + "' is too large a number";
  const bool whole = error == std::errc() && stop == end && std::isfinite(static_cast<double>(number));
  return whole ? "" : "'" + text + "' is not " + what;
}

}  // namespace

std::string guess(const std::string& word, const std::vector<std::string>& candidates,
                  const std::string& dashes) {
  const std::vector<std::string> closest = closestSpellings(word, candidates, 1);
  return closest.empty() ? "" : "did you mean '" + dashes + closest.front() + "'? ";
}

Option helpOption() {
  return {"-h,--help", {}, "Print this help message and exit"};
}

Option versionOption() {
  return {"--version", {}, "Display program version information and exit"};
}

Option pluginOption() {
  return {"--plugin",
          static_cast<std::string*>(nullptr),
          "A plug-in to load, for every command; may be given again. $SLUICE_PLUGINS lists more, separated "
          "by colons",
          {.type = "FILE"}};
}

std::string_view valueType(const Option& option) {
  constexpr std::string_view types[] = {"", "TEXT", "TEXT", "INT", "INT", "UINT", "UINT", "FLOAT"};
  static_assert(std::size(types) == std::variant_size_v<Option::Target>);
  return types[option.value.index()];
}

std::string unfitValue(const Option& option, const std::string& text) {
  if (text.empty()) return "it is empty: give a value, or leave the option out";
  const std::string_view type = valueType(option);
  if (type == "UINT") return unfit<std::uint64_t>(text, "a whole number of 0 or more");
  if (type == "INT") return unfit<std::int64_t>(text, "a whole number");
  return type == "FLOAT" ? unfit<double>(text, "a finite number") : "";
}

std::pair<std::string, std::string> assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  return {text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)};
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::vector<Option> with(std::vector<Option> options, std::vector<Option> more) {
  options.insert(options.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return options;
}

}  // namespace sluice::cli
