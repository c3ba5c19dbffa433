#include "engine/operators/registry.h"

#include <stdexcept>
#include <unordered_map>

namespace sluice::inline operators {

// One line an operator; each is defined in the file and the namespace of its name.
// clang-format off
#define SLUICE_OPERATORS(X) \
  X(linear_off_chip_load) \
  X(linear_off_chip_load_ref) \
  X(dyn_linear_off_chip_load) \
  X(linear_off_chip_store) \
  X(dyn_off_chip_store) \
  X(random_off_chip_load) \
  X(random_off_chip_store) \
  X(bufferize) \
  X(streamify) \
  X(dyn_streamify) \
  X(static_streamify) \
  X(partition) \
  X(reassemble) \
  X(eager_merge) \
  X(parallelize) \
  X(static_reassemble) \
  X(shuffle) \
  X(broadcast) \
  X(map) \
  X(binary_map) \
  X(binary_map_accum) \
  X(accum) \
  X(accum_buff) \
  X(scan) \
  X(loop_scan) \
  X(flat_map) \
  X(flatmap_filter_row_streamify) \
  X(flatten) \
  X(reshape) \
  X(reshape_pad_stream) \
  X(promote) \
  X(promote_outer) \
  X(take_last) \
  X(repeat) \
  X(repeat_ref) \
  X(expand) \
  X(expand_static) \
  X(zip) \
  X(select_gen) \
  X(metadata_gen) \
  X(tile_gen) \
  X(counter) \
  X(counter2_d) \
  X(flatmap_counter) \
  X(expert_addr_gen) \
  X(cache_read_addr_gen) \
  X(adjacency_addr_gen) \
  X(filter_last_tile) \
  X(kernel) \
  X(layout_converter) \
  X(dataflow_actor) \
  X(tensor_program) \
  X(consumer) \
  X(printer)
// clang-format on

#define X(name)                 \
  namespace name {              \
  const Operator& definition(); \
  }
SLUICE_OPERATORS(X)
#undef X
Registry<const Operator*>& operatorRegistry() {
#define X(name) &name::definition(),
  static Registry<const Operator*> registry({SLUICE_OPERATORS(X)});
#undef X
  return registry;
}

std::vector<const Operator*> registeredOperators() {
  const auto all = operatorRegistry().all();
  return {all.begin(), all.end()};
}

std::vector<const OperatorSpec*> registeredSpecs() {
  std::vector<const OperatorSpec*> specs;
  for (const Operator* op : registeredOperators()) specs.push_back(&op->spec);
  return specs;
}

std::map<std::string, const Operator*> operatorsByKind() {
  std::map<std::string, const Operator*> by_kind;
  for (const Operator* op : registeredOperators()) by_kind.emplace(op->spec.kind, op);
  return by_kind;
}

const Operator* findOperator(const std::string& kind) {
  static const std::map<std::string, const Operator*> by_kind = operatorsByKind();
  const auto found = by_kind.find(kind);
  return found == by_kind.end() ? nullptr : found->second;
}

const Operator& definitionOf(const FlatOperator& op) {
  // Mostly by the specification itself: this is asked of every operator at every point of a search.
  static const std::unordered_map<const OperatorSpec*, const Operator*> by_spec = [] {
    std::unordered_map<const OperatorSpec*, const Operator*> definitions;
    for (const Operator* each : registeredOperators()) definitions.emplace(&each->spec, each);
    return definitions;
  }();
  if (const auto found = by_spec.find(op.spec); found != by_spec.end()) return *found->second;
  const Operator* const definition = findOperator(op.spec->kind);
  if (!definition) throw std::logic_error("operator '" + op.name + "' is of a kind that is not registered");
  return *definition;
}

const Catalog& builtInCatalog() {
  static const Catalog catalog(registeredSpecs());
  return catalog;
}

}  // namespace sluice::inline operators
