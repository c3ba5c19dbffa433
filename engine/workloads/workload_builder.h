#pragma once
// Workload builders: programs with all their sizes open. A builder gives a plain program, with the schedule
// that the papers study on it as steps whose arguments are knobs; sample_workloads/ holds some of them as
// files.

#include <map>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline workloads {

/// Name -> value: the sizes of a workload, every one a constant of its document or part of its structure.
using Sizes = std::map<std::string, std::int64_t>;

struct SizeSpec {
  std::string name;
  std::int64_t initial = 1, minimum = 1;
  std::string help;
  std::string divides = {};  ///< the size that it must divide, if any
  std::string at_most = {};  ///< the size that it must not exceed, if any
  bool power_of_two = false;
};

struct WorkloadBuilder {
  std::string name;     ///< "moe"
  std::string summary;  ///< one sentence
  std::string source;   ///< "STeP 5.2"
  std::vector<SizeSpec> sizes;
  std::map<std::string, Sizes> models;  ///< published models as sets of sizes: "mixtral_b64"
  Document (*build)(const Sizes& sizes) = nullptr;
};

std::vector<const WorkloadBuilder*> registeredWorkloads();

/// `model`: one of the builder's, or empty; `sizes` go before it. Errors: unknown workload, model or size, a
/// size below its minimum, or that does not fit another.
Result<Document> buildWorkload(const std::string& name, const std::string& model = {},
                               const Sizes& sizes = {});

/// A synthetic, skewed routing: how many of `tokens` tokens, `top_k` experts each, go to every expert.
std::vector<std::int64_t> skewedCounts(std::int64_t tokens, std::int64_t experts, std::int64_t top_k);

}  // namespace sluice::inline workloads
