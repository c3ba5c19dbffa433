#include "app/cli/option_values.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace sluice::cli {
namespace {

/// CLI11 takes the largest number there is for what does not fit.
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

std::string refusal(const std::string& type, const std::string& text) {
  if (text.empty()) return "it is empty: give a value, or leave the option out";
  if (type.starts_with("UINT")) return unfit<std::uint64_t>(text, "a whole number of 0 or more");
  if (type.starts_with("INT")) return unfit<std::int64_t>(text, "a whole number");
  if (type.starts_with("FLOAT")) return unfit<double>(text, "a finite number");
  return "";
}

}  // namespace

std::string belowOne(const std::string& text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && number < 1 ? "'" + text + "' is too small: give at least 1" : "";
}

void checkOptionValues(CLI::App& application) {
  for (CLI::Option* option : application.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const std::string type = option->get_type_name();
    option->check([type](const std::string& text) { return refusal(type, text); });
  }
  for (CLI::App* command : application.get_subcommands({})) checkOptionValues(*command);
}

}  // namespace sluice::cli
