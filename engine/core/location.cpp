// Locations in words.

#include "engine/core/location.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

/// Parts that stand for themselves, without the word for their kind.
bool speaksForItself(Where kind) {
  return kind == Where::Text || kind == Where::File || kind == Where::JsonPath || kind == Where::Field;
}

std::string text(const LocationPart& part) {
  const std::string word(locationWord(part.kind));
  std::string words;
  if (speaksForItself(part.kind)) {
    words = part.name;
  } else if (part.number > 0) {
    words = word + " " + std::to_string(part.number) + (part.name.empty() ? "" : ", " + part.name);
  } else if (part.kind == Where::Store) {
    words = word + " " + part.name;
  } else if (part.kind == Where::ExploredPoints) {
    words = word + ", " + part.name;
  } else {
    words = part.name.empty() ? word : word + " '" + part.name + "'";
  }
  return part.detail.empty() ? words : words + " (" + part.detail + ")";
}

}  // namespace

std::string_view locationWord(Where kind) {
  switch (kind) {
    case Where::Text:
      return "text";
    case Where::File:
      return "file";
    case Where::Line:
      return "line";
    case Where::Column:
      return "column";
    case Where::JsonPath:
      return "path";
    case Where::Operator:
      return "operator";
    case Where::Node:
      return "node";
    case Where::Region:
      return "region";
    case Where::Port:
      return "port";
    case Where::InputPort:
    case Where::Input:
      return "input";
    case Where::OutputPort:
      return "output";
    case Where::Stream:
      return "stream";
    case Where::Parameter:
      return "parameter";
    case Where::Knob:
      return "knob";
    case Where::Constant:
      return "constant";
    case Where::Symbol:
      return "symbol";
    case Where::Machine:
      return "machine";
    case Where::Field:
      return "field";
    case Where::ScheduleStep:
      return "schedule step";
    case Where::Argument:
      return "argument";
    case Where::DesignSpace:
      return "design space";
    case Where::Constraint:
      return "constraint";
    case Where::ExploredPoints:
      return "explored points";
    case Where::Store:
      return "store";
    case Where::Figure:
      return "figure";
    case Where::Platform:
      return "platform";
    case Where::Tensor:
      return "tensor";
    case Where::Task:
      return "task";
    case Where::Kernel:
      return "kernel";
    case Where::Fifo:
      return "FIFO";
    case Where::Buffer:
      return "buffer";
    case Where::Rewrite:
      return "rewrite";
    case Where::Loop:
      return "loop";
    case Where::Array:
      return "array";
  }
  return {};
}

Location::Location(std::string words) {
  if (!words.empty()) parts_.push_back({Where::Text, std::move(words), 0, {}});
}

Location::Location(Where kind, std::string name, std::string detail)
    : parts_{{kind, std::move(name), 0, std::move(detail)}} {}

Location::Location(Where kind, std::int64_t number, std::string name, std::string detail)
    : parts_{{kind, std::move(name), number, std::move(detail)}} {}

Location& Location::operator/=(const Location& inner) {
  parts_.insert(parts_.end(), inner.parts_.begin(), inner.parts_.end());
  return *this;
}

const LocationPart* Location::find(Where kind) const {
  const auto found = std::find_if(parts_.rbegin(), parts_.rend(),
                                  [kind](const LocationPart& part) { return part.kind == kind; });
  return found == parts_.rend() ? nullptr : &*found;
}

/// What is in a file, or in a text of some name, follows a colon, but for a line of it; everything else a
/// comma.
std::string text(const Location& location) {
  std::string words;
  bool in_text = false;
  for (const LocationPart& part : location.parts()) {
    const bool position = part.kind == Where::Line || part.kind == Where::Column;
    if (!words.empty()) words += in_text && !position ? ": " : ", ";
    words += text(part);
    in_text = part.kind == Where::File || part.kind == Where::Text;
  }
  return words;
}

}  // namespace sluice
