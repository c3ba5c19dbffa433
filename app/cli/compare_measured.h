#pragma once
// `compare FILE --measured M`: the model beside runs that were measured.

#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "engine/measurements/registry.h"

namespace sluice::cli {

struct MeasuredOptions {
  std::vector<std::string> files;
  std::string out;        ///< a CSV file
  std::string charts;     ///< a folder
  std::string confirmed;  ///< a .sluice file: the program, where register-transfer simulation confirms it
  std::string published;  ///< the paper that prints what was measured; empty: it was measured
  double clock_mhz = 0;
  std::string cycles_column = "cycles";
};

/// --measured, --measured-clock and --cycles-column.
std::vector<Option> measuredOptions(MeasuredOptions& options, bool required);
/// Warnings of knobs that the command line sets and runs of the measurement have another value of, which is
/// what counts.
Diagnostics setInVain(const FileOptions& file, const KnobValues& knobs, const std::vector<MeasuredRun>& runs);
/// Of several files, one after the other.
Result<Measurement> readMeasured(const MeasuredOptions& options, const std::stop_token& stop);

/// `all`: every row of the text; `top`: rows of each list, 0: 20 as text, all in JSON.
int compareMeasured(const FileOptions& file, const MeasuredOptions& options, bool all, std::size_t top,
                    const std::stop_token& stop);

}  // namespace sluice::cli
