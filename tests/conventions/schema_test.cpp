// engine/program/README.md is the schema of the file: its tables are those of the fields, line by line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "engine/program/fields.h"
#include "engine/program/file_format_names.h"

namespace sluice::schema_test {

using Lines = std::vector<std::string>;

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

/// What a file has for a member, and what that is by default.
struct Written {
  std::string type, initial;
};
Written written(const std::string& text, bool name) {
  return {name ? "name" : "text", name && text.empty() ? "none" : code('"' + text + '"')};
}
Written written(bool flag, bool) {
  return {"true/false", flag ? "true" : "false"};
}
Written written(std::int64_t number, bool) {
  return {"whole number", std::to_string(number)};
}
Written written(std::uint64_t number, bool) {
  return {"whole number", std::to_string(number)};
}
Written written(const Value& value, bool) {
  return {"number", text(value)};
}
Written written(const std::optional<Value>&, bool) {
  return {"number", "none"};
}
Written written(const Values&, bool) {
  return {"object", "`{}`"};
}
Written written(const std::vector<std::int64_t>&, bool) {
  return {"list of whole numbers", "`[]`"};
}
Written written(const std::vector<std::string>&, bool name) {
  return {name ? "list of names" : "list of texts", "`[]`"};
}
Written written(const std::optional<Position>&, bool) {
  return {"`[x, y]`", "none"};
}
Written written(double number, bool) {
  return {"decimal number", number == 0 ? "0" : std::to_string(number)};
}
Written written(const KnobValues&, bool) {
  return {"object", "`{}`"};
}
Written written(const std::optional<Bounds>&, bool) {
  return {"`[from, to]`", "none"};
}
Written written(const Endpoint&, bool) {
  return {"text", ""};
}
template <class Enumeration>
requires std::is_enum_v<Enumeration> Written written(Enumeration value, bool) {
  std::string names;
  for (const std::string_view each : spellings<Enumeration>) names += (names.empty() ? "" : " ") + code(each);
  return {names, code(spellings<Enumeration>[static_cast<std::size_t>(value)])};
}

/// The cells of a row, or its rule.
std::string row(const Lines& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + (cell.empty() ? "|" : " |");
  return line;
}

template <class Struct>
std::string rangeOf(const Field<Struct>& field) {
  if (field.range == any_number) return "";
  return text(field.range) + (field.unit.empty() ? "" : " " + std::string(field.unit));
}

template <class Struct>
void addTable(Lines& lines) {
  const auto all = fields<Struct>();
  const bool ranges = std::ranges::any_of(all, [](const auto& field) { return field.range != any_number; });
  const auto add = [&](Lines cells) {
    if (!ranges) cells.erase(cells.begin() + 3);
    lines.push_back(row(cells));
  };
  add({"key", "type", "default", "range", ""});
  add({"---", "---", "---", "---", "---"});
  const Struct usual{};
  for (const Field<Struct>& field : all) {
    Written cell{"", "none"};
    field.visitMember([&](auto member) { cell = written(usual.*member, field.isName()); });
    if (field.required()) cell.initial = "must be given";
    add({code(field.key), cell.type, cell.initial, rangeOf(field), std::string(field.help)});
  }
}

void addTiming(Lines& lines) {
  lines.push_back(row({"key", "`hbm2`", "`hbm3`", "range", ""}));
  lines.push_back(row({"---", "---", "---", "---", "---"}));
  const auto number = [](const Field<Dram>& field, HbmModel model) {
    return std::to_string(Dram::preset(model).*field.as<std::uint64_t>());
  };
  for (const Field<Dram>& field : fields<Dram>()) {
    lines.push_back(row({code(field.key), number(field, HbmModel::Hbm2), number(field, HbmModel::Hbm3),
                         rangeOf(field), std::string(field.help)}));
  }
  lines.push_back(row({"`mapping`", "`RoBaCoBgCh`", "`RoBaCoBgCh`", "",
                       "parts of an address, most significant first; the unit is a burst"}));
}

/// Heading -> the lines of the tables below it.
std::map<std::string, Lines> tablesOfReadme() {
  std::ifstream readme(SLUICE_SOURCE_DIR "/engine/program/README.md");
  std::map<std::string, Lines> tables;
  std::string heading;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("#")) heading = line;
    if (line.starts_with("|")) tables[heading].push_back(line);
  }
  return tables;
}

TEST(Schema, TheTablesOfTheReadmeAreThoseOfTheFields) {
  std::map<std::string, Lines> expected;
  addTable<Knob>(expected["### Knob"]);
  addTable<Node>(expected["### Node"]);
  addTable<Region>(expected["### Node"]);
  addTable<Stream>(expected["### Stream"]);
  addTable<ScheduleStep>(expected["### Step of the schedule"]);
  addTable<Machine>(expected["### Machine"]);
  addTiming(expected["### Machine"]);
  addTable<Input>(expected["### Input"]);
  addTable<Figure>(expected["### Figure"]);
  addTable<FigurePanel>(expected["### Figure"]);
  addTable<Provenance>(expected["### Provenance"]);
  std::map<std::string, Lines> found = tablesOfReadme();
  for (const auto& [heading, lines] : expected) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    EXPECT_EQ(found[heading], lines) << heading << "\n" << all;
  }
}

}  // namespace sluice::schema_test
