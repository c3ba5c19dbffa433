// Technology files: every entry is checked, and says where its numbers are from.

#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"
#include "engine/core/embedded_files.h"
#include "engine/energy/node_scaling.h"
#include "engine/energy/technology.h"
#include "engine/program/json_reader.h"
#include "engine/program/spelling.h"

namespace sluice::inline energy {
namespace {

constexpr std::size_t most_extended = 8;  // files in a row

struct Unit {
  const char* name;
  double factor;  ///< joules, mm2, watts a mm2
};
constexpr Unit energy_units[] = {{"fJ", 1e-15}, {"pJ", 1e-12}, {"nJ", 1e-9}, {"uJ", 1e-6}, {"J", 1}};
constexpr Unit area_units[] = {{"um2", 1e-6}, {"mm2", 1}};
constexpr Unit power_units[] = {{"mW/mm2", 1e-3}, {"W/mm2", 1}};
constexpr Unit static_units[] = {{"mW", 1e-3}, {"W", 1}};

bool computes(Action action) {
  return action == Action::Add || action == Action::Multiply;
}

bool isOffChip(Action action) {
  return action == Action::OffChipRead || action == Action::OffChipWrite;
}

/// All the time, whatever is done.
bool isPower(Action action) {
  return action == Action::Leakage || action == Action::StaticPower;
}

/// Whose energy is that of so many bytes.
bool movesBytes(Action action) {
  return !computes(action) && !isPower(action) && action != Action::RowActivation &&
         action != Action::Reconfiguration;
}

void readNumber(JsonDecoder& reading, const JsonCursor& spot, double most, double& target) {
  double number = 0;
  read(reading, spot, number);
  if (!(number > 0 && number <= most))
    return reading.refuse("out-of-range", spot, "it must be above 0", "give a positive number");
  target = number;
}

class FileReader {
 public:
  FileReader(JsonDecoder& reading, std::string file, double node)
      : reading_(reading), file_(std::move(file)) {
    sizes_.node = node;
  }

  void entry(const JsonCursor& spot, std::vector<Price>& prices) {
    const ObjectReader object(reading_, spot, "an entry",
                              {"action", "scalar", "energy", "column_energy", "power", "unit", "per_bytes",
                               "area", "area_unit", "source", "area_source", "uncertainty"});
    if (!object) return;
    Price price;
    price.file = file_;
    const auto action = object.require("action");
    if (!action || !readAction(*action, price.action)) return;
    readScalar(object, spot, price);
    readEnergy(object, price);
    readArea(object, spot, price);
    said(object, "source", price.source);
    said(object, "uncertainty", price.uncertainty);
    if (const auto origin = object.find("area_source")) {
      if (!price.area)
        reading_.refuse("unknown-field", *origin, "the entry has no area", "give an area, or leave it out");
      said(object, "area_source", price.area_source);
    }
    const auto same = [&](const Price& other) {
      return other.action == price.action && other.scalar == price.scalar;
    };
    if (std::ranges::any_of(prices, same))
      return reading_.refuse("duplicate-name", spot, "there are two entries for " + nameOf(price),
                             "leave one out");
    prices.push_back(std::move(price));
  }

 private:
  bool readAction(const JsonCursor& spot, Action& action) {
    std::string name;
    read(reading_, spot, name);
    const std::optional<Action> found = actionNamed(name);
    if (!found) {
      reading_.refuse("unknown-name", spot, "there is no action '" + name + "'",
                      spellingFix(name, actionNames(), "name an action"));
      return false;
    }
    action = *found;
    return true;
  }

  void readScalar(const ObjectReader& object, const JsonCursor& entry, Price& price) {
    const auto spot = object.find("scalar");
    if (spot && !computes(price.action))
      return reading_.refuse("unknown-field", *spot, "only add and multiply are of a scalar type",
                             "leave it out");
    if (!computes(price.action)) return;
    if (!spot)
      return reading_.refuse("missing-field", entry, "it does not say of which scalar type it is",
                             "write \"scalar\": \"f32\"");
    std::string name;
    read(reading_, *spot, name);
    price.scalar = scalarNamed(name);
    if (!price.scalar)
      reading_.refuse("unknown-name", *spot, "there is no scalar type '" + name + "'",
                      "use one as f32, f16, bf16, i8 or si32");
  }

