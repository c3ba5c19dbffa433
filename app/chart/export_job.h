#pragma once
// What `sluice-cli export` asks sluice-chart for: one view of a program, or a figure that
// its file describes, as one file.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/program/document.h"

namespace sluice {

struct ExportJob {
  std::string file, chart, format, out;
  std::string figure;   ///< of the program's own, instead of a chart; empty: none
  std::string designs;  ///< the result store with those that its panels show; empty: none
  std::map<std::string, std::filesystem::path> inputs;  ///< replaced, by name
  KnobValues knobs;
  int width = 240, text = 8;  ///< points
  std::string x = defaultObjectives()[0], y = defaultObjectives()[1], stream, by = "operator",
              metric = "cycles";
  std::string technology;      ///< of the machine, instead of its own; empty: none
  std::int64_t clock_mhz = 0;  ///< likewise; 0: its own
  bool log_x = false, log_y = false;
  bool scheduled = false;  ///< graphs are those after the schedule
};

/// Whether the JSON is such a job and not one of `sluice-cli reproduce`.
bool isExportJob(std::string_view json);
Result<ExportJob> readExportJob(std::string_view json);
/// Evaluates what the view shows and writes it. Errors: what the engine refuses; a file that cannot be
/// written. `warnings`: what is wrong with the picture.
Result<Done> runExportJob(const ExportJob& job, Diagnostics& warnings);

}  // namespace sluice
