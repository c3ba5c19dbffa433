#pragma once
// FlatGraph: a program after elaboration. Regions are instantiated, knobs and constants bound, fan-out made
// explicit with Broadcast operators. Shapes are inferred over it, and the simulator runs it.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/int_tensor.h"
#include "engine/itensor/itensor.h"
#include "engine/program/document.h"
#include "engine/program/operator_spec.h"
#include "engine/symbolic/expr.h"

namespace sluice::inline program {

/// A bound integer: its value at this design point, and its expression with the knobs left symbolic.
struct BoundInteger {
  std::int64_t value = 0;
  Expr symbolic;
};

/// A bound parameter. Choice and Input are strings.
using BoundValue =
    std::variant<BoundInteger, bool, std::string, std::vector<BoundInteger>, std::vector<StreamOrder>>;

/// The bound parameters of one operator; every parameter of its spec is present (defaults filled in, kinds
/// and minima checked).
class Parameters {
 public:
  using Values = std::map<std::string, BoundValue>;
  const Values& values() const {
    static const Values none;
    return values_ ? *values_ : none;
  }
  void set(const std::string& name, BoundValue value) {
    if (!values_ || values_.use_count() > 1) values_ = std::make_shared<Values>(values());
    (*values_)[name] = std::move(value);
  }

  // Asking for a parameter that the spec does not have, or by the wrong kind, is a bug and throws.
  std::int64_t integer(const std::string& name) const { return bound(name).value; }
  const Expr& symbolic(const std::string& name) const { return bound(name).symbolic; }
  bool boolean(const std::string& name) const { return std::get<bool>(values().at(name)); }
  const std::string& string(const std::string& name) const {
    return std::get<std::string>(values().at(name));
  }
  const std::vector<BoundInteger>& list(const std::string& name) const {
    return std::get<std::vector<BoundInteger>>(values().at(name));
  }
  const std::vector<StreamOrder>& orders(const std::string& name) const {
    return std::get<std::vector<StreamOrder>>(values().at(name));
  }

 private:
  const BoundInteger& bound(const std::string& name) const {
    return std::get<BoundInteger>(values().at(name));
  }

  std::shared_ptr<Values> values_;  ///< of all instances of a node, until one gets a value of its own
};

using OperatorId = std::uint32_t;  ///< position in FlatGraph::operators
using StreamId = std::uint32_t;    ///< position in FlatGraph::streams

struct FlatOperator {
  std::string name;    ///< "expert[3].gate"; an inferred broadcast is "expert[3].pack.out.broadcast"
  std::string origin;  ///< the node in the document: "expert.gate"; for an inferred broadcast its source node
  const OperatorSpec* spec = nullptr;
  Parameters parameters;
  std::vector<StreamId> inputs, outputs;  ///< ports in spec order, bundles spread out
  bool inferred = false;  ///< no node of the document: a broadcast where an output has several readers
};

struct FlatStream {
  std::string name;    ///< "expert[3].pack.out -> expert[3].gate.in"
  std::string origin;  ///< the stream in the document, by its id (stream_id.h): "expert#gate.in";
                       ///< an inferred broadcast's input has the origin of its first consumer's stream;
                       ///< across region boundaries: the stream that gives the depth, else the producer's
  std::vector<std::string>
      also;  ///< further streams of the document it runs through, where it crosses region boundaries
  OperatorId producer = 0, consumer = 0;
  std::uint32_t producer_port = 0, consumer_port = 0;  ///< positions in FlatOperator::outputs / inputs
  std::uint64_t depth = 0;                             ///< tokens, >= 1
};

/// The machine with knobs and constants bound; units as in Machine.
struct BoundMachine {
  std::uint64_t fifo_depth = 2, on_chip_bandwidth = 64, on_chip_capacity = 0;
  bool mock_bf16 = true;
  std::uint64_t hbm_request_bytes = 64, hbm_channels = 32, hbm_latency = 2, hbm_initiation_interval = 2,
                hbm_start_up = 14, scratchpads = 0, hbm_controller_wait = 0, clock_mhz = 0;
  bool reference_mode = true;
  HbmModel hbm_model = HbmModel::Node;
  Dram dram;  ///< of the bank-level models

  /// Bytes per cycle of all channels together.
  double offChipBandwidth() const {
    if (hbm_model != HbmModel::Node) {
      return static_cast<double>(hbm_channels * dram.pseudo_channels * dram.burst_bytes * dram.dram_mhz) /
             static_cast<double>(std::max(dram.tBL, dram.tCCD_S) * dram.core_mhz);
    }
    return static_cast<double>(hbm_request_bytes * hbm_channels) /
           static_cast<double>(hbm_initiation_interval);
  }
};

/// Input name -> its values, loaded or generated. Routing: [tokens, top_k] expert numbers, or [tokens,
/// experts] with `multi_hot`.
struct InputData {
  InputKind kind = InputKind::Tensor;
  IntTensor tensor;
  std::int64_t experts = 0;  ///< Routing: how many experts there are
};
using InputSet = std::map<std::string, InputData>;

struct FlatGraph {
  std::vector<FlatOperator> operators;
  std::vector<FlatStream> streams;
  BoundMachine machine;
  KnobValues knobs;  ///< the design point: values of the knob symbols in the parameters
};

}  // namespace sluice::inline program
