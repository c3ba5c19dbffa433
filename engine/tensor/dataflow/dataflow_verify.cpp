// The invariants of dataflow designs, checked after every rewrite.

#include <algorithm>
#include <map>
#include <set>

#include "engine/itensor/canonical.h"
#include "engine/itensor/converter.h"
#include "engine/itensor/coverage.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/dataflow/design_index.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/programs/program_kernels.h"

namespace sluice::inline tensor {
namespace {

class DesignCheck {
 public:
  explicit DesignCheck(const DataflowDesign& design) : design_(design) {}

  Diagnostics run() {
    found_ = verify(design_.program);
    if (!found_.empty()) return std::move(found_);
    checkLists();
    if (!found_.empty()) return std::move(found_);
    checkConnections();
    if (!found_.empty()) return std::move(found_);
    index_.emplace(design_);
    for (const Task& task : design_.tasks) checkTask(task);
    for (const DataflowStream& stream : design_.streams) checkStream(stream);
    if (found_.empty()) checkMemory();
    return std::move(found_);
  }

 private:
  void report(Code code, Location place, std::string cause, std::string fix) {
    found_.push_back(error(code, std::move(place), std::move(cause), std::move(fix)));
  }
  void report(Code code, const Task& task, std::string cause, std::string fix) {
    report(code, Location(Where::Task, task.name), std::move(cause), std::move(fix));
  }
  /// What is wrong with something at this place.
  void reportInside(Location place, Diagnostic why) {
    why.place = std::move(place) / why.place;
    found_.push_back(std::move(why));
  }
  const TensorValue& tensor(std::size_t number) const { return design_.program.tensors[number]; }

  // ---- what the numbers name ------------------------------------------------------------------------------

  void checkLists() {
    if (design_.layouts.size() != design_.program.tensors.size())
      return report("layout-mismatch", "the layouts",
                    "there are " + std::to_string(design_.layouts.size()) + " of " +
                        std::to_string(design_.program.tensors.size()) + " tensors",
                    "give every tensor one");
    std::set<std::string> names;
    for (const Task& task : design_.tasks) {
      if (!names.insert(task.name).second)
        report("duplicate-name", task, "another task has its name", "give every task a name of its own");
      checkArity(task);
      for (const auto* ports : {&task.inputs, &task.outputs})
        for (const TaskPort& port : *ports) checkPort(task, port);
    }
    for (const DataflowStream& stream : design_.streams) {
      const auto& tasks = design_.tasks;
      if (stream.from.task >= tasks.size() || stream.from.port >= tasks[stream.from.task].outputs.size() ||
          stream.to.task >= tasks.size() || stream.to.port >= tasks[stream.to.task].inputs.size())
        report("unknown-name", nameOf(design_, stream), "an end of it does not exist",
               "join an output with an input");
    }
  }

  void checkArity(const Task& task) {
    const std::size_t in = task.inputs.size(), out = task.outputs.size();
    bool right = false;
    switch (task.kind) {
      case TaskKind::Compute: {
        const auto& operators = design_.program.operators;
        right =
            task.subject < operators.size() && in == readTensors(operators[task.subject]).size() && out == 1;
        break;
      }
      case TaskKind::Load:
        right = in == 0 && out == 1;
        break;
      case TaskKind::Store:
        right = in == 1 && out == 0;
        break;
      case TaskKind::Converter:
        right = in == 1 && out == 1;
        break;
      case TaskKind::Fork:
        right = in == 1 && out >= 2;
        break;
      case TaskKind::Join:
        right = in >= 2 && out == 1;
        break;
    }
    if (!right)
      report("unknown-port", task,
             "a " + std::string(text(task.kind)) + " task cannot have " + std::to_string(in) +
                 " inputs and " + std::to_string(out) + " outputs",
             "give it the ports of its kind, a compute task those of an operator of the program");
  }

