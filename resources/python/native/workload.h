#pragma once
// A program whose inputs are loaded, as functions of the module hand it to each other.

#include <memory>
#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "native/conversions.h"

namespace sluice::python {

struct Opened {
  std::shared_ptr<const Workload> workload;
};

/// A list of texts.
inline std::vector<std::string> textsFrom(const py::handle& list) {
  std::vector<std::string> texts;
  for (const py::handle each : list) texts.push_back(each.cast<std::string>());
  return texts;
}

}  // namespace sluice::python