  void readEnergy(const ObjectReader& object, Price& price) {
    const bool power = isPower(price.action);
    if (const auto wrong = object.find(power ? "energy" : "power"))
      return reading_.refuse("unknown-field", *wrong,
                             std::string(text(price.action)) + (power ? " is a power" : " is no power"),
                             power ? "write \"power\"" : "write \"energy\"");
    const auto spot = object.require(power ? "power" : "energy");
    const auto unit = object.require("unit");
    if (!spot || !unit) return;
    const std::optional<double> factor = price.action == Action::Leakage ? factorOf(*unit, power_units)
                                         : price.action == Action::StaticPower
                                             ? factorOf(*unit, static_units)
                                             : factorOf(*unit, energy_units);
    if (factor) price.energy = amount(*spot, *factor);
    if (const auto column = object.find("column_energy")) {
      if (!isOffChip(price.action))
        return reading_.refuse("unknown-field", *column, "only off-chip memory has rows and columns",
                               "leave it out");
      if (factor) price.column_energy = amount(*column, *factor);
    }
    const auto per_bytes = object.find("per_bytes");
    if (!per_bytes) return;
    if (!movesBytes(price.action))
      return reading_.refuse("unknown-field", *per_bytes, "only what moves bytes is for so many of them",
                             "leave it out");
    readNumber(reading_, *per_bytes, 1 << 20, price.per_bytes);
  }

  void readArea(const ObjectReader& object, const JsonCursor& entry, Price& price) {
    const auto spot = object.find("area");
    const auto unit = object.find("area_unit");
    if (!spot && !unit) return;
    if (!spot || !unit)
      return reading_.refuse("missing-field", entry, "an area has a number and a unit",
                             "give both \"area\" and \"area_unit\", or neither");
    if (!computes(price.action) && price.action != Action::SramRead)
      return reading_.refuse("unknown-field", *spot, "areas are those of units and of memories",
                             "give it with add, multiply or sram_read");
    if (const std::optional<double> factor = factorOf(*unit, area_units)) price.area = amount(*spot, *factor);
  }

  template <std::size_t count>
  std::optional<double> factorOf(const JsonCursor& spot, const Unit (&units)[count]) {
    std::string name;
    read(reading_, spot, name);
    std::string known;
    for (const Unit& unit : units) {
      if (name == unit.name) return unit.factor;
      known += (known.empty() ? "" : ", ") + std::string(unit.name);
    }
    reading_.refuse("unknown-name", spot, "'" + name + "' is no unit of it", "use one of " + known);
    return std::nullopt;
  }

  std::optional<Amount> amount(const JsonCursor& spot, double unit) {
    if (spot.json().list()) return table(spot, unit);
    if (std::holds_alternative<std::string>(spot.json().value)) return expression(spot, unit);
    double number = -1;
    read(reading_, spot, number);
    if (!fits(number)) {
      refuseAmount(spot, "it");
      return std::nullopt;
    }
    return Amount(number, unit);
  }

  std::optional<Amount> table(const JsonCursor& spot, double unit) {
    Amount::Points points;
    bool whole = true;
    forEach(reading_, spot, "pairs of bytes and an amount", [&](const JsonCursor& pair) {
      const Json::List* const two = pair.json().list();
      if (!two || two->size() != 2) {
        whole = false;
        return reading_.mismatch(pair, "a pair", "write [bytes, amount]");
      }
      double bytes = 0, value = -1;
      read(reading_, pair.element(0), bytes);
      read(reading_, pair.element(1), value);
      const bool rising = points.empty() || bytes > points.back().first;
      if (!(bytes > 0) || !std::isfinite(bytes) || !(value > 0) || !fits(value) || !rising) {
        whole = false;
        return reading_.refuse("out-of-range", pair, "the numbers of a table are above 0, its bytes rise",
                               "write for example [[8192, 10], [32768, 20]]");
      }
      points.emplace_back(bytes, value);
    });
    if (whole && points.empty()) {
      reading_.refuse("missing-value", spot, "the table has no points", "give at least one [bytes, amount]");
      return std::nullopt;
    }
    return whole ? std::optional(Amount(std::move(points), unit)) : std::nullopt;
  }

