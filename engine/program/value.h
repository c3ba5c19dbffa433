#pragma once
// Value: a parameter as the user wrote it. An integer parameter may be a string, then it is an expression
// over knobs, constants and region indices ("F/f"); it is kept as written, so that load -> save gives the
// same bytes.

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace sluice::inline program {

struct Value : std::variant<std::int64_t, bool, std::string, std::vector<Value>> {
  using Base = std::variant<std::int64_t, bool, std::string, std::vector<Value>>;
  using Base::Base;
  Value() : Base(std::int64_t{0}) {}
  Value(int number) : Base(static_cast<std::int64_t>(number)) {}
  Value(const char* text) : Base(std::string(text)) {}

  const std::int64_t* integer() const { return std::get_if<std::int64_t>(this); }
  const bool* boolean() const { return std::get_if<bool>(this); }
  const std::string* string() const { return std::get_if<std::string>(this); }
  const std::vector<Value>* list() const { return std::get_if<std::vector<Value>>(this); }
};

using Values = std::map<std::string, Value>;

std::string text(const Value& value);  ///< as one would type it in the inspector: 16, true, F/f, [1, N]

}  // namespace sluice::inline program
