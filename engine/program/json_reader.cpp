#include "engine/program/json_reader.h"

#include <algorithm>

#include "engine/program/spelling.h"

namespace sluice::inline program {
namespace {

constexpr std::size_t max_diagnostics =
    50;  // the rest follows from the first ones, or can wait for the next reading

constexpr const char* whole_number = "a whole number from -2^63 to 2^63-1";

/// The shape is known from the first element of each level.
void readElements(JsonDecoder& reading, const JsonCursor& spot, std::size_t depth, IntTensor& tensor) {
  if (depth > 0 && depth == tensor.shape.size()) return read(reading, spot, tensor.data.emplace_back());
  const Json::List* list = spot.json().list();
  if (list && list->size() != tensor.shape[depth]) {
    const std::string found = std::to_string(list->size()), wanted = std::to_string(tensor.shape[depth]);
    return reading.refuse("input-shape", spot,
                          "this list has " + found + " elements, those before it " + wanted,
                          "make all lists of one level equally long");
  }
  forEach(reading, spot, "whole numbers",
          [&](const JsonCursor& element) { readElements(reading, element, depth + 1, tensor); });
}

}  // namespace

std::string JsonCursor::path() const {
  if (!parent_) return "$";
  if (key_.empty())
    return parent_->path() + (parent_->json_.list() ? "[" + std::to_string(index_) + "]" : "[\"\"]");
  const std::string key(key_);
  return parent_->path() + (isIdentifier(key) ? "." + key : "[" + jsonString(key) + "]");
}

Location JsonDecoder::placeOf(const JsonCursor& spot) const {
  return Location(Where::File, name_) / Location(Where::Line, spot.json().line) /
         Location(Where::JsonPath, spot.path());
}

void JsonDecoder::refuse(Code code, const JsonCursor& spot, std::string cause, std::string fix,
                         std::vector<Location> related) {
  if (diagnostics_.size() >= max_diagnostics) return;
  diagnostics_.push_back(error(code, placeOf(spot), std::move(cause), std::move(fix)));
  diagnostics_.back().related = std::move(related);
}

void JsonDecoder::mismatch(const JsonCursor& spot, const std::string& expected, std::string fix, Code code) {
  refuse(code, spot, "expected " + expected + ", found " + describe(spot.json()), std::move(fix));
}

void read(JsonDecoder& reading, const JsonCursor& spot, std::string& target) {
  if (const auto* text = std::get_if<std::string>(&spot.json().value)) {
    target = *text;
  } else {
    reading.mismatch(spot, "text", "put it into double quotes");
  }
}

void read(JsonDecoder& reading, const JsonCursor& spot, bool& target) {
  if (const auto* boolean = std::get_if<bool>(&spot.json().value)) {
    target = *boolean;
  } else {
    reading.mismatch(spot, "true or false", "write true or false, without quotes");
  }
}

void read(JsonDecoder& reading, const JsonCursor& spot, std::int64_t& target) {
  if (const auto* number = std::get_if<std::int64_t>(&spot.json().value)) {
    target = *number;
  } else {
    reading.mismatch(spot, whole_number, "write a whole number without quotes, point or exponent");
  }
}

void read(JsonDecoder& reading, const JsonCursor& spot, std::uint64_t& target) {
  const auto* small = std::get_if<std::int64_t>(&spot.json().value);
  if (small && *small >= 0) {
    target = static_cast<std::uint64_t>(*small);
  } else if (const auto* large = std::get_if<std::uint64_t>(&spot.json().value)) {
    target = *large;
  } else {
    reading.mismatch(spot, "a whole number from 0 to 2^64-1",
                     "write a whole number without sign, point or exponent");
  }
}

void read(JsonDecoder& reading, const JsonCursor& spot, double& target) {
  const auto& value = spot.json().value;
  if (const auto* real = std::get_if<double>(&value)) {
    target = *real;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    target = static_cast<double>(*integer);
  } else if (const auto* large = std::get_if<std::uint64_t>(&value)) {
    target = static_cast<double>(*large);
  } else {
    reading.mismatch(spot, "a number", "write a number, without quotes");
  }
}

void read(JsonDecoder& reading, const JsonCursor& spot, Value& target) {
  const auto& value = spot.json().value;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    target = *integer;
  } else if (const auto* boolean = std::get_if<bool>(&value)) {
    target = *boolean;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    target = *text;
  } else if (const auto* list = std::get_if<Json::List>(&value)) {
    std::vector<Value> elements(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) read(reading, spot.element(i), elements[i]);
    target = std::move(elements);
  } else {
    reading.mismatch(spot, "a whole number, an expression in quotes, true, false or a list of these",
                     "parameters hold no fractions, null or objects, and whole numbers from -2^63 to 2^63-1");
  }
}

