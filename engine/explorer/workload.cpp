// makeWorkload: every input of a document as numbers, from inline data, a NumPy file or the synthetic
// generator, checked against what the document says of it; and the technology of its machine.

#include <algorithm>

#include "engine/energy/technology.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/routing.h"
#include "engine/interchange/numpy.h"
#include "engine/program/spelling.h"

namespace sluice::inline explorer {
namespace {

using Files = std::map<std::string, std::filesystem::path>;

/// The checks of one input's values; `place` names the input and the file that they came from.
class Check {
 public:
  Check(const Input& input, const IntTensor& tensor, Location place)
      : input_(input), tensor_(tensor), place_(std::move(place)) {}

  Diagnostics run() const {
    if (tensor_.data.empty()) return misfit("it holds no values", "give at least one");
    if (input_.kind == InputKind::Routing) return routing();
    return input_.kind == InputKind::Lengths ? lengths() : Diagnostics{};
  }

 private:
  Diagnostics misfit(std::string cause, std::string fix) const {
    return {error("trace-mismatch", place_, "the trace does not fit: " + std::move(cause), std::move(fix))};
  }

  Diagnostics lengths() const {
    const auto negative =
        std::find_if(tensor_.data.begin(), tensor_.data.end(), [](std::int64_t v) { return v < 0; });
    if (negative == tensor_.data.end()) return {};
    return misfit("length number " + std::to_string(negative - tensor_.data.begin()) + " is " +
                      std::to_string(*negative),
                  "lengths are not negative");
  }

  Diagnostics routing() const {
    if (tensor_.shape.size() != 2) {
      return misfit("a routing has 2 dimensions, [tokens, experts per token]; this has " +
                        std::to_string(tensor_.shape.size()),
                    "reshape the array to [tokens, top_k]");
    }
    if (Diagnostics wrong = extent(0, input_.tokens, "tokens"); !wrong.empty()) return wrong;
    if (Diagnostics wrong = extent(1, input_.top_k, "experts per token (top_k)"); !wrong.empty())
      return wrong;
    for (std::size_t t = 0; t < tensor_.shape[0]; ++t) {
      if (Diagnostics wrong = token(t); !wrong.empty()) return wrong;
    }
    return {};
  }

  Diagnostics extent(std::size_t dimension, std::int64_t wanted, const std::string& what) const {
    const std::size_t found = tensor_.shape[dimension];
    if (wanted == 0 || found == static_cast<std::size_t>(wanted)) return {};
    return misfit("it has " + std::to_string(found) + " " + what + "; the document's input has " +
                      std::to_string(wanted),
                  "use a trace of that size, or change the input in the document");
  }

  Diagnostics token(std::size_t t) const {
    const std::size_t k = tensor_.shape[1];
    const std::string who = "token " + std::to_string(t);
    for (std::size_t i = 0; i < k; ++i) {
      const std::int64_t expert = tensor_.data[t * k + i];
      if (expert < 0 || (input_.experts > 0 && expert >= input_.experts)) {
        const std::string range =
            input_.experts > 0 ? "0 to " + std::to_string(input_.experts - 1) : "from 0 on";
        return misfit(who + " goes to expert " + std::to_string(expert) + "; experts are numbered " + range,
                      "use a trace of a model with as many experts as the document's input");
      }
    }
    const auto row = tensor_.data.begin() + static_cast<std::ptrdiff_t>(t * k);
    std::vector<std::int64_t> experts(row, row + static_cast<std::ptrdiff_t>(k));
    std::sort(experts.begin(), experts.end());
    const auto twice = std::adjacent_find(experts.begin(), experts.end());
    if (twice == experts.end()) return {};
    return misfit(who + " goes twice to expert " + std::to_string(*twice),
                  "give each token different experts");
  }

  const Input& input_;
  const IntTensor& tensor_;
  Location place_;
};

/// Experts of a routing: what the document says, else one more than the largest number met.
std::int64_t expertsOf(const Input& input, const IntTensor& tensor) {
  if (input.kind != InputKind::Routing) return 0;
  return input.experts > 0 ? input.experts : *std::max_element(tensor.data.begin(), tensor.data.end()) + 1;
}

Result<InputData> valuesOf(const Input& document, const std::filesystem::path& folder, const Files& files) {
  Input input = document;
  Location place(Where::Input, input.name);
  const auto replaced = files.find(input.name);
  if (replaced != files.end()) input.file = replaced->second.string();
  if (input.experts == 0) input.experts = static_cast<std::int64_t>(input.counts.size());
  Result<IntTensor> tensor = IntTensor{};
  if (!input.file.empty()) {
    const std::filesystem::path file = folder / input.file;
    place = Location(Where::Input, input.name, file.string());
    tensor = loadNumpy(file);
  } else if (input.data) {
    tensor = *input.data;
  } else if (input.kind == InputKind::Routing) {
    tensor = syntheticRouting(input);
  } else {
    return error("missing-data", place, "it has neither data nor a file", "give one of the two");
  }
  if (!tensor) {
    Diagnostics wrong = tensor.diagnostics();
    if (!input.file.empty()) wrong.front().place = Location(Where::Input, input.name) / wrong.front().place;
    return wrong;
  }
  if (Diagnostics wrong = Check(input, *tensor, place).run(); !wrong.empty()) return wrong;
  const std::int64_t experts = expertsOf(input, *tensor);
  return InputData{input.kind, *std::move(tensor), experts};
}

}  // namespace

Result<std::shared_ptr<const Workload>> makeWorkload(Document document, const std::filesystem::path& folder,
                                                     const Files& files) {
  std::vector<std::string> names;
  for (const Input& input : document.inputs) names.push_back(input.name);
  Diagnostics wrong;
  for (const auto& [name, file] : files) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    wrong.push_back(error("unknown-input", Location(Where::Input, name),
                          "the document has no input of that name",
                          spellingFix(name, names, "the document has no inputs; leave it out")));
  }
  auto workload = std::make_shared<Workload>();
  for (const Input& input : document.inputs) {
    Result<InputData> values = valuesOf(input, folder, files);
    if (values) {
      workload->inputs.emplace(input.name, *std::move(values));
    } else {
      wrong.insert(wrong.end(), values.diagnostics().begin(), values.diagnostics().end());
    }
  }
  if (const std::string& technology = document.machine.technology; !technology.empty()) {
    Result<Technology> read = technologyNamed(technology, folder);
    if (read) {
      workload->technology = std::make_shared<const Technology>(*std::move(read));
    } else {
      wrong.insert(wrong.end(), read.diagnostics().begin(), read.diagnostics().end());
    }
  }
  if (!wrong.empty()) return wrong;
  workload->document = std::move(document);
  return std::shared_ptr<const Workload>(std::move(workload));
}

}  // namespace sluice::inline explorer
