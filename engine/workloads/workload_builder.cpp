#include "engine/workloads/workload_builder.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "engine/program/spelling.h"

#define SLUICE_WORKLOADS(X) \
  X(moe)                    \
  X(attention)              \
  X(swiglu)                 \
  X(deepseek_moe)           \
  X(parallel_moe)           \
  X(gnn)                    \
  X(wavefront)              \
  X(qkv)                    \
  X(decoder_layer)          \
  X(whole_model)

namespace sluice::inline workloads {

#define SLUICE_DECLARE(name)           \
  namespace name {                     \
  const WorkloadBuilder& definition(); \
  }
SLUICE_WORKLOADS(SLUICE_DECLARE)
#undef SLUICE_DECLARE
namespace {

Diagnostic refuse(Code code, const std::string& place, std::string cause, std::string fix) {
  return error(code, "workload " + place, std::move(cause), std::move(fix));
}

/// Of every size: no field of a program takes more tokens, and no run ends of which one is larger.
constexpr std::int64_t largest_size = std::int64_t{1} << 26;

/// What a size must be beyond its minimum, by itself and to another.
std::optional<Diagnostic> misfit(const WorkloadBuilder& builder, const Sizes& sizes) {
  for (const SizeSpec& spec : builder.sizes) {
    const std::int64_t value = sizes.at(spec.name);
    const std::string place = "'" + builder.name + "', size '" + spec.name + "'";
    if (value > largest_size)
      return refuse("out-of-range", place,
                    std::to_string(value) + " is more than " + std::to_string(largest_size),
                    "give at most " + std::to_string(largest_size));
    if (spec.power_of_two && !std::has_single_bit(static_cast<std::uint64_t>(value)))
      return refuse("out-of-range", place, std::to_string(value) + " is no power of two",
                    "give 64, 128, 256 ...");
    if (!spec.divides.empty() && sizes.at(spec.divides) % value != 0) {
      return refuse("out-of-range", place,
                    std::to_string(value) + " does not divide " + spec.divides + " = " +
                        std::to_string(sizes.at(spec.divides)),
                    "choose a divisor of " + spec.divides);
    }
    if (!spec.at_most.empty() && value > sizes.at(spec.at_most)) {
      return refuse("out-of-range", place,
                    std::to_string(value) + " is more than " + spec.at_most + " = " +
                        std::to_string(sizes.at(spec.at_most)),
                    "give at most " + spec.at_most + ", or raise that");
    }
  }
  return {};
}

}  // namespace

std::vector<const WorkloadBuilder*> registeredWorkloads() {
#define SLUICE_LIST(name) &name::definition(),
  return {SLUICE_WORKLOADS(SLUICE_LIST)};
#undef SLUICE_LIST
}

Result<Document> buildWorkload(const std::string& name, const std::string& model, const Sizes& sizes) {
  std::vector<std::string> names;
  const WorkloadBuilder* builder = nullptr;
  for (const WorkloadBuilder* known : registeredWorkloads()) {
    names.push_back(known->name);
    if (known->name == name) builder = known;
  }
  if (!builder)
    return refuse("unknown-name", "'" + name + "'", "there is no workload of this name",
                  spellingFix(name, names, "choose another"));
  Sizes all;
  if (!model.empty()) {
    const auto found = builder->models.find(model);
    std::vector<std::string> models;
    for (const auto& [known, values] : builder->models) models.push_back(known);
    if (found == builder->models.end()) {
      return refuse("unknown-name", "'" + name + "'", "it has no model '" + model + "'",
                    spellingFix(model, models, "leave the model out"));
    }
    all = found->second;
  }
  for (const auto& [size, value] : sizes) all[size] = value;
  std::vector<std::string> known;
  for (const SizeSpec& spec : builder->sizes) {
    known.push_back(spec.name);
    const std::int64_t value = all.try_emplace(spec.name, spec.initial).first->second;
    if (value < spec.minimum) {
      return refuse("out-of-range", "'" + name + "', size '" + spec.name + "'",
                    std::to_string(value) + " is below " + std::to_string(spec.minimum),
                    "give at least " + std::to_string(spec.minimum));
    }
  }
  for (const auto& [size, value] : all) {
    if (std::find(known.begin(), known.end(), size) == known.end())
      return refuse("unknown-name", "'" + name + "'", "it has no size '" + size + "'",
                    spellingFix(size, known, "leave it out"));
  }
  if (auto wrong = misfit(*builder, all)) return *std::move(wrong);
  return builder->build(all);
}

std::vector<std::int64_t> skewedCounts(std::int64_t tokens, std::int64_t experts, std::int64_t top_k) {
  // Expert e is wanted in proportion to 1/(e + 2); none may have more than every token.
  const std::int64_t total = tokens * top_k;
  double weight = 0;
  for (std::int64_t e = 0; e < experts; ++e) weight += 1.0 / static_cast<double>(e + 2);
  std::vector<std::int64_t> counts;
  std::int64_t given = 0;
  for (std::int64_t e = 0; e < experts; ++e) {
    const double share = static_cast<double>(total) / static_cast<double>(e + 2) / weight;
    counts.push_back(std::min(tokens, static_cast<std::int64_t>(share)));
    given += counts.back();
  }
  for (std::size_t e = 0; given < total; e = (e + 1) % counts.size()) {
    if (counts[e] == tokens) continue;
    ++counts[e];
    ++given;
  }
  return counts;
}

}  // namespace sluice::inline workloads
