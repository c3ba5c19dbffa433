#pragma once
// Shape inference, checking and symbolic cost over a flat graph (STeP 3.1 and 4.2;
// engine/symbolic/cost_model.md 2 to 5).

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/operators/stream_type.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline operators {

/// Symbolic cost of one operator over the whole run.
struct Cost {
  Expr off_chip_bytes;  ///< traffic, tile bytes
  Expr on_chip_bytes;   ///< memory held on chip
  Expr flops;
  Expr compute;  ///< allocated FLOPs per cycle
};
Cost sum(const std::vector<Cost>& costs);

/// What on-chip memory is counted by (engine/symbolic/cost_model.md 3). The published figures use the
/// default.
struct CostModel {
  enum class Equations {
    Reference,  ///< those of the artifact's scripts: single staging tiles
    Paper       ///< those printed in STeP 4.2: double-buffered transfers, 16 rows of a product's operand
  };
  Equations equations = Equations::Reference;
  bool count_fifos = false;  ///< one element per FIFO at the operator, too
};

/// A symbol that stands for something only known at run time: the number of tokens with stop >= rank_index on
/// a stream.
struct RunTimeSymbol {
  StreamId stream = 0;
  std::uint32_t rank_index = 0;
};

struct Inference {
  std::vector<StreamType> streams;  ///< parallel to FlatGraph::streams; knobs are symbols
  std::vector<Cost> operators;      ///< parallel to FlatGraph::operators
  Cost total;
  std::map<std::string, std::int64_t>
      known;  ///< symbols whose value follows from the inputs (tokens routed to an expert)
  std::map<std::string, RunTimeSymbol>
      run_time;  ///< every dynamic symbol, and where a simulation measures it
};

/// Infers every stream's type from the sources on. Errors name the operator, the port, the shapes and the
/// fix. Streams may feed back into an EagerMerge: then the run tells how many groups it passes on. Any other
/// cycle waits for itself and is an error that lists it. A stop request is an error, too.
Result<Inference> infer(const FlatGraph& graph, const InputSet& inputs, const CostModel& model = {},
                        std::stop_token stop = {});
/// The same without any cost.
Result<Inference> inferTypes(const FlatGraph& graph, const InputSet& inputs, std::stop_token stop = {});

}  // namespace sluice::inline operators