void readNumber(JsonDecoder& reading, const JsonCursor& spot, Value& target) {
  const auto& json = spot.json().value;
  if (std::holds_alternative<std::int64_t>(json) || std::holds_alternative<std::string>(json)) {
    read(reading, spot, target);
  } else {
    reading.mismatch(spot, "a whole number or an expression in quotes", "write for example 4 or \"E/2\"");
  }
}

void readName(JsonDecoder& reading, const JsonCursor& spot, std::string& target) {
  const auto* text = std::get_if<std::string>(&spot.json().value);
  if (text && isIdentifier(*text)) {
    target = *text;
  } else {
    reading.mismatch(spot, "a name", "names are made of letters, digits and _, and do not begin with a digit",
                     text ? Code("invalid-name") : Code("json-type"));
  }
}

void read(JsonDecoder& reading, const JsonCursor& spot, Position& target) {
  const Json::List* list = spot.json().list();
  if (!list || list->size() != 2) return reading.mismatch(spot, "a position", "write [x, y]");
  read(reading, spot.element(0), target.x);
  read(reading, spot.element(1), target.y);
}

void read(JsonDecoder& reading, const JsonCursor& spot, std::vector<std::int64_t>& target) {
  forEach(reading, spot, "whole numbers",
          [&](const JsonCursor& element) { read(reading, element, target.emplace_back()); });
}

void read(JsonDecoder& reading, const JsonCursor& spot, std::vector<std::string>& target) {
  forEach(reading, spot, "texts",
          [&](const JsonCursor& element) { read(reading, element, target.emplace_back()); });
}

void read(JsonDecoder& reading, const JsonCursor& spot, IntTensor& target) {
  const Json* first = &spot.json();
  IntTensor tensor;
  while (const Json::List* list = first->list()) {
    tensor.shape.push_back(list->size());
    if (list->empty()) break;
    first = &list->front();
  }
  readElements(reading, spot, 0, tensor);
  target = std::move(tensor);
}

void refuseTwice(JsonDecoder& reading, const JsonCursor& spot, const std::string& what,
                 const std::string& name, SeenNames& seen) {
  if (name.empty()) return;
  const auto first = seen.find(name);
  if (first == seen.end()) {
    seen.emplace(name, SeenName{what, reading.placeOf(spot)});
  } else {
    reading.refuse("duplicate-name", spot,
                   "there is already a " + first->second.what + " named '" + name + "'",
                   "give one of the two another name", {first->second.place});
  }
}

ObjectReader::ObjectReader(JsonDecoder& reading, const JsonCursor& spot, const std::string& what,
                           std::vector<std::string> keys)
    : reading_(reading), spot_(spot), what_(what), object_(spot.json().object()) {
  if (!object_) {
    reading.mismatch(spot, what + " (an object)", "write { ... }");
    return;
  }
  for (const JsonMember& member : *object_) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    reading.refuse("unknown-field", spot.member(member), what + " has no key " + jsonString(member.key),
                   spellingFix(member.key, keys, "remove it"));
  }
}

std::optional<JsonCursor> ObjectReader::find(std::string_view key) const {
  if (!object_) return std::nullopt;
  for (const JsonMember& member : *object_)
    if (member.key == key) return spot_.member(member);
  return std::nullopt;
}

std::optional<JsonCursor> ObjectReader::require(std::string_view key) const {
  std::optional<JsonCursor> spot = find(key);
  if (object_ && !spot)
    reading_.refuse("missing-field", spot_, what_ + " needs the key \"" + std::string(key) + "\"",
                    "add \"" + std::string(key) + "\": ...");
  return spot;
}

}  // namespace sluice::inline program
