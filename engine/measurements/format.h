#pragma once
// A format of measurements, described in the file of its name; what lists, recognises or reads formats asks
// these descriptions (registry.h).

#include <filesystem>
#include <istream>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/measurements/measurement.h"

namespace sluice::inline measurements {

struct ReadOptions {
  /// Turns times of the file into cycles; 0: as the file says - by its clock signal, its frequency, or a
  /// cycle for each of its units of time.
  double clock_mhz = 0;
  std::string cycles_column = "cycles";  ///< of a table of runs
  std::stop_token stop = {};
  bool over_time = false;  ///< keep when everything happened, not only for how long
};

struct MeasurementFormat {
  std::string name;                   ///< "VCD"
  std::string title;                  ///< "a value change dump"
  std::vector<std::string> suffixes;  ///< in lower case, without the dot
  std::uintmax_t limit = 0;           ///< bytes; a larger file is refused
  /// Whether a file that begins like this is of this format.
  bool (*sniff)(std::string_view beginning) = nullptr;
  std::string content;  ///< what sniff() looks for, in words
  /// Memory is bounded by what the file names, not by how long it is. Errors say line or row.
  Result<Measurement> (*read)(std::istream& in, const std::string& file,
                              const ReadOptions& options) = nullptr;
};

}  // namespace sluice::inline measurements
