#pragma once
// Reads NumPy arrays of integers: .npy (format 1 to 3, C and Fortran order, either byte order) and .npz
// (stored or deflated). The bytes may be anything; what is no such array gets a diagnostic that says so.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/int_tensor.h"
#include "engine/core/result.h"

namespace sluice {

/// `name` is what diagnostics call the bytes.
Result<IntTensor> parseNpy(std::string_view bytes, const std::string& name);
/// The array `key`; without a key the only array, or the one called "data".
Result<IntTensor> parseNpz(std::string_view bytes, const std::string& name, const std::string& key = {});
/// .npy or .npz, told apart by the content.
Result<IntTensor> loadNumpy(const std::filesystem::path& file, const std::string& key = {});

}  // namespace sluice
