#include "engine/tensor/onnx/onnx_coverage.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/itensor/itensor.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_types.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t most_work = std::int64_t{1} << 60;

const OnnxValue* valueOf(const OnnxGraph& graph, const OnnxNode& node, std::size_t input) {
  if (input >= node.inputs.size()) return nullptr;
  const auto found = graph.values.find(node.inputs[input]);
  return found == graph.values.end() ? nullptr : &found->second;
}

const OnnxShape* shapeOf(const OnnxGraph& graph, const OnnxNode& node, std::size_t input) {
  const OnnxValue* const value = valueOf(graph, node, input);
  return value && value->shape ? &*value->shape : nullptr;
}

std::int64_t bounded(const OnnxShape& factors) {
  const std::optional<std::int64_t> product = elementsIn(factors);
  return product ? std::min(*product, std::int64_t{1} << 50) : std::int64_t{1} << 50;
}

/// Which input is the matrix or the kernel of a product; the first is what it is applied to.
const std::map<std::string, std::size_t>& products() {
  static const std::map<std::string, std::size_t> known{
      {"MatMul", 1},    {"Gemm", 1},        {"MatMulInteger", 1}, {"FusedMatMul", 1},   {"MatMulNBits", 1},
      {"Conv", 1},      {"ConvInteger", 1}, {"ConvTranspose", 1}, {"QLinearMatMul", 3}, {"QLinearConv", 3},
      {"Attention", 1}, {"LSTM", 2},        {"GRU", 2},           {"RNN", 2},           {"Einsum", 1}};
  return known;
}

std::optional<std::int64_t> productsOfAll(const OnnxGraph& graph, const OnnxNode& einsum) {
  std::vector<OnnxShape> shapes;
  for (std::size_t i = 0; i < einsum.inputs.size(); ++i) {
    const OnnxShape* const shape = shapeOf(graph, einsum, i);
    if (shape == nullptr) return {};
    shapes.push_back(*shape);
  }
  return productsOfEinsum(einsum, shapes);
}

std::optional<std::int64_t> productsOf(const OnnxGraph& graph, const OnnxNode& node,
                                       const OnnxShape& result) {
  if (node.op == "Einsum") return productsOfAll(graph, node);
  const OnnxShape *const a = shapeOf(graph, node, 0), *const b = shapeOf(graph, node, products().at(node.op));
  OnnxShape factors = result;
  if (node.op == "Attention") {  // scores and what they weight, of all of the context
    if (!a || !b || b->size() < 3) return {};
    const std::optional<std::int64_t> queries = elementsIn(*a), results = elementsIn(result);
    if (!queries || !results) return {};
    factors = {*queries + *results, (*b)[b->size() - 2]};
  } else if (products().at(node.op) ==
             2) {  // of a recurrence: at each step all gates, of the input and the state
    const OnnxShape* const weight = shapeOf(graph, node, 1);
    if (!a || !b || !weight || a->size() != 3 || b->size() != 3 || weight->size() != 3) return {};
    factors = {(*a)[0], (*a)[1], (*b)[0], (*b)[1], (*weight)[2] + (*b)[2]};
  } else if (node.op == "MatMulNBits") {
    factors.push_back(integerOf(node, "K", 1));
  } else if (node.op == "ConvTranspose") {
    if (!a || !b || b->empty()) return {};
    factors = *a;
    factors.insert(factors.end(), b->begin() + 1, b->end());
  } else if (node.spread > 0) {
    const std::optional<std::int64_t> elements = a ? elementsIn(*a) : std::nullopt;
    if (!elements || !b || b->empty()) return {};
    factors = {*elements / node.spread, b->front() / std::max<std::int64_t>(integerOf(node, "group", 1), 1)};
    factors.insert(factors.end(), b->begin() + 2, b->end());
  } else if (node.op.find("Conv") != std::string::npos) {
    if (!b || b->empty()) return {};
    factors.insert(factors.end(), b->begin() + 1, b->end());
  } else {
    if (!a || a->empty()) return {};
    const bool turned = node.op == "Gemm" && integerOf(node, "transA", 0) != 0;
    factors.push_back(turned ? a->front() : a->back());
  }
  return bounded(factors);
}

/// Operators that may hide products, and unknown ones.
bool mayMultiply(const OnnxNode& node) {
  static const std::set<std::string> hiding{
      "If", "Loop", "Scan", "Einsum", "Attention", "MultiHeadAttention", "GroupQueryAttention"};
  return hiding.contains(node.op) || node.op.find('.') != std::string::npos;
}

