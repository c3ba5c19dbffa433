#pragma once
// An answer is one tree of JSON values: with --json it is printed as it is, without it as tables, whose
// columns name members of the tree.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/json.h"
#include "app/cli/table.h"

namespace sluice::cli {

template <class Value>
Json orNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// For people: 1 234 567; a text as it is; [4, 8, 1]; "-" for null.
std::string written(const Json& value);
/// The same, but whole numbers without gaps.
std::string writtenPlain(const Json& value);
std::string writtenBytes(const Json& value);

/// A member of an object, "memory/fifo_bytes" for one of an object in it; "": the object itself.
struct Column {
  std::string member, title;
  std::string (*write)(const Json&) = written;
};

/// A row for each object of a list; "-" for a member that it has not.
Table tableOf(const Json& rows, const std::vector<Column>& columns, std::size_t left = 1);
/// A line for each of these members that the object has.
Table linesOf(const std::string& header, const Json& object, const std::vector<Column>& lines);

}  // namespace sluice::cli
