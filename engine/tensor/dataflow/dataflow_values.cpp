#include "engine/tensor/dataflow/dataflow_values.h"

#include <algorithm>
#include <limits>
#include <map>

#include "engine/itensor/access_sequence.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

using Values = TileElements;

/// One stream: what has been sent, in order, and how far it has been received.
struct Fifo {
  std::vector<std::size_t> sent_order, received_order;  ///< within a tile
  Values sent;
  std::size_t received = 0;
};

class Run {
 public:
  Run(const DataflowDesign& design, const TensorSet& given)
      : design_(design), memory_(design, given), fifos_(design.streams.size()) {
    for (std::size_t i = 0; i < fifos_.size(); ++i) {
      const DataflowStream& stream = design.streams[i];
      fifos_[i].sent_order = sendingOrder(sourceOf(design, stream).type, stream.vector);
      fifos_[i].received_order = sendingOrder(targetOf(design, stream).type, stream.vector);
    }
  }

  Result<std::vector<FloatTensor>> results() {
    std::vector<std::size_t> order = taskOrder(design_);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return design_.tasks[a].group < design_.tasks[b].group;
    });
    for (const std::size_t task : order) {
      execute(task);
      if (failed_) return *failed_;
    }
    for (std::size_t i = 0; i < fifos_.size(); ++i)
      if (fifos_[i].received != fifos_[i].sent.size())
        fail("wrong-token", nameOf(design_, design_.streams[i]), "tokens are left over at the end",
             "give both ends the same stream");
    if (failed_) return *failed_;
    std::vector<FloatTensor> results;
    for (const std::size_t tensor : design_.program.results) results.push_back(memory_.unpacked(tensor));
    return results;
  }

 private:
  /// A port while its task runs.
  struct Port {
    PortRef at;
    const TaskPort* port;
    AccessSequence next;
    TileShape tile;
    std::vector<std::size_t> streams;  ///< of an output: all; of an input: its one, or none
    Values converted;                  ///< of an abstract stream: the tensor, once it is all there
  };

  /// Keeps the first error; the task goes on with numbers that are none.
  void fail(Code code, const Location& place, const std::string& cause, const std::string& fix) {
    if (!failed_) failed_ = error(code, place, cause, fix);
  }
  void fail(Code code, std::size_t task, const std::string& cause, const std::string& fix) {
    fail(code, Location(Where::Task, design_.tasks[task].name), cause, fix);
  }

  Port input(std::size_t task, std::size_t number) {
    const TaskPort& port = design_.tasks[task].inputs[number];
    Port made{{task, number}, &port, AccessSequence(port.type), tileShape(port.type), {}, {}};
    if (const auto stream = streamInto(design_, made.at)) {
      made.streams = {*stream};
      if (needsConverter(design_, design_.streams[*stream])) made.converted = gathered(*stream);
    }
    return made;
  }

  Port output(std::size_t task, std::size_t number) {
    const TaskPort& port = design_.tasks[task].outputs[number];
    const PortRef at{task, number};
    return {at, &port, AccessSequence(port.type), tileShape(port.type), streamsFrom(design_, at), {}};
  }

  /// The next tile that an input asks for; it stands then at the one after.
  Values pull(Port& port) {
    if (port.next.atEnd()) {
      fail("wrong-token", port.at.task, "it reads more tokens than its type has",
           "check the tiles of its ports");
      return Values(static_cast<std::size_t>(elementsOf(port.tile)), nothing);
    }
    Values tile;
    if (!port.converted.empty()) {
      const TileShape& shape = design_.program.tensors[port.port->tensor].shape;
      forEachIndex(port.next.offset(), port.tile, [&](std::span<const std::int64_t> index) {
        tile.push_back(port.converted[static_cast<std::size_t>(rowMajor(index, shape))]);
      });
    } else if (port.streams.empty()) {
      tile = memory_.read(port.port->tensor, port.next.offset(), port.tile);
    } else {
      tile = receive(port.streams[0], fifos_[port.streams[0]].received_order);
    }
    port.next.advance();
    return tile;
  }

  Values receive(std::size_t stream, const std::vector<std::size_t>& order) {
    Fifo& fifo = fifos_[stream];
    Values tile(order.size(), nothing);
    if (fifo.received + order.size() > fifo.sent.size()) {
      fail("deadlock", nameOf(design_, design_.streams[stream]),
           "its consumer waits for tokens that never come",
           "give both ends the same stream, or a converter between them");
      return tile;
    }
    for (const std::size_t at : order) tile[at] = fifo.sent[fifo.received++];
    return tile;
  }

  /// What a converter would make of a stream whose ends disagree.
  Values gathered(std::size_t stream) {
    const TaskPort& source = sourceOf(design_, design_.streams[stream]);
    const TileShape& shape = design_.program.tensors[source.tensor].shape;
    Values tensor(static_cast<std::size_t>(elementsOf(shape)), nothing);
    for (AccessSequence at(source.type); !at.atEnd(); at.advance()) {
      const Values tile = receive(stream, fifos_[stream].sent_order);
      std::size_t element = 0;
      forEachIndex(at.offset(), tileShape(source.type), [&](std::span<const std::int64_t> index) {
        tensor[static_cast<std::size_t>(rowMajor(index, shape))] = tile[element++];
      });
    }
    return tensor;
  }

  void push(Port& port, const Values& tile) {
    if (port.port->external || design_.tasks[port.at.task].kind == TaskKind::Store)
      memory_.write(port.port->tensor, port.next.offset(), port.tile, tile);
    for (const std::size_t stream : port.streams)
      for (const std::size_t at : fifos_[stream].sent_order) fifos_[stream].sent.push_back(tile[at]);
    port.next.advance();
  }

  void execute(std::size_t number) {
    const Task& task = design_.tasks[number];
    std::vector<Port> in, out;
    for (std::size_t i = 0; i < task.inputs.size(); ++i) in.push_back(input(number, i));
    for (std::size_t i = 0; i < task.outputs.size(); ++i) out.push_back(output(number, i));
    switch (task.kind) {
      case TaskKind::Compute:
        return compute(task, in, out[0]);
      case TaskKind::Load:
        while (!out[0].next.atEnd())
          push(out[0], memory_.read(out[0].port->tensor, out[0].next.offset(), out[0].tile));
        return;
      case TaskKind::Store:
        while (!in[0].next.atEnd()) {
          const TileShape offset(in[0].next.offset().begin(), in[0].next.offset().end());
          memory_.write(in[0].port->tensor, offset, in[0].tile, pull(in[0]));
        }
        return;
      case TaskKind::Converter:
        return convert(task, in[0], out[0]);
      case TaskKind::Fork:
        while (!in[0].next.atEnd()) {
          const Values tile = pull(in[0]);
          for (Port& branch : out) push(branch, tile);
        }
        return;
      case TaskKind::Join:
        for (std::size_t turn = 0; !out[0].next.atEnd(); turn = (turn + 1) % in.size())
          push(out[0], pull(in[turn]));
        return;
    }
  }

  // ---- compute --------------------------------------------------------------------------------------------

  /// Every result tile is the operator applied to the tiles that arrive for it.
  void compute(const Task& task, std::vector<Port>& in, Port& out) {
    const TensorOperator& op = design_.program.operators[task.subject];
    std::vector<TileShape> known;
    while (!out.next.atEnd()) {
      std::vector<FloatTensor> operands;
      std::vector<TileShape> shapes;
      for (Port& port : in) {
        operands.push_back(panel(port, tokenCount(port.port->type) / tokenCount(out.port->type)));
        shapes.emplace_back(operands.back().shape.begin(), operands.back().shape.end());
      }
      if (op.kind == TensorOperatorKind::Lookup)
        if (const Result<Done> fetched = memory_.fetchRow(op, operands); !fetched) {
          failed_ = fetched.diagnostics().front();
          return;
        }
      if (shapes != known && !fits(op, shapes, out.tile)) {
        fail("tile-mismatch", out.at.task, "the tiles that arrive for one result do not fit each other",
             "derive all types of a compute task from one choice of tiles");
        return;
      }
      known = std::move(shapes);
      push(out, applied(op, operands, {out.tile.begin(), out.tile.end()}).data);
    }
    for (const Port& port : in)
      if (!port.next.atEnd())
        fail("wrong-token", out.at.task, "tokens of an input are left over", "check the tiles of its ports");
  }

  static bool fits(const TensorOperator& op, const std::vector<TileShape>& operands,
                   const TileShape& result) {
    return verify(programOf(op, operands, result)).empty();
  }

  /// The next `count` tiles of an input, put together.
  FloatTensor panel(Port& port, std::int64_t count) {
    std::vector<std::pair<TileShape, Values>> tiles;
    for (; count > 0; --count) {
      const TileShape offset(port.next.offset().begin(), port.next.offset().end());
      tiles.emplace_back(offset, pull(port));
    }
    return assembled(tiles, port.tile);
  }

  // ---- converters -----------------------------------------------------------------------------------------

  struct Half {
    Values values;
    std::vector<std::int64_t> filled_in;  ///< the iteration of the shared loops that wrote an element last
  };

  /// Trips of the outermost loops that run more than once; empty where there are not so many.
  static std::optional<std::int64_t> sharedIterations(const ITensor& type, std::size_t loops) {
    std::int64_t iterations = 1;
    for (const ITensorLoop& loop : type.loops)
      if (loop.trips > 1 && loops > 0) iterations *= loop.trips, --loops;
    return loops == 0 ? std::optional(iterations) : std::nullopt;
  }

  void convert(const Task& task, Port& in, Port& out) {
    const auto shared = sharedIterations(in.port->type, task.before_loop);
    if (!shared || shared != sharedIterations(out.port->type, task.before_loop))
      return fail("tile-mismatch", in.at.task,
                  "its source and result do not share " + std::to_string(task.before_loop) + " loops",
                  "infer its buffer and shared loops from its types");
    const std::int64_t iterations = *shared;
    const std::int64_t fills = tokenCount(in.port->type) / iterations;
    const std::int64_t drains = tokenCount(out.port->type) / iterations;
    const auto size = static_cast<std::size_t>(elementsOf(task.buffer));
    std::vector<Half> halves(2, Half{Values(size, nothing), std::vector<std::int64_t>(size, -1)});
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      Half& half = halves[static_cast<std::size_t>(iteration % 2)];
      for (std::int64_t n = 0; n < fills; ++n) {
        const auto offset = placeInBuffer(task, in);
        const Values tile = pull(in);
        if (!offset) return;
        std::size_t element = 0;
        forEachIndex(*offset, in.tile, [&](std::span<const std::int64_t> index) {
          const auto at = static_cast<std::size_t>(rowMajor(index, task.buffer));
          half.values[at] = tile[element++];
          half.filled_in[at] = iteration;
        });
      }
      for (std::int64_t n = 0; n < drains; ++n) push(out, drained(task, out, half, iteration));
    }
  }

  Values drained(const Task& task, const Port& out, const Half& half, std::int64_t iteration) {
    Values tile;
    const auto place = placeInBuffer(task, out);
    if (!place) return Values(static_cast<std::size_t>(elementsOf(out.tile)), nothing);
    forEachIndex(*place, out.tile, [&](std::span<const std::int64_t> index) {
      const auto at = static_cast<std::size_t>(rowMajor(index, task.buffer));
      if (half.filled_in[at] != iteration)
        fail("uninitialised-read", out.at.task, "it drains elements that its source has not filled yet",
             "infer its buffer and shared loops from its types");
      tile.push_back(half.values[at]);
    });
    return tile;
  }

  /// At the offset in dimensions that the buffer holds whole, at 0 in the others; empty where the port has no
  /// more tokens or they are too large.
  std::optional<TileShape> placeInBuffer(const Task& task, const Port& port) {
    const TileShape& shape = design_.program.tensors[port.port->tensor].shape;
    TileShape place(shape.size(), 0);
    bool fits = !port.next.atEnd() && task.buffer.size() == shape.size();
    for (std::size_t k = 0; fits && k < shape.size(); ++k) {
      if (task.buffer[k] == shape[k]) place[k] = port.next.offset()[k];
      fits = place[k] + port.tile[k] <= task.buffer[k];
    }
    if (fits) return place;
    fail("memory-exceeded", port.at.task, "its tiles do not fit into its buffer of " + shapeText(task.buffer),
         "infer its buffer and shared loops from its types");
    return {};
  }

  const DataflowDesign& design_;
  ExternalMemory memory_;
  std::vector<Fifo> fifos_;
  std::optional<Diagnostic> failed_;
};

}  // namespace

Result<std::vector<FloatTensor>> designResults(const DataflowDesign& design, const TensorSet& given) {
  return Run(design, given).results();
}

}  // namespace sluice::inline tensor
