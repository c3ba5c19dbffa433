// layers: the traces of a model, layer by layer and step by step. The logarithms of popularity are normal;
// those of neighbouring layers are correlated, and so are those of one layer from step to step.

#include <cmath>
#include <memory>

#include "engine/traces/draws.h"
#include "engine/traces/generated_routing.h"

namespace sluice::inline traces::sources::layers {
namespace {

struct Chain {
  std::uint64_t layers = 32, steps = 4;
  double across = 0.5, along = 0.9;  ///< correlation of layers, and of steps
};

/// An autoregressive field over layers and steps with unit variance: a number for each expert of a layer in a
/// step.
class Field {
 public:
  Field(const Chain& chain, std::size_t experts, std::uint64_t seed)
      : layers_(chain.layers), values_(chain.layers * chain.steps) {
    for (std::uint64_t step = 0; step < chain.steps; ++step) {
      std::vector<double> fresh(experts);
      for (std::uint64_t layer = 0; layer < layers_; ++layer) {
        SplitMix64 random = streamOf(~seed, step * layers_ + layer);
        std::vector<double>& here = values_[step * layers_ + layer];
        for (std::size_t expert = 0; expert < experts; ++expert) {
          fresh[expert] = next(fresh[expert], layer == 0 ? 0 : chain.across, random);
          here.push_back(
              step == 0 ? fresh[expert]
                        : mixed(values_[(step - 1) * layers_ + layer][expert], chain.along, fresh[expert]));
        }
      }
    }
  }
  const std::vector<double>& at(std::uint64_t number) const { return values_[number % values_.size()]; }

 private:
  static double mixed(double old, double correlation, double fresh) {
    return correlation * old + std::sqrt(1 - correlation * correlation) * fresh;
  }
  static double next(double old, double correlation, SplitMix64& random) {
    return mixed(old, correlation, normalDraw(random));
  }

  std::uint64_t layers_;
  std::vector<std::vector<double>> values_;
};

Result<TraceSet> make(const TraceRequest& request) {
  const TraceOptions& options = request.options;
  Chain chain;
  chain.layers = static_cast<std::uint64_t>(options.whole("count", 32));
  chain.steps = static_cast<std::uint64_t>(options.whole("steps", 4));
  chain.across = options.real("correlation", chain.across);
  chain.along = options.real("persistence", chain.along);
  const std::uint64_t traces = chain.layers * chain.steps;
  if (traces > most_traces || static_cast<std::uint64_t>(request.input.experts) > most_trace_values / traces)
    return error("too-many", request.place, "there are " + std::to_string(traces) + " layers of steps",
                 "ask for fewer");
  const auto experts = static_cast<std::size_t>(request.input.experts);
  const auto seed = static_cast<std::uint64_t>(options.whole("seed", 1));
  // Calibration asks with a seed of its own, and gets a field of its own.
  const auto asked = std::make_shared<const Field>(chain, experts, seed);
  const auto other = std::make_shared<const Field>(chain, experts, seed + 1);
  RoutingModel model{"layers", "spread", 0, 10, false, {}};
  model.popularity = [=](double spread, std::size_t, std::uint64_t of, std::uint64_t number) {
    std::vector<double> logs = (of == seed ? *asked : *other).at(number);
    for (double& log : logs) log *= spread;
    return logs;
  };
  model.named = [layers = chain.layers](std::uint64_t number) {
    return "step " + std::to_string(number / layers) + ", layer " + std::to_string(number % layers);
  };
  return generateRouting(request, model, traces);
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "layers",
      .summary =
          "routing in all layers of a model over several steps, correlated from layer to layer and step to "
          "step",
      .kinds = {InputKind::Routing},
      .options = routingOptions(
          {{"count", "layers (32)", OptionKind::Whole, 1, 10'000},
           {"steps", "batches that pass (4)", OptionKind::Whole, 1, 10'000},
           {"spread", "deviation of the logarithm of popularity", OptionKind::Real, 0, 10},
           {"correlation", "of neighbouring layers (0.5)", OptionKind::Real, 0, 1},
           {"persistence", "correlation of a layer from step to step (0.9)", OptionKind::Real, 0, 1}}),
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::layers