/// Of the graphs of an If, of which the one with more work counts; of a Loop or Scan, one iteration: how many
/// there are is not known.
OnnxWork workInside(const OnnxGraph& graph, const OnnxNode& node) {
  OnnxWork most;
  for (const auto& [which, body] : node.bodies) {
    OnnxWork work;
    for (const OnnxNode& inner : body->nodes) {
      const OnnxWork own = workOf(graph, inner);
      work.products = std::min(work.products + own.products, most_work);
      work.bytes = std::min(work.bytes + own.bytes, most_work);
      work.unknown = work.unknown || own.unknown;
    }
    most.unknown = most.unknown || work.unknown;
    if (work.products >= most.products) most.products = work.products, most.bytes = work.bytes;
  }
  most.unknown = most.unknown || node.bodies.empty() || node.op != "If";
  return most;
}

std::int64_t bytesIn(const OnnxValue& value) {
  const OnnxType type = onnxType(value.type);
  if (!value.shape || !type.scalar) return 0;
  return bytesOf(bounded(*value.shape) * type.scalar->bits);
}

}  // namespace

OnnxWork workOf(const OnnxGraph& graph, const OnnxNode& node) {
  OnnxWork work;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const OnnxValue* const value = valueOf(graph, node, i);
    if (value && value->constant) work.bytes += bytesIn(*value);
  }
  const OnnxShape* result = nullptr;
  for (const std::string& output : node.outputs) {
    const auto value = graph.values.find(output);
    if (value == graph.values.end()) continue;
    work.bytes += bytesIn(value->second);
    if (!result && value->second.shape) result = &*value->second.shape;
  }
  work.unknown = mayMultiply(node);
  if (!node.bodies.empty()) {
    const OnnxWork inside = workInside(graph, node);
    work.products = inside.products, work.unknown = inside.unknown;
    work.bytes = std::min(work.bytes + inside.bytes, most_work);
  }
  if (!products().contains(node.op)) return work;
  const std::optional<std::int64_t> count = result ? productsOf(graph, node, *result) : std::nullopt;
  work.products = count.value_or(0);
  work.unknown = !count;
  return work;
}

void OnnxCoverage::count(const OnnxWork& work) {
  products = std::min(products + work.products, most_work);
  bytes = std::min(bytes + work.bytes, most_work);
}

void OnnxCoverage::cut(const OnnxNode& node, const OnnxWork& work, const std::string& why) {
  cuts.push_back({node.name, node.op, why, work, node.origin});
}

std::size_t OnnxCoverage::nodesUnderstood() const {
  std::set<std::size_t> left_out;
  for (const OnnxCut& cut : cuts) left_out.insert(cut.origin);
  return nodes - left_out.size();
}

std::int64_t OnnxCoverage::productsCut() const {
  std::int64_t sum = 0;
  for (const OnnxCut& cut : cuts) sum = std::min(products, sum + cut.work.products);
  return sum;
}

std::int64_t OnnxCoverage::bytesCut() const {
  std::int64_t sum = 0;
  for (const OnnxCut& cut : cuts) sum = std::min(bytes, sum + cut.work.bytes);
  return sum;
}

std::size_t OnnxCoverage::unknownCuts() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cuts, [](const OnnxCut& cut) { return cut.work.unknown; }));
}

double OnnxCoverage::shareOfProducts() const {
  return products == 0 ? 1 : 1 - static_cast<double>(productsCut()) / static_cast<double>(products);
}

double OnnxCoverage::shareOfBytes() const {
  return bytes == 0 ? 1 : 1 - static_cast<double>(bytesCut()) / static_cast<double>(bytes);
}

std::size_t piecesOf(const TensorProgram& program) {
  std::vector<std::size_t> piece(program.operators.size());
  std::iota(piece.begin(), piece.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (piece[i] != i) i = piece[i] = piece[piece[i]];
    return i;
  };
  const auto written_by = writers(program);
  for (std::size_t i = 0; i < program.operators.size(); ++i)
    for (const std::size_t tensor : readTensors(program.operators[i]))
      if (written_by[tensor]) piece[root(i)] = root(*written_by[tensor]);
  std::size_t count = 0;
  for (std::size_t i = 0; i < piece.size(); ++i) count += piece[i] == i ? 1 : 0;
  return count;
}

std::string wanting(const OnnxCoverage& coverage) {
  struct Kind {
    std::string op, why;
    std::size_t count = 0;
    std::int64_t products = 0;
  };
  std::vector<Kind> kinds;
  for (const OnnxCut& cut : coverage.cuts) {
    auto kind = std::ranges::find(kinds, cut.op, &Kind::op);
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {cut.op, cut.why, 0, 0});
    ++kind->count;
    kind->products += cut.work.products;
  }
  std::ranges::stable_sort(kinds, std::ranges::greater(), &Kind::products);
  std::string list;
  for (const Kind& kind : kinds)
    list += (list.empty() ? "" : "; ") + kind.op +
            (kind.count > 1 ? " (" + std::to_string(kind.count) + " times)" : "") + ": " + kind.why;
  return list;
}

}  // namespace sluice::inline tensor