  void checkPort(const Task& task, const TaskPort& port) {
    if (port.tensor >= design_.program.tensors.size())
      return report("unknown-tensor", task, "a port names tensor " + std::to_string(port.tensor),
                    "name one of the program");
    if (const Result<Done> type = verify(port.type); !type) {
      for (const Diagnostic& why : type.diagnostics()) reportInside(Location(Where::Task, task.name), why);
      return;
    }
    const TensorValue& value = tensor(port.tensor);
    bool inside = port.type.rank() == value.shape.size() && port.type.scalar == value.scalar;
    for (std::size_t k = 0; inside && k < value.shape.size(); ++k) {
      const OffsetRange range = offsetRange(port.type, k);
      inside = range.begin >= 0 && range.end <= value.shape[k];
    }
    if (!inside)
      report("shape-mismatch", task,
             text(port.type) + " is no stream of tensor '" + value.name + "' of " + shapeText(value.shape) +
                 "x" + text(value.scalar),
             "use tiles that lie inside the tensor, of its scalar");
    if (port.external && task.kind != TaskKind::Compute)
      report("unknown-port", task, "it is no compute task and has a port to external memory",
             "move the transfer to the task that computes, or use a load or store task");
  }

  // ---- who is joined with whom ----------------------------------------------------------------------------

  void checkConnections() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> into, from;
    for (const DataflowStream& stream : design_.streams) {
      ++into[{stream.to.task, stream.to.port}];
      ++from[{stream.from.task, stream.from.port}];
      if (design_.tasks[stream.from.task].group != design_.tasks[stream.to.task].group)
        report("unconnected-port", nameOf(design_, stream), "it joins tasks of different groups",
               "exchange the tensor through external memory, or fuse the groups");
    }
    for (std::size_t task = 0; task < design_.tasks.size(); ++task) {
      const Task& t = design_.tasks[task];
      for (std::size_t port = 0; port < t.inputs.size(); ++port) {
        const std::size_t sources = into[{task, port}] + (t.inputs[port].external ? 1 : 0);
        if (sources != 1)
          report("unconnected-port", Location(Where::Port, nameOf(design_, {task, port}, false)),
                 "it has " + std::to_string(sources) + " sources",
                 "give every input one stream, or let it read external memory itself");
      }
      for (std::size_t port = 0; port < t.outputs.size(); ++port)
        if (from[{task, port}] == 0 && !t.outputs[port].external)
          report("unconnected-port", Location(Where::Port, nameOf(design_, {task, port}, true)),
                 "nothing reads it", "join it with an input, store it or remove the task");
    }
    if (taskOrder(design_).size() < design_.tasks.size())
      report("cyclic-graph", "the graph of tasks", "it has a cycle",
             "break the cycle through external memory");
  }

  // ---- types ----------------------------------------------------------------------------------------------

  void checkTask(const Task& task) {
    switch (task.kind) {
      case TaskKind::Compute:
        return checkCompute(task);
      case TaskKind::Load:
        return checkTransferBuffer(task, task.outputs[0].type);
      case TaskKind::Store:
        checkTransferBuffer(task, task.inputs[0].type);
        return checkWhole(task, task.inputs[0]);
      case TaskKind::Converter:
        return checkConverter(task);
      case TaskKind::Fork:
        for (const TaskPort& port : task.outputs)
          if (port.tensor != task.inputs[0].tensor || !sameStream(port.type, task.inputs[0].type))
            report("tile-mismatch", task, "an output does not carry what comes in",
                   "give all its ports one type");
        return;
      case TaskKind::Join:
        return checkJoin(task);
    }
  }

  /// Ports that follow from one tiling of the operator's loops.
  void checkCompute(const Task& task) {
    const TensorOperator& op = design_.program.operators[task.subject];
    const OperatorNest nest = withoutUnitLoops(nestOf(design_.program, op));
    std::vector<const TaskPort*> ports;
    for (const TaskPort& port : task.inputs) ports.push_back(&port);
    ports.push_back(&task.outputs[0]);
    std::vector<ITensor> types;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      types.push_back(ports[i]->type);
      if (ports[i]->tensor != nest.accesses[i].tensor)
        return report("shape-mismatch", task,
                      "a port carries another tensor than '" + op.name + "' reads or writes there",
                      "give its ports the tensors of the operator, in order");
    }
    const auto tiles = tilesOf(nest, types);
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (!tiles || !sameStream(types[i], tiledStream(nest, nest.accesses[i], types[i].scalar, *tiles)))
        return report("tile-mismatch", task,
                      "the type of tensor '" + tensor(ports[i]->tensor).name +
                          "' is not what tiling the loops of '" + op.name + "' gives",
                      "derive all types of a compute task from one choice of tiles");
    if (task.outputs[0].external) checkWhole(task, task.outputs[0]);
  }

