#pragma once
// The functions of a design's tasks: kernels, forks and joins, DMA transfers, layout converters.

#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/hls_plan.h"

namespace sluice::inline tensor {

/// A compute task, fork or join: one function.
void writeKernel(CodeWriter& code, const HlsPlan& plan, std::size_t task);
/// A load (fetch, send) or store (take, write): two functions with a ping-pong buffer of a tile between them.
void writeTransfer(CodeWriter& code, const HlsPlan& plan, std::size_t task);
/// A converter (fill, drain): two functions with its ping-pong buffer between them.
void writeConverter(CodeWriter& code, const HlsPlan& plan, std::size_t task);
/// Of the function `address` of a tensor: where an element lies in external memory.
void writeAddress(CodeWriter& code, const HlsPlan& plan, std::size_t tensor);

/// "static void NAME(A, B) {", with a line for each parameter where there are several.
void openFunction(CodeWriter& code, const std::string& head, const std::vector<std::string>& parameters);
/// The type of the halves of a transfer's or converter's buffer: "x_halves_t".
std::string halfType(const HlsTask& task);

}  // namespace sluice::inline tensor
