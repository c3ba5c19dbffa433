#include "engine/operators/dynamic_view.h"

namespace sluice::inline operators {

namespace {

const InputData* extentsOf(const InputSet& inputs, const Parameters& parameters) {
  const auto input = inputs.find(parameters.string("extents"));
  return input == inputs.end() ? nullptr : &input->second;
}

}  // namespace

Result<std::vector<std::int64_t>> dynamicView(const ShapeContext& t) {
  const std::string& name = t.op.parameters.string("extents");
  const InputData* input = extentsOf(t.inputs, t.op.parameters);
  if (!input) {
    return t.problem("unknown-input", "", "there is no input '" + name + "'",
                     "add it to the document's inputs, or choose another");
  }
  const std::vector<std::int64_t>& view = input->tensor.data;
  std::int64_t total = 1;
  bool fits = input->kind != InputKind::Routing && !view.empty() && view.size() <= 8;
  for (const std::int64_t extent : view) {
    fits = fits && extent >= 0 && !__builtin_mul_overflow(total, extent, &total) &&
           total <= (std::int64_t{1} << 40);
  }
  if (fits) return view;
  return t.problem("input-value", "", "input '" + name + "' is not the shape of a view",
                   "bind 1 to 8 numbers, none negative, with a product of at most 2^40");
}

std::vector<std::uint64_t> dynamicView(const Instance& instance) {
  const std::vector<std::int64_t>& view = extentsOf(instance.inputs, instance.op.parameters)->tensor.data;
  return {view.begin(), view.end()};
}

}  // namespace sluice::inline operators
