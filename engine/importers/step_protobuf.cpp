// STeP protobuf: a STeP graph as the reference front end serialises it, with the settings of the authors'
// run.

#include "engine/interchange/step_protobuf.h"

#include "engine/core/atomic_file.h"
#include "engine/importers/importer.h"
#include "engine/interchange/protobuf_message.h"
#include "engine/program/fields.h"

namespace sluice::inline importers::step_protobuf {
namespace {

constexpr std::uintmax_t settings_limit = 1 << 24;  // bytes

/// A file of settings: the one that was asked for, or the one of that name beside the graph.
std::filesystem::path settingsFile(const std::filesystem::path& given, const std::filesystem::path& graph,
                                   const char* name) {
  const std::filesystem::path beside = graph.parent_path() / name;
  std::error_code problem;
  return !given.empty() || !std::filesystem::is_regular_file(beside, problem) ? given : beside;
}

/// Says which file decided, where the user did not name it.
void tellOf(const std::filesystem::path& file, const std::string& given, Diagnostics& report) {
  if (!given.empty()) return;
  report.push_back(note("settings-assumed", Location(Where::File, file.string()),
                        "the run's settings were taken from this file",
                        "name another file with --hbm-config or --sim-config, or move this one away"));
}

/// What the options give comes before what the files say.
Result<StepGraphOptions> settingsOf(const std::filesystem::path& graph, const ImportOptions& options,
                                    Diagnostics& report) {
  StepGraphOptions step{.sim = {},
                        .hbm = {},
                        .element_bytes = options.element_bytes,
                        .folder = graph.parent_path(),
                        .schema_files = {},
                        .stop = options.stop};
  if (!options.schema.empty()) {
    SLUICE_TRY(step.schema_files, protobufFiles(options.schema));
    step.schema_folder = options.schema;
  }
  if (const auto file = settingsFile(options.hbm_config, graph, "hbm_config.json"); !file.empty()) {
    SLUICE_TRY(const std::string text, readFile(file, settings_limit));
    SLUICE_TRY(step.hbm, parseHbmConfig(text, file.string()));
    tellOf(file, options.hbm_config, report);
  }
  if (const auto file = settingsFile(options.sim_config, graph, "sim_config.json"); !file.empty()) {
    SLUICE_TRY(const std::string text, readFile(file, settings_limit));
    SLUICE_TRY(step.sim, parseSimConfig(text, file.string()));
    if (step.sim.functional) {
      report.push_back(note("settings-assumed", Location(Where::File, file.string()),
                            "functional_sim is a matter of the run",
                            "compute with 'sluice-cli simulate FILE --compute float32'"));
    }
    tellOf(file, options.sim_config, report);
  }
  if (options.fifo_depth) step.sim.channel_depth = options.fifo_depth;
  return step;
}

Result<Imported> read(const std::string& bytes, const std::filesystem::path& file,
                      const ImportOptions& options) {
  Diagnostics report;
  SLUICE_TRY(const StepGraphOptions step, settingsOf(file, options, report));
  SLUICE_TRY(StepGraphImport graph, importStepProtobuf(bytes, file.string(), step));
  if (!step.sim.channel_depth) {
    report.push_back(
        note("settings-assumed", Location(Where::File, file.string()),
             "nothing says how deep FIFOs are: " + std::to_string(SimConfig::default_depth) +
                 " tokens, the simulator's default",
             "give --fifo-depth, or channel_depth in a sim_config.json beside the graph (or --sim-config)"));
  }
  if (!step.hbm) {
    report.push_back(
        note("settings-assumed", Location(Where::File, file.string()),
             "nothing says what the memory is: " + std::to_string(HbmConfig().channels) +
                 " channels, and the simulator's other defaults",
             "put the run's hbm_config.json beside the graph, give --hbm-config, or set the machine's "
             "numbers"));
  }
  report.insert(report.end(), graph.report.begin(), graph.report.end());
  return Imported{std::move(graph.document), std::move(report)};
}

constexpr const char* only_here = "settings of STeP's simulator are for graphs in its protobuf form";

std::vector<ImportOption> options() {
  return {
      {.name = "fifo-depth",
       .member = &ImportOptions::fifo_depth,
       .help = "tokens of every channel (default: channel_depth of --sim-config, else 1024)",
       .range = Range{1, fieldOf(&Machine::fifo_depth).range.maximum},
       .elsewhere = only_here},
      {.name = "element-bytes",
       .member = &ImportOptions::element_bytes,
       .help = "bytes of a float, 2 (mock_bf16) or 4, for a graph that does not say (n_byte)",
       .choices = {"2", "4"},
       .elsewhere = only_here},
      {.name = "hbm-config",
       .member = &ImportOptions::hbm_config,
       .help = "the front end's HBMConfig as JSON: addr_offset, channel_num, per_channel_latency, "
               "per_channel_init_interval, per_channel_start_up_time (default: hbm_config.json beside the "
               "graph)",
       .type = "FILE",
       .elsewhere = only_here},
      {.name = "sim-config",
       .member = &ImportOptions::sim_config,
       .help =
           "the front end's SimConfig as JSON: channel_depth, config_dict {\"ID\": DEPTH}, mock_bf16, and "
           "on_chip_bandwidth, buffer_depths {\"ID\": TILES} (default: sim_config.json beside the graph)",
       .type = "FILE",
       .elsewhere = only_here},
      {.name = "schema",
       .member = &ImportOptions::schema,
       .help = "folder with the .proto files that the graph was written by",
       .type = "FOLDER",
       .elsewhere = "a schema is for STeP graphs in their protobuf form"}};
}

}  // namespace

/// Stands last: what no other importer takes. A message has no mark of its own; only a brace never begins
/// one, as its first byte is a field's tag.
const Importer& definition() {
  static const Importer importer{.name = "STeP protobuf",
                                 .title = "a STeP graph in protobuf",
                                 .suffixes = {"pb"},
                                 .suffix = SuffixSays::Foreign,
                                 .sniff = [](std::string_view) { return true; },
                                 .content = "anything else",
                                 .options = options(),
                                 .read = read};
  return importer;
}

}  // namespace sluice::inline importers::step_protobuf