  std::optional<Amount> expression(const JsonCursor& spot, double unit) {
    std::string written;
    read(reading_, spot, written);
    const std::vector<std::string> names = {"bytes", "width", "ports", "node"};
    const Result<Expr> parsed = parseExpr(written);
    if (!parsed) {
      const Diagnostic& why = parsed.diagnostics().front();
      reading_.refuse("expression-syntax", spot, why.cause, why.fix);
      return std::nullopt;
    }
    for (const std::string& symbol : parsed->symbols()) {
      if (std::ranges::find(names, symbol) != names.end()) continue;
      reading_.refuse("unknown-name", spot, "there is no '" + symbol + "' to depend on",
                      spellingFix(symbol, names, "use bytes, width, ports and node"));
      return std::nullopt;
    }
    const Expr one[] = {*parsed};
    Result<CompiledExprs> compiled = CompiledExprs::compile(one, names);
    if (!compiled) {
      reading_.refuse("expression-syntax", spot, "it cannot be evaluated", "write a simpler one");
      return std::nullopt;
    }
    Amount made(*std::move(compiled), unit);
    for (const double bytes : {1.0, 1024.0, 1048576.0, 1073741824.0}) {
      for (const double width : {1.0, 8.0, 8192.0}) {
        if (fits(made.at({bytes, width, sizes_.ports, sizes_.node}) / unit)) continue;
        refuseAmount(spot, "for " + std::to_string(static_cast<long>(bytes)) + " bytes and a width of " +
                               std::to_string(static_cast<long>(width)) + " it");
        return std::nullopt;
      }
    }
    return made;
  }

  static bool fits(double number) { return number >= 0 && number <= 1e15; }

  void refuseAmount(const JsonCursor& spot, const std::string& what) {
    reading_.refuse("out-of-range", spot, what + " is negative or no finite number below 10^15",
                    "give 0 or a positive number");
  }

  void said(const ObjectReader& object, std::string_view key, std::string& target) {
    const auto spot = object.require(key);
    if (!spot) return;
    read(reading_, *spot, target);
    if (target.find_first_not_of(" \t\n") != std::string::npos) return;
    reading_.refuse("missing-value", *spot, "it says nothing",
                    key.ends_with("source") ? "name the paper and its table, or the measurement"
                                            : "say how far it may be off");
  }

