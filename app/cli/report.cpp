#include "app/cli/report.h"

namespace sluice::cli {
namespace {

/// Nothing where it is not there.
const Json* memberOf(const Json& object, const std::string& path) {
  const Json::json_pointer pointer(path.empty() ? path : "/" + path);
  return object.contains(pointer) ? &object.at(pointer) : nullptr;
}

}  // namespace

std::string writtenPlain(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& each : value) list += (list.empty() ? "" : ", ") + writtenPlain(each);
  return "[" + list + "]";
}

std::string written(const Json& value) {
  return value.is_number_integer() ? grouped(value.get<std::uint64_t>()) : writtenPlain(value);
}

std::string writtenBytes(const Json& value) {
  return bytesText(value.get<double>());
}

Table tableOf(const Json& rows, const std::vector<Column>& columns, std::size_t left) {
  std::vector<std::string> header;
  for (const Column& column : columns) header.push_back(column.title);
  Table table(std::move(header), left);
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : columns) {
      const Json* const value = memberOf(row, column.member);
      cells.push_back(value ? column.write(*value) : "-");
    }
    table.row(std::move(cells));
  }
  return table;
}

Table linesOf(const std::string& header, const Json& object, const std::vector<Column>& lines) {
  Table table({header, ""});
  for (const Column& line : lines)
    if (const Json* const value = memberOf(object, line.member)) table.row({line.title, line.write(*value)});
  return table;
}

}  // namespace sluice::cli
