#pragma once
// What the HLS project of a program needs beside the project itself (tensor/hls): that the program is one
// tensor program, and its place on a card.

#include <stop_token>

#include "engine/core/float_tensor.h"
#include "engine/core/project_folder.h"
#include "engine/emitters/project_origin.h"
#include "engine/program/document.h"
#include "engine/schedule/compiled_program.h"

namespace sluice::inline emitters {

/// Whether the document is one tensor program and nothing else: what is beside it would be missing.
Result<Done> checkOneTensorProgram(const Document& document, const Location& place);

/// How the project is written.
struct HlsForm {
  std::string platform = {};  ///< as in EmitRequest
  TensorSet tensors = {};     ///< of the test bench, by name; others are filled from their names
  bool data = true;
  std::string vendor_headers = {};  ///< as in HlsOptions
  bool narrow = false;              ///< the numbers of the program's scalars instead of float32
};
/// The project of a compilation, which is placed on the platform first, if there is one. What the form says
/// is added to the choices of its origin. Errors: those of placement, with the knob values that fit, and of
/// hlsProject(); it was cancelled.
Result<std::vector<ProjectFile>> hlsFilesOf(TensorCompilation compilation, HlsForm form, ProjectOrigin origin,
                                            const std::stop_token& stop = {});

}  // namespace sluice::inline emitters
