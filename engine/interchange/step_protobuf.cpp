#include "engine/interchange/step_protobuf.h"

#include <nlohmann/json.hpp>

#include "engine/core/cancelled.h"
#include "engine/interchange/protobuf_message.h"
#include "engine/interchange/step_fixture.h"
#include "engine/interchange/step_message.h"

namespace sluice::inline interchange {

namespace {

using nlohmann::json;

/// Settings that name an operator must find it.
Diagnostics strangers(const StepGraphOptions& options, const json& ops) {
  std::map<std::int64_t, std::string> kinds;
  for (const json& op : ops) kinds[op.at("id").get<std::int64_t>()] = op.at("T").get<std::string>();
  Diagnostics wrong;
  const auto check = [&](const auto& depths, const char* key, const std::string& kind) {
    for (const auto& [id, depth] : depths) {
      const auto found = kinds.find(id);
      if (found != kinds.end() && (kind.empty() || found->second == kind)) continue;
      wrong.push_back(error(
          "unknown-name",
          Location("the simulator's settings") / Location(Where::Field, key + ("." + std::to_string(id))),
          "the graph has no " + (kind.empty() ? std::string("operator") : kind) + " of this id",
          "give the settings that belong to the graph"));
    }
  };
  check(options.sim.depths, "config_dict", "");
  check(options.sim.buffer_depths, "buffer_depths", "RandomOffChipStore");
  return wrong;
}

/// What the graph, the settings and the caller say of a float's bytes must agree; if none says it: two.
Result<std::int64_t> agreedBytes(const StepMessageReader& graph, const StepGraphOptions& options,
                                 const Location& file) {
  struct Claim {
    std::string who;
    std::int64_t bytes;
    Location place = {};
  };
  std::vector<Claim> claims;
  if (graph.elementBytes())
    claims.push_back(
        {text(graph.elementBytesPlace()) + " has n_byte", *graph.elementBytes(), graph.elementBytesPlace()});
  if (options.sim.mock_bf16)
    claims.push_back({"the simulator's settings have mock_bf16", *options.sim.mock_bf16 ? 2 : 4});
  if (options.element_bytes) claims.push_back({"--element-bytes", *options.element_bytes});
  for (const Claim& claim : claims) {
    if (claim.bytes == claims.front().bytes) continue;
    Diagnostic disagree =
        error("data-type-mismatch", file,
              "a float has " + std::to_string(claims.front().bytes) + " bytes (" + claims.front().who +
                  "), but " + std::to_string(claim.bytes) + " (" + claim.who + ")",
              "give the settings that the graph was built with, or leave them out: the graph says it");
    if (!claims.front().place.empty()) disagree.related.push_back(claims.front().place);
    return disagree;
  }
  return claims.empty() ? 2 : claims.front().bytes;
}

Result<json> readOperators(const StepGraphOptions& options, std::string_view bytes, const Location& file) {
  SLUICE_TRY(const ProtobufSchema schema,
             options.schema_files.empty()
                 ? Result<ProtobufSchema>(ProtobufSchema::builtIn("step_perf_ir"))
                 : ProtobufSchema::parse(options.schema_files, options.schema_folder));
  SLUICE_TRY(const json message, schema.read("ProgramGraph", bytes, file, options.stop));
  const auto operators = message.find("operators");
  const bool some = operators != message.end() && operators->is_array() && !operators->empty();
  if (some && !message.contains("unknown")) return *operators;
  return error("wrong-format", file, "the bytes are no STeP graph: no ProgramGraph with operators",
               "give the graph.pb that the front end wrote");
}

}  // namespace

Result<StepGraphImport> importStepProtobuf(std::string_view bytes, const std::string& name,
                                           const StepGraphOptions& options) {
  const Location file(Where::File, name);
  SLUICE_TRY(const json operators, readOperators(options, bytes, file));
  StepGraphImport import;
  json ops = json::array();
  StepMessageReader reader(options, import.report);
  for (const json& operation : operators) {
    if (options.stop.stop_requested()) return cancelledDiagnostic();
    Location place = file;
    try {
      place /=
          Location(Where::Operator, std::to_string(operation.value("id", 0)), operation.value("name", ""));
      ops.push_back(reader.read(operation, place));
    } catch (const ImportRefusal& problem) {
      return problem.at(place,
                        "export the graph with operators and fields that are known here and its .npy files "
                        "beside it, or give the front end's own .proto files");
    } catch (const json::exception& problem) {
      return error("missing-field", file, std::string("the schema lacks a field: ") + problem.what(),
                   "give the .proto files of the front end that wrote the graph");
    }
  }
  if (Diagnostics wrong = strangers(options, ops); !wrong.empty()) return wrong;
  SLUICE_TRY(const std::int64_t element_bytes, agreedBytes(reader, options, file));
  json graph = {{"depth", options.sim.channel_depth ? json(*options.sim.channel_depth) : json()},
                {"fb", element_bytes},
                {"cfg", json::object()},
                {"ops", std::move(ops)}};
  for (const auto& [id, depth] : options.sim.depths) graph["cfg"][std::to_string(id)] = depth;
  SLUICE_TRY(import.document, importStepGraph(graph, name, options.stop));
  if (options.hbm) options.hbm->applyTo(import.document.machine);
  if (options.sim.on_chip_bandwidth)
    import.document.machine.on_chip_bandwidth = Value(*options.sim.on_chip_bandwidth);
  return import;
}

}  // namespace sluice::inline interchange