  void checkWhole(const Task& task, const TaskPort& port) {
    const Result<Coverage> sent = coverage(port.type, tensor(port.tensor).shape);
    if (!sent || sent->kind() != CoverageKind::Exact)
      report("tile-mismatch", task,
             "it does not store every element of '" + tensor(port.tensor).name + "' once",
             "store a stream that covers the tensor exactly");
  }

  void checkTransferBuffer(const Task& task, const ITensor& type) {
    if (task.buffer != type.tile)
      report("tile-mismatch", task,
             "its buffer is " + shapeText(task.buffer) + ", its tile " + elementText(type),
             "let it hold one tile");
  }

  void checkConverter(const Task& task) {
    const TaskPort &source = task.inputs[0], &result = task.outputs[0];
    if (source.tensor != result.tensor)
      return report("shape-mismatch", task, "it turns one tensor into another",
                    "convert between types of one tensor");
    const Shape& shape = tensor(source.tensor).shape;
    for (const ConverterOrder order :
         {ConverterOrder::OrderFree, ConverterOrder::FirstDimension, ConverterOrder::LastDimension}) {
      const Result<Converter> converter = inferConverter(source.type, result.type, shape, order);
      if (!converter) {
        found_.insert(found_.end(), converter.diagnostics().begin(), converter.diagnostics().end());
        return;
      }
      if (converter->kind == ConverterKind::None)
        return report("operator-rule", task, "its two types are the same stream", "remove it");
      if (converter->buffer == task.buffer && converter->before_loop == task.before_loop) return;
    }
    if (task.buffer != shape || task.before_loop != 0)
      report("tile-mismatch", task,
             "a buffer of " + shapeText(task.buffer) + " inside " + std::to_string(task.before_loop) +
                 " loops cannot turn " + text(source.type) + " into " + text(result.type),
             "use the buffer that converter inference gives, or one of the whole tensor");
  }

  void checkJoin(const Task& task) {
    const TaskPort& out = task.outputs[0];
    const std::size_t ways = task.inputs.size();
    for (std::size_t i = 0; i < ways; ++i) {
      const auto slice = interleavedSlice(out.type, ways, i);
      if (!slice || task.inputs[i].tensor != out.tensor || !sameStream(*slice, task.inputs[i].type))
        return report(
            "tile-mismatch", task,
            "input " + std::to_string(i) + " is not every " + std::to_string(ways) + "th token of its output",
            "join streams that were interleaved");
    }
  }

  void checkStream(const DataflowStream& stream) {
    const TaskPort &from = sourceOf(design_, stream), &to = targetOf(design_, stream);
    const bool renamed = from.tensor != to.tensor;
    if (renamed && !isReassociated(design_.program, index_->writers(), from, to))
      report(
          "tile-mismatch", nameOf(design_, stream),
          "it leaves as tiles of '" + tensor(from.tensor).name + "' and arrives as tiles of '" +
              tensor(to.tensor).name + "'",
          "join ports of one tensor, or of a tensor and a reshape of it whose tiles hold the same scalars");
    if (!renamed && !sameStream(from.type, to.type))
      if (const auto converter = inferConverter(from.type, to.type, tensor(from.tensor).shape); !converter)
        for (const Diagnostic& why : converter.diagnostics())
          reportInside(Location(Where::Stream, endsOf(design_, stream)), why);
    if (!stream.vector.empty()) checkVector(stream, renamed);
    if (stream.folded) checkFolded(stream, renamed);
    if (stream.depth && *stream.depth < 1)
      report("out-of-range", nameOf(design_, stream), "its depth is " + std::to_string(*stream.depth),
             "use at least 1");
  }

  void checkVector(const DataflowStream& stream, bool renamed) {
    for (const TaskPort* port : {&sourceOf(design_, stream), &targetOf(design_, stream)})
      if (renamed || !vectorDivides(stream.vector, port->type))
        return report("tile-mismatch", nameOf(design_, stream),
                      "vectors of " + shapeText(stream.vector) + " do not divide its tiles of " +
                          elementText(port->type),
                      "use a vector that divides the tiles of both ends in every dimension");
  }

