#pragma once
// Traces as JSON: what InputsEditor's "Choose File" takes beside NumPy's formats.

#include <QByteArray>
#include <string>

#include "engine/core/int_tensor.h"
#include "engine/core/result.h"

namespace sluice::ui {

/// Lists of integers, nested as deep as the array has dimensions: [[0, 3], [1, 2]]. `name`: what diagnostics
/// call it.
Result<IntTensor> parseJsonTrace(const QByteArray& bytes, const std::string& name);

}  // namespace sluice::ui
