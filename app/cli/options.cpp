#include "app/cli/options.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>

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

enum class Kind { Flag, Text, Int, UInt, Float };

Kind kindOf(const Option& option) {
  constexpr Kind kinds[] = {Kind::Flag, Kind::Text, Kind::Text, Kind::Int,
                            Kind::Int,  Kind::UInt, Kind::UInt, Kind::Float};
  static_assert(std::size(kinds) == std::variant_size_v<Option::Target>);
  return kinds[option.value.index()];
}

/// "INT in [1 - 512]".
std::string rangeText(const Option& option) {
  std::ostringstream text;
  if (kindOf(option) == Kind::Float) {
    text << "FLOAT in [" << static_cast<double>(option.rules.range->minimum) << " - "
         << static_cast<double>(option.rules.range->maximum);
  } else {
    text << (std::holds_alternative<unsigned*>(option.value) ? "UINT" : "INT") << " in ["
         << option.rules.range->minimum << " - " << option.rules.range->maximum;
  }
  text << "]";
  return text.str();
}

}  // namespace

Option helpOption() {
  return {"-h,--help", {}, "Print this help message and exit"};
}

Option versionOption() {
  return {"--version", {}, "Display program version information and exit"};
}

std::string typeText(const Option& option) {
  constexpr const char* types[] = {"", "TEXT", "INT", "UINT", "FLOAT"};
  std::string text =
      option.rules.type.empty() ? types[static_cast<std::size_t>(kindOf(option))] : option.rules.type;
  if (option.rules.range) text += ":" + rangeText(option);
  if (!option.rules.form.empty()) text += ":" + option.rules.form;
  for (const std::string& choice : option.rules.choices)
    text += (&choice == option.rules.choices.data() ? ":{" : ",") + choice;
  return option.rules.choices.empty() ? text : text + "}";
}

std::string unfitValue(const Option& option, const std::string& text) {
  if (text.empty()) return "it is empty: give a value, or leave the option out";
  const Kind kind = kindOf(option);
  if (kind == Kind::UInt) return unfit<std::uint64_t>(text, "a whole number of 0 or more");
  if (kind == Kind::Int) return unfit<std::int64_t>(text, "a whole number");
  return kind == Kind::Float ? unfit<double>(text, "a finite number") : "";
}

std::vector<Option> with(std::vector<Option> options, std::vector<Option> more) {
  options.insert(options.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return options;
}

}  // namespace sluice::cli
