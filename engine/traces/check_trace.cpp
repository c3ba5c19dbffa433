#include "engine/traces/check_trace.h"

#include <algorithm>

#include "engine/interchange/numpy.h"

namespace sluice::inline traces {
namespace {

/// The checks of one trace; `place` names the input and the file that it came from.
class Check {
 public:
  Check(const Input& input, const IntTensor& tensor, Location place)
      : input_(input), tensor_(tensor), place_(std::move(place)) {}

  Diagnostics run() const {
    if (tensor_.data.empty()) return misfit("it holds no values", "give at least one");
    const auto none = std::ranges::find(tensor_.data, no_whole_number);
    if (none != tensor_.data.end())
      return misfit("value number " + std::to_string(none - tensor_.data.begin()) +
                        " is no whole number (NaN, infinity or a fraction)",
                    "correct it, or leave the trace out");
    if (input_.kind == InputKind::Routing) return routing();
    return input_.kind == InputKind::Lengths ? lengths() : shape();
  }

 private:
  Diagnostics misfit(std::string cause, std::string fix) const {
    return {error("trace-mismatch", place_, "the trace does not fit: " + std::move(cause), std::move(fix))};
  }

  /// As the document's own values have it, but for the number of rows.
  Diagnostics shape() const {
    if (!input_.data) return {};
    const std::vector<std::size_t>& own = input_.data->shape;
    if (own.size() == tensor_.shape.size() && std::equal(own.begin() + (own.empty() ? 0 : 1), own.end(),
                                                         tensor_.shape.begin() + (own.empty() ? 0 : 1)))
      return {};
    return misfit(
        "its shape is " + text(tensor_.shape) + "; the document's input has " + text(own),
        "give an array of that shape; one with an axis more before it is a set, an array for each trace");
  }

  /// Lengths are as many as there are requests, in the dimensions that the document's own have.
  Diagnostics dimensions() const {
    if (!input_.data || input_.data->shape.size() == tensor_.shape.size()) return {};
    return misfit(
        "its shape is " + text(tensor_.shape) + "; the document's input has " + text(input_.data->shape),
        "give an array of as many dimensions; one with an axis more before it is a set, a row for "
        "each trace");
  }

  static std::string text(const std::vector<std::size_t>& shape) {
    std::string told;
    for (const std::size_t extent : shape) told += (told.empty() ? "" : " x ") + std::to_string(extent);
    return shape.empty() ? "that of a single value" : told;
  }

  Diagnostics lengths() const {
    const auto negative =
        std::find_if(tensor_.data.begin(), tensor_.data.end(), [](std::int64_t v) { return v < 0; });
    if (negative == tensor_.data.end()) return dimensions();
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

}  // namespace

Diagnostics checkTrace(const Input& input, const IntTensor& values, const Location& place) {
  return Check(input, values, place).run();
}

std::int64_t expertsOf(const Input& input, const IntTensor& values) {
  if (input.kind != InputKind::Routing) return 0;
  return input.experts > 0 ? input.experts : *std::max_element(values.data.begin(), values.data.end()) + 1;
}

}  // namespace sluice::inline traces
