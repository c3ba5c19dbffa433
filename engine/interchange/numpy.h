#pragma once
// Reads NumPy arrays of integers, and for functional mode of floats: .npy (format 1 to 3, C and Fortran
// order, either byte order) and .npz (stored or deflated). The bytes may be anything; what is no such array
// gets a diagnostic that says so.

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "engine/core/int_tensor.h"
#include "engine/core/result.h"
#include "engine/core/tensor_sink.h"

namespace sluice::inline interchange {

/// `place` is where diagnostics say that the bytes are.
Result<IntTensor> parseNpy(std::string_view bytes, const Location& place);
/// The array `key`; without a key the only array, or the one called "data".
Result<IntTensor> parseNpz(std::string_view bytes, const Location& place, const std::string& key = {});
/// .npy or .npz, told apart by the content.
Result<IntTensor> loadNumpy(const std::filesystem::path& file, const std::string& key = {});

/// What an array of floats may hold that is no whole number of 63 bits: NaN, infinity, a fraction.
inline constexpr std::int64_t no_whole_number = std::numeric_limits<std::int64_t>::min();
/// As loadNumpy(), but also of floats, where values may be `no_whole_number`.
Result<IntTensor> loadWholeNumbers(const std::filesystem::path& file, const std::string& key = {});

/// An array of floats (or integers, converted).
Result<FloatTensor> parseFloatNpy(std::string_view bytes, const Location& place);
/// Every array of an .npz by its name, or the one of an .npy by the file's name: up to 1 GiB each, and
/// together 1 GiB or four times the file.
Result<TensorSet> loadTensors(const std::filesystem::path& file);
/// The bytes of an .npy file of 32-bit floats, and of 64-bit integers.
std::string floatNpy(const FloatTensor& tensor);
std::string integerNpy(const IntTensor& tensor);
/// Writes them as an .npz, whole or not at all: as numpy.savez does, each under its name.
Result<Done> saveTensors(const std::filesystem::path& file, const TensorSet& tensors);
/// The same of more than fit in memory: `produce` gives one after the other, and returns at the first that is
/// refused, or with a diagnostic of its own.
Result<Done> saveTensors(const std::filesystem::path& file,
                         const std::function<Result<Done>(const TensorSink&)>& produce);

}  // namespace sluice::inline interchange