  void checkFolded(const DataflowStream& stream, bool renamed) {
    const bool alone = index_->streamsFrom(stream.from).size() == 1 && !sourceOf(design_, stream).external;
    const auto routes = [&](std::size_t task) {
      return design_.tasks[task].kind == TaskKind::Fork || design_.tasks[task].kind == TaskKind::Join;
    };
    if (renamed || !alone || routes(stream.from.task) || routes(stream.to.task) || !stream.vector.empty() ||
        stream.depth || !sameStream(sourceOf(design_, stream).type, targetOf(design_, stream).type))
      report("operator-rule", nameOf(design_, stream), "it is folded, but its ends do not share one buffer",
             "fold only what one task alone reads, whole tiles in the same order, without a FIFO");
  }

  // ---- external memory ------------------------------------------------------------------------------------

  void checkMemory() {
    checkOperators();
    const std::span<const ExternalAccess> accesses = index_->accesses();
    const std::vector<std::size_t>& storage = index_->storages();
    std::map<std::size_t, std::size_t> written;  // storage: the group that writes it
    for (const ExternalAccess& access : accesses)
      if (access.written && !written.emplace(storage[access.port.tensor], access.group).second)
        report("operator-rule", Location(Where::Tensor, tensor(access.port.tensor).name),
               "it is stored twice", "store it once");
    for (const ExternalAccess& access : accesses) {
      const auto writer = written.find(storage[access.port.tensor]);
      if (access.written || tensor(storage[access.port.tensor]).role != TensorRole::Activation) continue;
      if (writer == written.end() || writer->second >= access.group)
        report("uninitialised-read", Location(Where::Task, access.task),
               "it reads '" + tensor(access.port.tensor).name + "' before an earlier group has stored it",
               "store it in a group that runs before, or join the tasks by a stream");
    }
    for (const std::size_t result : design_.program.results)
      if (tensor(storage[result]).role == TensorRole::Activation && !written.contains(storage[result]))
        report("unconnected-port", "result '" + tensor(result).name + "'", "nothing stores it",
               "store it to external memory");
    checkLayouts(accesses, storage);
  }

  /// Each is one task, or a reshape that only names memory or a stream anew.
  void checkOperators() {
    std::vector<std::size_t> tasks(design_.program.operators.size(), 0);
    for (const Task& task : design_.tasks)
      if (task.kind == TaskKind::Compute) ++tasks[task.subject];
    for (std::size_t op = 0; op < tasks.size(); ++op)
      if (tasks[op] > 1 || (tasks[op] == 0 && !isPlainReshape(design_.program.operators[op])))
        report("operator-rule", Location(Where::Operator, design_.program.operators[op].name),
               std::to_string(tasks[op]) + " tasks compute it", "let one task compute it");
  }

  void checkLayouts(std::span<const ExternalAccess> accesses, const std::vector<std::size_t>& storage) {
    std::map<std::size_t, std::set<std::size_t>> names;  // of each storage
    for (const ExternalAccess& access : accesses)
      names[storage[access.port.tensor]].insert(access.port.tensor);
    for (const std::size_t result : design_.program.results) names[storage[result]].insert(result);
    for (std::size_t number = 0; number < design_.layouts.size(); ++number) {
      const ExternalLayout& layout = design_.layouts[number];
      if (layout == ExternalLayout{}) continue;
      if (const Result<Done> fits = verify(layout, tensor(number)); !fits)
        found_.insert(found_.end(), fits.diagnostics().begin(), fits.diagnostics().end());
      if (names[storage[number]].size() > 1)
        report("layout-mismatch", "external layout of tensor '" + tensor(number).name + "'",
               "the same memory is also read under another shape",
               "leave memory with several names row-major");
    }
    for (const ExternalAccess& access : accesses) {
      const ExternalLayout& layout = design_.layouts[access.port.tensor];
      if (!layout.vector.empty() && !vectorDivides(layout.vector, access.port.type))
        report("layout-mismatch", Location(Where::Task, access.task),
               "its tiles of " + elementText(access.port.type) + " are not made of whole words of " +
                   shapeText(layout.vector),
               "widen the tensor to words that divide the tiles of all its transfers");
    }
  }

  using Shape = std::vector<std::int64_t>;
  const DataflowDesign& design_;
  std::optional<DesignIndex> index_;  ///< once its lists are sound
  Diagnostics found_;
};

}  // namespace

Diagnostics verify(const DataflowDesign& design) {
  return DesignCheck(design).run();
}

}  // namespace sluice::inline tensor