  JsonDecoder& reading_;
  std::string file_;
  AccessSizes sizes_;
};

/// From the process of what a file extends to its own.
struct Scaling {
  double from_volts = 0, volts = 0;
};

/// The file alone, with the name of what it extends.
struct Part {
  Technology technology;
  std::string extends;
  std::optional<Scaling> scaling;
};

void readScaling(JsonDecoder& reading, const JsonCursor& spot, Part& part) {
  const ObjectReader object(reading, spot, "a scaling", {"from_volts", "volts"});
  if (!object) return;
  if (part.extends.empty())
    return reading.refuse("missing-field", spot, "there is nothing to scale",
                          "name the technology whose entries are scaled: \"extends\": \"45nm\"");
  Scaling& scaling = part.scaling.emplace();
  if (const auto volts = object.require("from_volts")) readNumber(reading, *volts, 2, scaling.from_volts);
  if (const auto volts = object.require("volts")) readNumber(reading, *volts, 2, scaling.volts);
}

/// What is on the chip becomes smaller and cheaper (node_scaling.h); off-chip memory stays.
Diagnostics scale(Technology& base, const Part& part, const std::string& file) {
  const double from = base.node_nm, to = part.technology.node_nm;
  const std::optional<double> energy =
      energyFactor({from, part.scaling->from_volts}, {to, part.scaling->volts});
  const std::optional<double> logic = areaFactor(from, to), memory = memoryAreaFactor(from, to);
  if (!energy || !logic || !memory)
    return {error("out-of-range", Location(Where::File, file) / Location(Where::JsonPath, "$.scale"),
                  "there is no published scaling from " + csvNumber(from) + " nm at " +
                      csvNumber(part.scaling->from_volts) + " V to " + csvNumber(to) + " nm at " +
                      csvNumber(part.scaling->volts) + " V",
                  "use processes of 65, 45, 32, 20, 16, 14, 10 or 7 nm and 0.5 to 1.3 V")};
  for (Price& price : base.prices) {
    if (isOffChip(price.action) || price.action == Action::RowActivation ||
        price.action == Action::DieCrossing || isPower(price.action))
      continue;
    if (price.energy) price.energy->scale(*energy);
    if (price.area) {
      const bool holds = price.action == Action::SramRead;
      price.area->scale(holds ? *memory : *logic);
      if (price.area_source.empty()) price.area_source = price.source;
      price.area_source += "; " + csvNumber(from) + " to " + csvNumber(to) + " nm: times " +
                           factorText(holds ? *memory : *logic) +
                           (holds ? ", as published SRAM cells" : ", the table of areas of logic");
    }
    price.source += "; scaled from " + csvNumber(from) + " to " + csvNumber(to) +
                    " nm by A. Stillmaker and B. Baas, Integration 58, 2017";
  }
  base.node_nm = to;
  return {};
}

void readPart(JsonDecoder& reading, const JsonCursor& root, Part& part) {
  const ObjectReader object(reading, root, "a technology",
                            {"name", "title", "note", "node_nm", "clock_mhz", "extends", "scale", "entries"});
  if (!object) return;
  Technology& technology = part.technology;
  if (const auto name = object.require("name")) read(reading, *name, technology.name);
  object.optional("title", technology.title);
  object.optional("note", technology.note);
  object.optional("extends", part.extends);
  if (const auto node = object.find("node_nm")) readNumber(reading, *node, 1e4, technology.node_nm);
  if (const auto clock = object.find("clock_mhz")) readNumber(reading, *clock, 1e5, technology.clock_mhz);
  if (const auto scaling = object.find("scale")) readScaling(reading, *scaling, part);
  FileReader entries(reading, technology.name, technology.node_nm);
  if (const auto list = object.require("entries"))
    forEach(reading, *list, "entries", [&](const JsonCursor& one) { entries.entry(one, technology.prices); });
  const auto needs = [&](const char* key, bool there) {
    if (!there && part.extends.empty())
      reading.refuse("missing-field", root, "there is no '" + std::string(key) + "'",
                     "give it, or name the technology that has it: \"extends\": \"7nm\"");
  };
  needs("node_nm", technology.node_nm > 0);
  if (part.scaling && technology.node_nm <= 0)
    reading.refuse("missing-field", root, "there is no 'node_nm' to scale to", "give that of the process");
  needs("clock_mhz", technology.clock_mhz > 0);
}

/// Another energy of an adder or a memory makes it no larger and no smaller.
void inheritArea(Price& price, const Price& replaced) {
  if (price.area || !replaced.area) return;
  price.area = replaced.area;
  price.area_source = replaced.area_source.empty() ? replaced.source : replaced.area_source;
}

/// `base` with what `over` says.
Technology joined(Technology base, Technology over) {
  for (Price& price : over.prices) {
    const auto replaced = std::ranges::find_if(base.prices, [&](const Price& other) {
      return other.action == price.action && other.scalar == price.scalar;
    });
    if (replaced == base.prices.end()) continue;
    base.overridden.push_back(nameOf(*replaced) + ", " + replaced->file);
    inheritArea(price, *replaced);
    base.prices.erase(replaced);
  }
  if (over.node_nm <= 0) over.node_nm = base.node_nm;
  if (over.clock_mhz <= 0) over.clock_mhz = base.clock_mhz;
  std::ranges::move(base.prices, std::back_inserter(over.prices));
  over.overridden = std::move(base.overridden);
  over.text += base.text;
  return over;
}

Diagnostics missing(const Technology& technology, const std::string& file) {
  Diagnostics wrong;
  for (const Action action : {Action::Add, Action::Multiply, Action::SramRead, Action::SramWrite,
                              Action::OffChipRead, Action::OffChipWrite}) {
    if (technology.find(action)) continue;
    wrong.push_back(error("missing-field",
                          Location(Where::File, file) / Location(Where::JsonPath, "$.entries"),
                          std::string("there is no entry for the action '") + text(action) + "'",
                          "give one, or name the technology that has it: \"extends\": \"7nm\""));
  }
  return wrong;
}

/// The energy of an access has rows in it: beside a price of rows these would be paid twice.
Diagnostics rowsPaidTwice(const Technology& technology, const std::string& file) {
  Diagnostics wrong;
  const Price* const row = technology.find(Action::RowActivation);
  if (!row) return wrong;
  for (const Action action : {Action::OffChipRead, Action::OffChipWrite}) {
    const Price& access = *technology.find(action);
    if (access.column_energy) continue;
    const Price& own = access.file == technology.name ? access : *row;
    std::string path = "$.entries";
    if (own.file == technology.name)  // the file's own entries come first
      path += "[" + std::to_string(&own - technology.prices.data()) + "]";
    wrong.push_back(
        error("missing-field", Location(Where::File, file) / Location(Where::JsonPath, path),
              nameOf(access) + " of '" + access.file + "' has no 'column_energy', and row_activation of '" +
                  row->file +
                  "' is a price of rows by themselves: its 'energy' has rows in it, which would count twice",
              "give the 'column_energy' of an access to an open row; where it is not known, the number of "
              "'energy' again, with a row_activation of 0"));
  }
  return wrong;
}

/// A name of our own wins over a file beside the document.
bool isFile(const std::string& name, const std::filesystem::path& folder) {
  std::error_code ignored;
  return name.ends_with(".json") || name.find('/') != std::string::npos ||
         std::filesystem::is_regular_file(folder / name, ignored);
}

Result<Technology> readChain(std::string_view json, const std::string& name,
                             const std::filesystem::path& folder, std::size_t depth);

Result<Technology> named(const std::string& name, const std::filesystem::path& folder, std::size_t depth) {
  for (const EmbeddedFile& file : technologyFiles())
    if (file.name == name) return readChain(file.text, name, {}, depth);
  if (isFile(name, folder)) {
    const std::filesystem::path file = folder / name;
    return loadWhole(
        file,
        [&](std::string_view text, const std::string& place) {
          return readChain(text, place, file.parent_path(), depth);
        },
        std::uintmax_t{1} << 20);
  }
  return error("unknown-name", Location(Where::Text, "technology '" + name + "'"),
               "there is no technology and no file of that name",
               spellingFix(name, builtinTechnologies(), "give a technology file"));
}

Result<Technology> readChain(std::string_view json, const std::string& name,
                             const std::filesystem::path& folder, std::size_t depth) {
  SLUICE_TRY(Part part, parseWhole<Part>(json, name, readPart));
  part.technology.text = json;
  if (part.extends.empty()) return std::move(part.technology);
  if (depth == most_extended)
    return error("recursive-definition", Location(Where::File, name),
                 "more than " + std::to_string(most_extended) + " files extend each other",
                 "let no file extend itself, by way of others neither");
  SLUICE_TRY(Technology base, named(part.extends, folder, depth + 1));
  if (part.scaling) {
    if (Diagnostics wrong = scale(base, part, name); !wrong.empty()) return wrong;
  }
  return joined(std::move(base), std::move(part.technology));
}

Result<Technology> complete(Result<Technology> technology, const std::string& file) {
  if (!technology) return technology;
  if (Diagnostics wrong = missing(*technology, file); !wrong.empty()) return wrong;
  if (Diagnostics wrong = rowsPaidTwice(*technology, file); !wrong.empty()) return wrong;
  if (technology->title.empty()) technology->title = technology->name;
  return technology;
}

}  // namespace

std::vector<std::string> builtinTechnologies() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : technologyFiles()) names.emplace_back(file.name);
  return names;
}

Result<Technology> technologyNamed(const std::string& name_or_file, const std::filesystem::path& folder) {
  return complete(named(name_or_file, folder, 0), name_or_file);
}

Result<Technology> parseTechnology(std::string_view json, const std::string& name,
                                   const std::filesystem::path& folder) {
  return complete(readChain(json, name, folder, 0), name);
}

}  // namespace sluice::inline energy
