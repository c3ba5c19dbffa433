// A scheduled program as a graph of STeP's simulator: protobuf, the arrays that it names, and the settings of
// a run.

#include <nlohmann/json.hpp>

#include "engine/core/cancelled.h"
#include "engine/core/embedded_files.h"
#include "engine/emitters/emitter.h"
#include "engine/emitters/project_origin.h"
#include "engine/emitters/step_depths.h"
#include "engine/emitters/step_form.h"
#include "engine/emitters/step_operators.h"
#include "engine/interchange/numpy.h"
#include "engine/interchange/protobuf_message.h"
#include "engine/interchange/step_message_writer.h"
#include "engine/operators/simulate.h"
#include "engine/program/reference_machine.h"

namespace sluice::inline emitters {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t simulators_bandwidth = 64;  ///< bytes a cycle of a unit of on-chip memory

/// As the message DataType calls it; empty: it has no name for such elements.
std::string typeName(const ElementType& element) {
  if (element.selector()) return "multi_hot";
  if (element.buffer()) return "buffer";
  const TileType* const tile = element.tile();
  if (!tile) return {};
  if (tile->scalar == Scalar::Bool) return "scalar_bool";
  if (tile->scalar == Scalar::F16) return "f16";
  return isFloat(tile->scalar) ? "f32" : "u64";
}

class Project {
 public:
  Project(const FlatGraph& graph, const Inference& inference, const InputSet& inputs,
          const ProtobufSchema& schema)
      : graph_(graph), inference_(inference), inputs_(inputs), schema_(schema) {}

  Result<std::vector<ProjectFile>> files() {
    Diagnostics problems = beyondReferenceMachine(graph_.machine, "STeP's simulator");
    Result<std::vector<nlohmann::json>> operators = stepOperators(graph_, inputs_);
    if (!operators)
      problems.insert(problems.end(), operators.diagnostics().begin(), operators.diagnostics().end());
    if (!problems.empty()) return problems;
    operators_ = *std::move(operators);
    SLUICE_TRY(const StepDepths depths, stepDepths(graph_, operators_));
    nlohmann::json messages = nlohmann::json::array();
    for (const OperatorId id : depths.order) {
      SLUICE_TRY(nlohmann::json message, messageOf(id));
      messages.push_back(std::move(message));
    }
    SLUICE_TRY(std::string graph, schema_.write("ProgramGraph", {{"operators", std::move(messages)}}));
    files_.insert(files_.begin(), {"graph.pb", std::move(graph)});
    files_.push_back({"hbm_config.json", memorySettings().dump(2) + "\n"});
    files_.push_back({"sim_config.json", settings(depths).dump(2) + "\n"});
    return std::move(files_);
  }

 private:
  Result<nlohmann::json> messageOf(OperatorId id) {
    const FlatOperator& op = graph_.operators[id];
    StepElementTypes types;
    for (const StreamId stream : op.inputs) types.inputs.push_back(typeName(typeOf(stream).element));
    if (!op.inputs.empty())
      types.rank = static_cast<std::int64_t>(typeOf(op.inputs.front()).shape.size()) - 1;
    if (!op.outputs.empty()) types.output = typeName(typeOf(op.outputs.front()).element);
    types.bytes = graph_.machine.mock_bf16 ? 2 : 4;
    Result<StepMessage> made = writeStepMessage(operators_[id], types, schema_);
    if (!made) {
      Diagnostic why = made.diagnostics().front();
      why.place = schema_.place() / Location(Where::Operator, op.name);
      return why;
    }
    StepMessage& written = *made;
    written.operation["name"] = op.name;
    if (!written.array.empty()) files_.push_back({written.array, integerNpy(written.values)});
    return std::move(written.operation);
  }

  const StreamType& typeOf(StreamId stream) const { return inference_.streams[stream]; }

  Json memorySettings() const {
    const BoundMachine& machine = graph_.machine;
    return {{"addr_offset", machine.hbm_request_bytes},
            {"channel_num", machine.hbm_channels},
            {"per_channel_latency", machine.hbm_latency},
            {"per_channel_init_interval", machine.hbm_initiation_interval},
            {"per_channel_outstanding", 1},
            {"per_channel_start_up_time", machine.hbm_start_up}};
  }

  Json settings(const StepDepths& depths) const {
    Json of_operators = Json::object(), buffers = Json::object();
    for (const auto& [id, depth] : depths.depths) of_operators[std::to_string(id)] = depth;
    for (const nlohmann::json& op : operators_)
      if (op.contains("buffer")) buffers[op.at("id").dump()] = op.at("buffer").get<std::int64_t>();
    return {{"channel_depth", depths.channel_depth},
            {"functional_sim", false},
            {"mock_bf16", graph_.machine.mock_bf16},
            {"config_dict", of_operators},
            {"on_chip_bandwidth", graph_.machine.on_chip_bandwidth},
            {"buffer_depths", buffers}};
  }

