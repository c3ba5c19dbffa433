#pragma once
// The formats of measurements, one file each, in the order in which they are asked.

#include <filesystem>
#include <span>

#include "engine/measurements/format.h"

namespace sluice::inline measurements {

std::span<const MeasurementFormat* const> measurementFormats();
/// The first one that knows the file by how it begins; null: none does.
const MeasurementFormat* formatOf(std::string_view beginning);

/// Reads a file, and those that the rows of a table name, whose paths are taken from the table's folder.
/// Errors: of the file system, an unknown format, what the format refuses; a stop request.
Result<Measurement> readMeasurement(const std::filesystem::path& file, const ReadOptions& options = {});

}  // namespace sluice::inline measurements
