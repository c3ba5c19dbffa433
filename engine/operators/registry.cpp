#include "engine/operators/registry.h"

#include <stdexcept>

namespace sluice::inline operators {

// One line an operator; each is defined in the file of its name.
// clang-format off
#define SLUICE_OPERATORS(X) \
  X(linearOffChipLoad) \
  X(linearOffChipLoadRef) \
  X(dynLinearOffChipLoad) \
  X(linearOffChipStore) \
  X(dynOffChipStore) \
  X(randomOffChipLoad) \
  X(randomOffChipStore) \
  X(bufferize) \
  X(streamify) \
  X(dynStreamify) \
  X(staticStreamify) \
  X(partition) \
  X(reassemble) \
  X(eagerMerge) \
  X(parallelize) \
  X(staticReassemble) \
  X(shuffle) \
  X(broadcast) \
  X(map) \
  X(binaryMap) \
  X(binaryMapAccum) \
  X(accum) \
  X(accumBuff) \
  X(scan) \
  X(loopScan) \
  X(flatMap) \
  X(flatmapFilterRowStreamify) \
  X(flatten) \
  X(reshape) \
  X(reshapePadStream) \
  X(promote) \
  X(promoteOuter) \
  X(takeLast) \
  X(repeat) \
  X(repeatRef) \
  X(expand) \
  X(expandStatic) \
  X(zip) \
  X(selectGen) \
  X(metadataGen) \
  X(tileGen) \
  X(counter) \
  X(counter2D) \
  X(flatmapCounter) \
  X(expertAddrGen) \
  X(cacheReadAddrGen) \
  X(adjacencyAddrGen) \
  X(filterLastTile) \
  X(kernel) \
  X(layoutConverter) \
  X(dataflowActor) \
  X(tensorProgram) \
  X(consumer) \
  X(printer)
// clang-format on

#define X(name) const Operator& name();
SLUICE_OPERATORS(X)
#undef X
Registry<const Operator*>& operatorRegistry() {
#define X(name) &operators::name(),
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
  const Operator* const definition = findOperator(op.spec->kind);
  if (!definition) throw std::logic_error("operator '" + op.name + "' is of a kind that is not registered");
  return *definition;
}

const Catalog& builtInCatalog() {
  static const Catalog catalog(registeredSpecs());
  return catalog;
}

}  // namespace sluice::inline operators
