#pragma once
// Loop nests as a JSON file; the README of this module describes it.

#include <filesystem>
#include <string_view>

#include "engine/tensor/loop_nests/loop_nest.h"

namespace sluice::inline tensor {

/// A program that passes its check, or what is wrong: line and JSON path. `name` says where the text is from.
Result<LoopProgram> parseLoopProgram(std::string_view json, const std::string& name);
Result<LoopProgram> loadLoopProgram(const std::filesystem::path& file);

}  // namespace sluice::inline tensor
