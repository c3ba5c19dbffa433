#include "app/window/tensor/compiled_view.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "app/window/document/shown_program.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/tensor/placement_controller.h"
#include "app/window/tensor/rewrite_controller.h"
#include "app/window/tensor/tensor_tools.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "engine/tensor/programs/repeated_layers.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/inspector.h"
#include "widgets/itensor/itensor_page.h"
#include "widgets/rewrites/rewrites_page.h"

namespace sluice::ui {
namespace {

/// The graph that the node of this path stands in, or stood in.
const Graph* graphAround(const Document& document, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return &document.program;
  const Node* region = findNode(document, path.substr(0, dot));
  return region && region->body ? &region->body->body : nullptr;
}

TensorTypes typesBetween(const TensorCompilation& compilation, const TaskPort& from, const TaskPort& to) {
  const TensorValue& tensor = compilation.compiled.design.program.tensors[from.tensor];
  return {from.type, to.type, tensor.shape, qt(tensor.name), compilation.options.converters};
}

void addTypes(const CompiledProgram& compiled, const Graph& graph, const std::string& region,
              CompiledView& view) {
  const DataflowDesign& design = compiled.compilation.compiled.design;
  const std::string prefix = region.empty() ? "" : region + ".";
  for (std::size_t task = 0; task < design.tasks.size(); ++task) {
    const Task& made = design.tasks[task];
    if (made.kind == TaskKind::Converter && graph.find(compiled.lowered.nodes[task]))
      view.types[qt(prefix + compiled.lowered.nodes[task])] =
          typesBetween(compiled.compilation, made.inputs[0], made.outputs[0]);
  }
  std::unordered_map<std::string, Endpoint> sources;  // of the streams of the shown graph
  const std::vector<std::string> ids = streamIds(graph, region);
  for (std::size_t index = 0; index < ids.size(); ++index)
    sources.emplace(ids[index], graph.streams[index].from);
  const std::vector<std::string> made = streamIds(compiled.lowered.graph, region);
  for (std::size_t index = 0; index < design.streams.size(); ++index) {
    const DataflowStream& stream = design.streams[index];
    const std::size_t position = compiled.lowered.streams[index];
    const auto found = sources.find(made[position]);
    if (found == sources.end() || !(found->second == compiled.lowered.graph.streams[position].from)) continue;
    view.types[qt(made[position])] =
        typesBetween(compiled.compilation, design.tasks[stream.from.task].outputs[stream.from.port],
                     design.tasks[stream.to.task].inputs[stream.to.port]);
  }
}

void addGroups(const CompiledProgram& compiled, const Graph& graph, const std::string& region,
               CompiledView& view) {
  const DataflowDesign& design = compiled.compilation.compiled.design;
  std::map<std::size_t, QStringList> nodes;
  const std::string prefix = region.empty() ? "" : region + ".";
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (graph.find(compiled.lowered.nodes[task]))
      nodes[design.tasks[task].group] << qt(prefix + compiled.lowered.nodes[task]);
  if (nodes.size() < 2) return;
  for (const auto& [group, paths] : nodes) {
    const auto bytes = static_cast<double>(onChipBytes(design, group));
    view.groups << NodeGroup{QObject::tr("group %1").arg(group + 1),
                             QObject::tr("%1 tasks, %2 on chip")
                                 .arg(paths.size())
                                 .arg(text(quantity(bytes, QStringLiteral("bytes")))),
                             paths};
  }
}

/// By node: an equal layer of the program that it works for, from 1.
using Layers = std::map<std::string, std::size_t>;

/// Nodes without a layer get it along a stream, against which they are fed; then with it.
void spreadLayers(Layers& layer, const std::vector<std::pair<std::string, std::string>>& streams) {
  const auto pass = [&layer](const std::string& from, const std::string& to) {
    const auto known = layer.find(from);
    return known != layer.end() && layer.emplace(to, known->second).second;
  };
  for (bool more = true; more;) {
    more = false;
    for (const auto& [from, to] : streams) more |= pass(to, from);
    if (more) continue;
    for (const auto& [from, to] : streams) more |= pass(from, to);
  }
}

/// Kernels have the layers of their operators. Converters, loads and stores have those of the kernels that
/// they serve; what starts them and waits for them follows.
Layers layersOf(const CompiledProgram& compiled, const RepeatedLayers& layers) {
  const DataflowDesign& design = compiled.compilation.compiled.design;
  const std::vector<std::string>& nodes = compiled.lowered.nodes;
  Layers found;
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (design.tasks[task].kind == TaskKind::Compute)
      found[nodes[task]] = layers.layerOf(design.tasks[task].subject);
  std::vector<std::pair<std::string, std::string>> streams;
  for (const DataflowStream& stream : design.streams)
    streams.emplace_back(nodes[stream.from.task], nodes[stream.to.task]);
  spreadLayers(found, streams);
  streams.clear();
  for (const Stream& stream : compiled.lowered.graph.streams)
    streams.emplace_back(stream.from.node, stream.to.node);
  spreadLayers(found, streams);
  std::erase_if(found,
                [&layers](const auto& each) { return each.second == 0 || each.second > layers.count; });
  return found;
}

/// All of them, and those behind the first: opened, the first is seen beside the others in a box.
void addLayers(const CompiledProgram& compiled, const Graph& graph, const std::string& region,
               CompiledView& view) {
  const RepeatedLayers layers = repeatedLayers(compiled.compilation.compiled.design.program);
  if (layers.count < 2) return;
  const Layers layer = layersOf(compiled, layers);
  const std::string prefix = region.empty() ? "" : region + ".";
  const auto count = static_cast<int>(layers.count);
  NodeGroup all{QObject::tr("layer"), QObject::tr("%1 alike").arg(count), {}, GroupKind::EqualLayers, count};
  NodeGroup others{QObject::tr("layers 2 to %1").arg(count),
                   QObject::tr("as the first"),
                   {},
                   GroupKind::EqualLayers,
                   count - 1};
  for (const Node& node : graph.nodes) {
    const auto found = layer.find(node.name);
    if (found == layer.end()) continue;
    all.nodes << qt(prefix + node.name);
    if (found->second > 1) others.nodes << qt(prefix + node.name);
  }
  if (all.nodes.isEmpty()) return;
  view.groups << all;
  if (count > 2) view.groups << others;
}

void showTypes(ITensorPage& page, const TensorTypes& types) {
  page.setTypes(qt(sluice::text(types.source)), qt(sluice::text(types.result)), qt(shapeText(types.shape)));
  page.setCompared(!(types.source == types.result));
}

}  // namespace

CompiledView compiledView(const ScheduleTrace& trace, const Document& shown) {
  CompiledView view;
  for (const auto& [path, program] : trace.compiled.back()) {
    if (!program->finished) continue;
    const Graph* graph = graphAround(shown, path);
    if (!graph) continue;
    const std::size_t dot = path.rfind('.');
    const std::string region = dot == std::string::npos ? "" : path.substr(0, dot);
    addTypes(*program, *graph, region, view);
    addLayers(*program, *graph, region, view);
    addGroups(*program, *graph, region, view);
  }
  return view;
}

std::vector<SizingExample> designsOf(const ScheduleTrace& trace) {
  std::vector<SizingExample> designs;
  for (const auto& [path, program] : trace.compiled.back()) {
    if (!program->finished) continue;
    const TimedGraph& timed = program->compilation.compiled.timed;
    designs.push_back(
        {QObject::tr("%1 of the program").arg(qt(path)),
         QObject::tr("%1 tasks and %2 FIFOs, as the schedule compiles them. Cycles here are of the "
                     "tasks at their common pace; those at the top of the window are of the whole "
                     "program on its machine.")
             .arg(timed.kernels.size())
             .arg(timed.streams.size()),
         timed, sizingOptions(program->compilation.options)});
  }
  return designs;
}

CompiledDesigns::CompiledDesigns(Parts parts, QObject* parent) : QObject(parent), parts_(parts) {
  connect(parts_.schedule, &ScheduleController::traced, this,
          [this](const std::shared_ptr<const ScheduleTrace>& trace) {
            trace_ = trace;
            update();
            parts_.tensors->setCompiled(designsOf(*trace));
          });
  connect(parts_.tensors, &TensorCommands::made, this, [this](TensorTools* tools) {
    auto* rewrites = new RewriteController(tools->rewrites(), parts_.schedule, this);
    connect(parts_.schedule, &ScheduleController::traced, rewrites, &RewriteController::setTrace);
    rewrites->setTrace(trace_);
    auto* placement = new PlacementController(tools->placement(), this);
    connect(parts_.schedule, &ScheduleController::traced, placement, &PlacementController::setTrace);
    connect(placement, &PlacementController::nodeChosen, parts_.canvas, &GraphCanvas::selectNode);
    placement->setTrace(trace_);
    openTypes();
    connect(tools->rewrites(), &RewritesPage::placeChosen, parts_.canvas,
            [canvas = parts_.canvas](const QStringList& nodes, const QString& stream) {
              if (!stream.isEmpty())
                canvas->selectStream(stream);
              else if (!nodes.isEmpty())
                canvas->selectNodes(nodes);
            });
  });
  connect(parts_.shown, &ShownProgram::changed, this, &CompiledDesigns::update);
  connect(parts_.inspector, &Inspector::orderRequested, this, [this](const TensorTypes& types) {
    TensorTools* tools = parts_.tensors->tools();
    showTypes(*tools->types(), types);
    asked_ = types;
    tools->show(tools->types());
  });
}

void CompiledDesigns::update() {
  const bool compiled = trace_ && parts_.shown->isScheduled();
  const CompiledView view = compiled ? compiledView(*trace_, parts_.shown->document()) : CompiledView{};
  parts_.canvas->setNodeGroups(view.groups);
  parts_.inspector->setTensorTypes(view.types);
  types_ = view.types;
  openTypes();
}

void CompiledDesigns::openTypes() {
  const TensorTools* tools = parts_.tensors->toolsIfMade();
  if (types_.isEmpty() || !tools || !tools->types()->isAsSet()) return;
  // What the user has asked for stays as long as the program has it.
  if (asked_ && std::find(types_.begin(), types_.end(), *asked_) != types_.end()) return;
  asked_.reset();
  QStringList places = types_.keys();
  places.sort();
  // The selected stream; else the first place where an order is changed into another.
  const auto chosen = types_.contains(parts_.canvas->selectedStream())
                          ? std::find(places.begin(), places.end(), parts_.canvas->selectedStream())
                          : std::find_if(places.begin(), places.end(), [this](const QString& place) {
                              return !(types_[place].source == types_[place].result);
                            });
  showTypes(*tools->types(), types_[chosen != places.end() ? *chosen : places.front()]);
}

}  // namespace sluice::ui
