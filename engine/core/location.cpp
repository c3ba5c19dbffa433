// Locations in words.

#include "engine/core/location.h"

#include <algorithm>
#include <utility>

#include "engine/core/enum_names.h"

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
    words = part.name.empty() ? word : word + ", " + part.name;
  } else {
    words = part.name.empty() ? word : word + " '" + part.name + "'";
  }
  return part.detail.empty() ? words : words + " (" + part.detail + ")";
}

}  // namespace

std::string_view locationWord(Where kind) {
  static constexpr EnumName<Where> words[] = {{Where::Text, "text"},
                                              {Where::File, "file"},
                                              {Where::Line, "line"},
                                              {Where::Column, "column"},
                                              {Where::JsonPath, "path"},
                                              {Where::Operator, "operator"},
                                              {Where::Node, "node"},
                                              {Where::Region, "region"},
                                              {Where::Port, "port"},
                                              {Where::InputPort, "input"},
                                              {Where::Input, "input"},
                                              {Where::OutputPort, "output"},
                                              {Where::Stream, "stream"},
                                              {Where::Parameter, "parameter"},
                                              {Where::Knob, "knob"},
                                              {Where::Constant, "constant"},
                                              {Where::Symbol, "symbol"},
                                              {Where::Machine, "machine"},
                                              {Where::Field, "field"},
                                              {Where::ScheduleStep, "schedule step"},
                                              {Where::Argument, "argument"},
                                              {Where::Option, "option"},
                                              {Where::DesignSpace, "design space"},
                                              {Where::Constraint, "constraint"},
                                              {Where::ExploredPoints, "explored points"},
                                              {Where::Store, "store"},
                                              {Where::Figure, "figure"},
                                              {Where::Platform, "platform"},
                                              {Where::Tensor, "tensor"},
                                              {Where::Task, "task"},
                                              {Where::Kernel, "kernel"},
                                              {Where::Fifo, "FIFO"},
                                              {Where::Buffer, "buffer"},
                                              {Where::Rewrite, "rewrite"},
                                              {Where::Nest, "nest"},
                                              {Where::Loop, "loop"},
                                              {Where::Array, "array"}};
  return nameIn(words, kind);
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
