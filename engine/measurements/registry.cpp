#include "engine/measurements/registry.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include "engine/core/cancelled.h"

#define SLUICE_MEASUREMENTS(X) \
  X(valueChanges)              \
  X(traceEvents)               \
  X(vitisProfile)              \
  X(kernelTable)               \
  X(runTable)

namespace sluice::inline measurements {

#define SLUICE_DECLARE(name) const MeasurementFormat& name();
SLUICE_MEASUREMENTS(SLUICE_DECLARE)
#undef SLUICE_DECLARE
namespace {

constexpr std::size_t beginning_bytes = 16384;
constexpr std::size_t most_parts = 1'000'000;  ///< of all files that a table names

Diagnostic refused(Code code, const std::filesystem::path& file, std::string cause, std::string fix) {
  return error(code, Location(Where::File, file.string()), std::move(cause), std::move(fix));
}

std::string formatTitles() {
  std::string all;
  for (const MeasurementFormat* format : measurementFormats())
    all += (all.empty() ? "" : ", ") + format->title;
  return all;
}

Result<Measurement> readOne(const std::filesystem::path& file, const ReadOptions& options) {
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed))
    return refused("file-is-folder", file, "this is a folder", "name the file in it");
  if (!std::filesystem::exists(file, failed))
    return refused("file-not-found", file, "there is no such file", "check the path");
  if (!std::filesystem::is_regular_file(file, failed))
    return refused("file-unreadable", file, "this is no regular file: it cannot be read twice",
                   "write what it gives into a file first");
  std::ifstream in(file, std::ios::binary);
  std::string beginning(beginning_bytes, '\0');
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (in.bad() || (!in.is_open()))
    return refused("file-unreadable", file, "it cannot be read", "check its permissions");
  if (beginning.empty()) return refused("empty-file", file, "the file is empty", "measure again");
  const MeasurementFormat* format = formatOf(beginning);
  if (!format)
    return refused("wrong-format", file, "no format of measurements begins like this",
                   "give " + formatTitles());
  if (const std::uintmax_t size = std::filesystem::file_size(file, failed); !failed && size > format->limit)
    return refused("file-too-large", file,
                   "it has " + std::to_string(size) + " bytes; " + format->title + " may have " +
                       std::to_string(format->limit),
                   "record a shorter run, or fewer signals");
  in.clear();
  in.seekg(0);
  SLUICE_TRY(Measurement measurement, format->read(in, file.string(), options));
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  measurement.format = format->name;
  return measurement;
}

}  // namespace

std::span<const MeasurementFormat* const> measurementFormats() {
#define SLUICE_LIST(name) &measurements::name(),
  static const std::array all{SLUICE_MEASUREMENTS(SLUICE_LIST)};
#undef SLUICE_LIST
  return all;
}

const MeasurementFormat* formatOf(std::string_view beginning) {
  for (const MeasurementFormat* format : measurementFormats())
    if (format->sniff(beginning)) return format;
  return nullptr;
}

Result<Measurement> readMeasurement(const std::filesystem::path& file, const ReadOptions& options) {
  SLUICE_TRY(Measurement measurement, readOne(file, options));
  std::size_t parts = 0;
  for (MeasuredRun& run : measurement.runs) {
    if (run.file.empty()) continue;
    if (parts > most_parts)
      return error("file-too-large", run.place,
                   "the files before it have more than a million operators and streams together",
                   "give fewer of them, or record less");
    SLUICE_TRY(Measurement other, readOne(file.parent_path() / run.file, options));
    if (other.runs.size() != 1)
      return error("wrong-format", run.place, "'" + run.file + "' is a table of runs itself",
                   "name a file that holds one run");
    MeasuredRun& found = other.runs.front();
    run.operators = std::move(found.operators);
    run.streams = std::move(found.streams);
    parts += run.operators.size() + run.streams.size();
    if (!run.cycles) run.cycles = found.cycles;
    run.of_model = found.of_model;
    if (run.cycles == found.cycles) {  // else the table says something else
      run.point = std::move(found.point);
      run.recording = std::move(found.recording);
    }
    std::ranges::move(other.notes, std::back_inserter(measurement.notes));
  }
  return measurement;
}

}  // namespace sluice::inline measurements
