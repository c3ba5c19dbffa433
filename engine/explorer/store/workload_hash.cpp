#include "engine/explorer/store/workload_hash.h"

#include "engine/core/content_hash.h"
#include "engine/energy/technology.h"
#include "engine/program/appearance.h"
#include "engine/program/file_format.h"
#include "engine/program/input_hash.h"

namespace sluice::inline explorer {
namespace {

/// What an evaluation at given knob values reads of the document.
Document essence(const Document& document) {
  Document core = document;
  dropAppearance(core);
  core.machine.technology.clear();  // what is in it is hashed itself
  for (Knob& knob : core.knobs) {
    Knob bare;
    bare.name = knob.name;
    bare.choices = knob.choices;  // their order is what a Choice's values mean
    knob = std::move(bare);
  }
  for (Input& input : core.inputs)
    input.file.clear(), input.data.reset();  // their values are hashed themselves
  return core;
}

}  // namespace

std::string workloadHash(const Workload& workload) {
  ContentHash hasher;
  hasher.add(writeDocument(essence(workload.document)));
  addInputs(hasher, workload.inputs);
  if (workload.technology) hasher.add(workload.technology->text);
  return hasher.hex();
}

}  // namespace sluice::inline explorer