  const FlatGraph& graph_;
  const Inference& inference_;
  const InputSet& inputs_;
  const ProtobufSchema& schema_;
  std::vector<nlohmann::json> operators_;
  std::vector<ProjectFile> files_;
};

std::string readme(const BoundMachine& machine) {
  std::string text =
      "# A graph of STeP's simulator\n\n"
      "`graph.pb` is a `ProgramGraph` of step_perf_ir, `data_*.npy` are the arrays that it names, "
      "`hbm_config.json` and\n"
      "`sim_config.json` the settings of a run (`HBMConfig` and `SimConfig` of the Python front end).\n\n"
      "`python3 run.py FOLDER` runs it; FOLDER holds `step_perf.so`, which building step-perf gives as\n"
      "`target/release/libstep_perf.so`. `expected.json` says what Sluice's run took; run.py fails where the "
      "simulator's differs\n"
      "by more than 1 %. Where nothing races it is the same to a cycle; where threads of the host race for "
      "an EagerMerge or\n"
      "a Reassemble, its own runs differ, by tenths of a per cent in small layers of experts.\n\n"
      "`sluice-cli import graph.pb -o FILE.sluice` reads it again.\n";
  if (machine.on_chip_bandwidth != simulators_bandwidth)
    text += "\nThe program's on-chip memory moves " + std::to_string(machine.on_chip_bandwidth) +
            " bytes a cycle. No setting of the simulator says so: it is a constant of its sources, 64.\n";
  return text;
}

/// Why the project, which is written, will not do what one expects of it.
Diagnostics notesOf(const BoundMachine& machine, const SimulationResult* run) {
  Diagnostics notes;
  if (machine.on_chip_bandwidth != simulators_bandwidth)
    notes.push_back(warning("unsupported-machine",
                            Location(Where::Machine) / Location(Where::Field, "on_chip_bandwidth"),
                            "it is " + std::to_string(machine.on_chip_bandwidth) +
                                ", and 64 in the sources of STeP's simulator: its cycles will be others",
                            "set it to 64 to compare them"));
  if (run && run->deadlock)
    notes.push_back(warning("deadlock", Location("the program"),
                            "it deadlocks, and then STeP's simulator does not end",
                            "'sluice-cli unlock' finds the depths that free it, where depths do"));
  return notes;
}

Result<ProtobufSchema> schemaOf(const std::string& folder) {
  if (folder.empty()) return ProtobufSchema::builtIn("step_perf_ir");
  return ProtobufSchema::ofFolder(folder);
}

Result<std::vector<ProjectFile>> project(const EmitRequest& request) {
  Workload workload;
  workload.document = *request.document;
  workload.inputs = *request.inputs;
  SLUICE_TRY(StepProject project,
             stepProjectOf(workload, request.knobs,
                           {.expected = request.data, .schema = request.folder, .trace = request.trace},
                           request.stop));
  return std::move(project.files);
}

}  // namespace

Result<StepProject> stepProjectOf(const Workload& workload, const KnobValues& knobs, const StepForm& form,
                                  const std::stop_token& stop) {
  SLUICE_TRY(const SymbolicResult symbolic, evaluateSymbolic(workload, knobs, {}, stop));
  const InputSet& inputs = symbolic.scheduled ? symbolic.scheduled->inputs : workload.inputs;
  SLUICE_TRY(const ProtobufSchema schema, schemaOf(form.schema));
  StepProject project;
  SLUICE_TRY(project.files, Project(symbolic.graph, symbolic.inference, inputs, schema).files());
  std::optional<SimulationResult> run;
  if (form.expected) {
    SimulationOptions options;
    options.stop = stop;
    run = simulate(symbolic.graph, inputs, options);
    if (run->cancelled) return cancelledDiagnostic();
    const Json expected = {{"cycles", run->cycles}, {"deadlock", run->deadlock.has_value()}};
    project.files.push_back({"expected.json", expected.dump(2) + "\n"});
  }
  project.notes = notesOf(symbolic.graph.machine, run ? &*run : nullptr);
  for (const EmbeddedFile& file : stepFiles())
    project.files.push_back({std::string(file.name) + ".py", std::string(file.text)});
  project.files.push_back({"README.md", readme(symbolic.graph.machine)});
  addOrigin(project.files, {.form = "step",
                            .document = &workload.document,
                            .inputs = &workload.inputs,
                            .knobs = knobs,
                            .sources = form.sources,
                            .trace = form.trace});
  return project;
}

const Emitter& step() {
  static const Emitter emitter{.name = "step",
                               .title = "Graph of STeP's simulator",
                               .summary = "a scheduled program as a protobuf graph of STeP's simulator",
                               .run = "python3 run.py FOLDER",
                               .has_data = true,
                               .folder = FolderChoice{"schema", "Schema", "the program's own",
                                                      "The .proto files of the simulator, by which the graph "
                                                      "is written"},
                               .project = project};
  return emitter;
}

}  // namespace sluice::inline emitters
