// Profiles of AMD's Vitis: the summary of XRT (summary.csv, 2020.2 to 2024.1), and the kernel profile of
// hardware emulation (profile_kernels.csv, 2019.2 to 2024.1). Read are the tables of compute units: their
// time and clock ("Compute Unit Utilization"), their stalls in ms ("Compute Units: Stall Information") or in
// percent of their time ("Compute Units: Running Time and Stalls", and the same of functions).

#include <algorithm>

#include "engine/measurements/format.h"
#include "engine/measurements/tables.h"

namespace sluice::inline measurements {
namespace {

enum class Part : std::uint8_t { None, Utilization, Stalls, Shares };

Part partOf(const TableLine& line) {
  std::size_t filled = 0;
  for (const std::string& cell : line.cells) filled += cell.empty() ? 0 : 1;
  if (filled != 1) return Part::None;
  const std::string& caption = line.cells.front();
  if (caption.starts_with("Compute Unit Utilization")) return Part::Utilization;
  if (caption.starts_with("Compute Units: Stall Information")) return Part::Stalls;
  if (caption.find(": Running Time and Stalls") != std::string::npos) return Part::Shares;
  return Part::None;
}

/// Time of a compute unit in ms, and what of it it waited.
struct Unit {
  double time = 0, memory = 0, stream = 0;
  double clock_mhz = 0;
  bool stalls = false;
};

class ProfileReader {
 public:
  ProfileReader(const std::string& file, const ReadOptions& options) : file_(file), options_(options) {}

  Result<Measurement> read(const std::vector<TableLine>& lines) {
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      const Part part = partOf(lines[i]);
      if (part == Part::None) continue;
      const NamedColumns table(lines[i + 1], file_);
      for (i += 2; i < lines.size() && isRow(lines[i]); ++i) SLUICE_CHECK(take(part, table, lines[i]));
      --i;
    }
    if (units_.empty())
      return error("missing-data", Location(Where::File, file_), "no compute unit has a row",
                   "run with a profile of compute units, --profile.stall all and stall_trace = all");
    return finish();
  }

 private:
  static bool isRow(const TableLine& line) {
    return std::ranges::count_if(line.cells, [](const std::string& cell) { return !cell.empty(); }) > 1;
  }

  Result<Done> take(Part part, const NamedColumns& table, const TableLine& line) {
    const auto name = table.column({"compute_unit", "function", "kernel"});
    if (!name || *name >= line.cells.size() || line.cells[*name].empty()) return Done{};
    const auto ms = [&](std::initializer_list<std::string_view> names) {
      return table.number(line, table.column(names));
    };
    if (!units_.contains(line.cells[*name])) order_.push_back(line.cells[*name]);
    Unit& unit = units_[line.cells[*name]];
    if (part == Part::Utilization) {
      SLUICE_TRY(const std::optional<double> time, ms({"total_time_ms"}));
      SLUICE_TRY(const std::optional<double> clock, ms({"clock_frequency_mhz"}));
      unit.time = std::max(unit.time, time.value_or(0)), unit.clock_mhz = clock.value_or(0);
      return Done{};
    }
    SLUICE_TRY(const std::optional<double> time, ms({"running_time_ms", "running_time_us"}));
    const bool micro = table.column({"running_time_us"}).has_value();
    unit.time = time.value_or(0) / (micro ? 1000 : 1);
    const char* const of = part == Part::Shares ? "" : "_ms";
    const double scale = part == Part::Shares ? unit.time / 100 : 1;
    const auto stall = [&](const std::string& what) { return table.number(line, table.column({what + of})); };
    SLUICE_TRY(const std::optional<double> inside, stall("intra_kernel_dataflow_stalls"));
    SLUICE_TRY(const std::optional<double> memory, stall("external_memory_stalls"));
    SLUICE_TRY(const std::optional<double> streams, stall("external_stream_stalls"));
    SLUICE_TRY(const std::optional<double> pipes, stall("inter_kernel_pipe_stalls"));
    unit.stalls = inside || memory || streams || pipes;
    unit.memory = memory.value_or(0) * scale;
    unit.stream = (inside.value_or(0) + streams.value_or(0) + pipes.value_or(0)) * scale;
    return Done{};
  }

  Result<Measurement> finish() {
    double clock = options_.clock_mhz;
    for (const auto& [name, unit] : units_)
      if (clock == 0) clock = unit.clock_mhz;
    if (clock == 0)
      return error("missing-data", Location(Where::File, file_), "the frequency of the kernels is not in it",
                   "give it, for example --measured-clock 300");
    Measurement measurement;
    MeasuredRun& run = measurement.runs.emplace_back();
    run.place = Location(Where::File, file_);
    double longest = 0;
    for (const std::string& name : order_) {
      const Unit& unit = units_.at(name);
      const double cycles = (options_.clock_mhz > 0 || unit.clock_mhz == 0 ? clock : unit.clock_mhz) * 1000;
      MeasuredOperator& measured = run.operators.emplace_back();
      measured.names = {name};
      if (unit.stalls) {
        measured.cycles[Activity::Compute] = std::max(0.0, unit.time - unit.memory - unit.stream) * cycles;
        measured.cycles[Activity::Memory] = unit.memory * cycles;
        measured.cycles[Activity::Stream] = unit.stream * cycles;
      } else {
        measured.total = unit.time * cycles;
      }
      longest = std::max(longest, unit.time * cycles);
    }
    run.cycles = longest;
    measurement.notes.push_back(note("settings-assumed", run.place,
                                     "the run is taken to be as long as the longest compute unit",
                                     "give the cycles of the run in a table if that is wrong"));
    return measurement;
  }

  const std::string& file_;
  const ReadOptions& options_;
  std::map<std::string, Unit> units_;
  std::vector<std::string> order_;
};

bool isProfile(std::string_view beginning) {
  for (const std::string_view caption : {"Compute Unit Utilization", "Compute Units: Stall Information",
                                         ": Running Time and Stalls", "Profile Summary"})
    if (beginning.find(caption) != std::string_view::npos) return true;
  return false;
}

Result<Measurement> readVitisProfile(std::istream& in, const std::string& file, const ReadOptions& options) {
  SLUICE_TRY(const std::vector<TableLine> lines, readLines(in, file));
  return ProfileReader(file, options).read(lines);
}

}  // namespace

const MeasurementFormat& vitisProfile() {
  static const MeasurementFormat format{.name = "Vitis profile",
                                        .title = "a profile summary of Vitis in CSV",
                                        .suffixes = {"csv"},
                                        .limit = most_table_bytes,
                                        .sniff = isProfile,
                                        .content = "a table of compute units by its caption",
                                        .read = readVitisProfile};
  return format;
}

}  // namespace sluice::inline measurements
