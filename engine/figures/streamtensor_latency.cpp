// GPT-2 on five systems (StreamTensor, MICRO '25, section 6): latency of a request, time to its first token,
// tokens per second after that; ours is what the compiled blocks are predicted to reach on the U55C.

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/figures/streamtensor.h"
#include "engine/figures/streamtensor_prediction.h"

namespace sluice::inline figures {
namespace {

struct Numbers {
  double latency = 0, first_token = 0;  ///< milliseconds
  double speed = 0;                     ///< tokens per second
};

struct Metric {
  const char* name;  ///< and column of the published tables
  const char* title;
  double Numbers::*value;
};
constexpr Metric metrics[] = {{"latency_ms", "Latency (ms)", &Numbers::latency},
                              {"ttft_ms", "First token (ms)", &Numbers::first_token},
                              {"tokens_per_second", "Tokens per second", &Numbers::speed}};

/// Prompt and answer have the same length.
constexpr std::int64_t lengths[] = {32, 64, 128, 256};
constexpr std::size_t length_count = std::size(lengths);

constexpr const char* own_system = "StreamTensor";

/// Measured, as published; the paper quotes those of the other four systems from their publications.
PublishedRow published(const std::string& system, std::size_t at) {
  return rowWith(publishedTable("gpt2_latency"),
                 {{"system", system}, {"tokens", std::to_string(lengths[at])}});
}

std::vector<std::pair<std::string, double>> byName(const Numbers& numbers) {
  std::vector<std::pair<std::string, double>> values;
  for (const Metric& metric : metrics) values.emplace_back(metric.name, numbers.*metric.value);
  return values;
}

/// Requests of 64 bytes that one load or store makes in a cycle: the compiler's default, and what it would be
/// with fewer; the paper says that an access fills a bus of 512 bits, and not how many there are.
const std::int64_t ports[] = {CompileOptions{}.requests_per_cycle, 1, 2};

constexpr std::int64_t unroll_sizes[] = {1024, 2048, 4096, 8192};

/// A block in one phase of a request.
struct Phase {
  std::optional<PlacedBlock> placed;
  ProgramBound bound;
  double cycles[std::size(ports)] = {};
};

/// A request of one length. Decode contexts grow by a token a step, and a block's cycles evenly with them:
/// the middle one stands for all.
struct Request {
  std::int64_t length = 0;
  Phase prompt, decode;
  double swept[std::size(unroll_sizes)] = {};  ///< cycles of the prompt's block

  BlockPhase promptBlock() const { return promptPhase(length); }
  BlockPhase decodeBlock() const { return decodePhase(length + (length + 1) / 2); }
};

struct Context {
  const TransformerModel& model;
  const Platform& platform;
  std::stop_token stop;
};

Result<Done> run(const Context& context, BlockPhase block, Phase& phase) {
  SLUICE_TRY(PlacedBlock placed, placedBlock(context.model, block, context.platform, ports[0]));
  const auto simulate = [&](const CompiledDesign& compiled, std::size_t port) -> Result<Done> {
    SLUICE_TRY(phase.cycles[port], simulatedCycles(compiled, context.platform, ports[port], context.stop));
    return Done{};
  };
  SLUICE_CHECK(simulate(placed.placed.compiled, 0));
  for (std::size_t port = 1; port < std::size(ports); ++port) {
    BlockChoices choices = placed.choices;
    choices.requests_per_cycle = ports[port];
    SLUICE_TRY(const CompiledDesign compiled, compiledBlock(context.model, block, context.platform, choices));
    SLUICE_CHECK(simulate(compiled, port));
  }
  phase.bound = boundOf(placed.placed.compiled.design.program, context.platform);
  phase.placed = std::move(placed);
  return Done{};
}

Result<Done> sweep(const Context& context, Request& request, std::size_t size) {
  SLUICE_TRY(const CompiledDesign block,
             compiledBlock(context.model, request.promptBlock(), context.platform,
                           {unroll_sizes[size], ports[0], Equalisation::Conservative}));
  SLUICE_TRY(request.swept[size], simulatedCycles(block, context.platform, ports[0], context.stop));
  return Done{};
}

/// Compiles and simulates everything, side by side.
Result<std::vector<Request>> runAll(const Context& context, const FigureRequest& figure_request) {
  std::vector<Request> requests(length_count);
  constexpr std::size_t jobs_of_each = 2 + std::size(unroll_sizes);
  const auto job = [&](std::size_t number) -> Result<Done> {
    Request& request = requests[number / jobs_of_each];
    request.length = lengths[number / jobs_of_each];
    const std::size_t part = number % jobs_of_each;
    if (part == 0) return run(context, request.promptBlock(), request.prompt);
    if (part == 1) return run(context, request.decodeBlock(), request.decode);
    return sweep(context, request, part - 2);
  };
  SLUICE_CHECK(runJobs(length_count * jobs_of_each, job, figure_request));
  return requests;
}

/// A whole request from the cycles of one block in each phase.
Numbers numbersOf(const Context& context, double prompt_cycles, double decode_cycles, std::int64_t answer) {
  const auto layers = static_cast<double>(context.model.layers);
  const double first = layers * milliseconds(context.platform, prompt_cycles);
  const double later = layers * milliseconds(context.platform, decode_cycles);
  return {first + later * static_cast<double>(answer), first, 1e3 / later};
}

std::string pointOf(std::size_t at) {
  return std::to_string(lengths[at]) + ":" + std::to_string(lengths[at]);
}

/// The other predictions, and what the published times ask of the multipliers beside what ours have.
void addDetails(Report& report, const Context& context, const Request& request, std::size_t at) {
  const PublishedRow row = published(own_system, at);
  const Numbers bound =
      numbersOf(context, request.prompt.bound.cycles(), request.decode.bound.cycles(), request.length);
  report.points("bound of the U55C", pointOf(at), row, byName(bound));
  for (std::size_t port = 1; port < std::size(ports); ++port) {
    const Numbers wider =
        numbersOf(context, request.prompt.cycles[port], request.decode.cycles[port], request.length);
    report.points(std::to_string(ports[port]) + " requests a cycle and transfer", pointOf(at), row,
                  byName(wider));
  }
  for (std::size_t size = 0; size < std::size(unroll_sizes); ++size) {
    report.point("unroll size " + std::to_string(unroll_sizes[size]), pointOf(at), "ttft_ms",
                 row.number("ttft_ms"), numbersOf(context, request.swept[size], 1, 0).first_token);
  }
  const double cycles = context.platform.clock_mhz * 1e3 / static_cast<double>(context.model.layers);
  const auto products = [&](const char* phase, const Phase& of, double milliseconds_of_all) {
    report.point("products per cycle", pointOf(at), phase,
                 static_cast<double>(of.bound.products) / (milliseconds_of_all * cycles),
                 static_cast<double>(of.placed->choices.unroll));
  };
  products("prompt", request.prompt, row.number("ttft_ms"));
  products("decode", request.decode, 1e3 / row.number("tokens_per_second"));
}

void addUtilisation(Report& report, const Context& context, const char* name, const Phase& phase,
                    std::size_t at) {
  const PlacedDesign& placed = phase.placed->placed;
  report.point(std::string("FIFO bytes, ") + name, pointOf(at), "without crossings", {},
               static_cast<double>(placed.fifo_bytes_without_crossings));
  report.point(std::string("FIFO bytes, ") + name, pointOf(at), "with crossings", {},
               static_cast<double>(placed.compiled.sizing.total_bytes));
  Resources used;
  for (const Resources& die : placed.groups.front().dies.used) used += die;
  for (const Resource resource : {Resource::LutRam, Resource::Bram, Resource::Uram, Resource::Dsp}) {
    report.point(std::string("part of the U55C in use, ") + name, pointOf(at), std::string(text(resource)),
                 {},
                 static_cast<double>(used[resource]) /
                     static_cast<double>(totalResources(context.platform)[resource]));
  }
}

/// The time to the first token over the overall unroll size, which is not published.
void addUnrollChart(FigureResult& figure, const Context& context, const std::vector<Request>& requests) {
  FigureChart chart{.name = "streamtensor_unroll",
                    .title = "GPT-2 on the U55C",
                    .x_label = "Overall unroll size (products at once)",
                    .y_label = "First token (ms)",
                    .log_x = true,
                    .log_y = true};
  for (std::size_t at = 0; at < length_count; ++at) {
    FigureChart::Curve curve{std::to_string(lengths[at]) + " tokens", {}, {}, {}, false};
    const auto add = [&](std::int64_t size, double cycles) {
      curve.x.push_back(static_cast<double>(size));
      curve.y.push_back(numbersOf(context, cycles, 1, 0).first_token);
    };
    for (std::size_t size = 0; size < std::size(unroll_sizes); ++size)
      add(unroll_sizes[size], requests[at].swept[size]);
    add(requests[at].prompt.placed->choices.unroll, requests[at].prompt.cycles[0]);
    const double first = published(own_system, at).number("ttft_ms");
    chart.curves.push_back(curve);
    chart.curves.push_back(
        {curve.name + ", published", {curve.x.front(), curve.x.back()}, {first, first}, {}, true});
  }
  figure.charts.push_back(std::move(chart));
}

void addCharts(FigureResult& figure, const std::vector<Numbers>& ours) {
  for (const Metric& metric : metrics) {
    FigureChart chart{.name = std::string("streamtensor_") + metric.name,
                      .title = "GPT-2, prompt and answer of one length",
                      .x_label = "Tokens of the prompt",
                      .y_label = metric.title,
                      .log_x = true,
                      .log_y = true};
    addCurve(chart, own_system, false, lengths, [&](std::size_t at) { return ours[at].*metric.value; });
    for (const PublishedRow& row : publishedTable("gpt2_ratios")) {
      const std::string& system = row.text("system");
      addCurve(chart, system + ", published", true, lengths,
               [&](std::size_t at) { return published(system, at).number(metric.name); });
    }
    figure.charts.push_back(std::move(chart));
  }
}

/// Rows whose three numbers agree as far as their two decimals tell.
int consistentRows(const PublishedTable& table) {
  int consistent = 0;
  for (const PublishedRow& row : table) {
    const double decode = row.number("latency_ms") - row.number("ttft_ms");
    const double speed = row.number("tokens") * 1e3 / decode;
    const double rounding = 0.005 + speed * 0.01 / decode;
    consistent += std::abs(speed - row.number("tokens_per_second")) <= rounding ? 1 : 0;
  }
  return consistent;
}

void addTable(Report& report, const std::vector<Numbers>& ours) {
  for (const PublishedRow& ratios : publishedTable("gpt2_ratios")) {
    const std::string& system = ratios.text("system");
    for (std::size_t at = 0; at < length_count; ++at)
      report.points(system, pointOf(at), published(system, at), byName(ours[at]));
    for (const Metric& metric : metrics) {
      double log_ratio = 0;
      for (std::size_t at = 0; at < length_count; ++at)
        log_ratio +=
            std::log(ours[at].*metric.value / published(system, at).number(metric.name)) / length_count;
      report.claim("geometric mean over " + system + ", " + metric.name, ratios.number(metric.name),
                   std::exp(log_ratio));
    }
  }
  const PublishedTable table = publishedTable("gpt2_latency");
  report.claim("published rows whose speed is answer / (latency - first token), of 20",
               static_cast<double>(table.size()), consistentRows(table));
}

void addNotes(FigureResult& figure) {
  figure.notes = {
      "latency: 'published' is measured (StreamTensor's on board; the paper quotes the others from their "
      "own publications, on other boards, precisions and clocks). 'ours' is predicted, never measured: a "
      "block of GPT-2 medium at W4A8, compiled for the machine file u55c and run in our simulator, 24 "
      "times over. 'ratio' beside another system is ours over it, as in the paper's table",
      "how it is predicted: all kernels of a block are one group, run once per layer, as in the paper; "
      "prompt and decode are compiled each for itself, decode for the context in the middle. The "
      "compiler's defaults (tiles of 16, 4 requests of 64 bytes a cycle for each load and store), but "
      "for sums, which are of integers and can be added to every cycle, and the overall unroll size: "
      "what 80 % of the DSPs give at two 8-bit products each, or the next eighth less that the dies "
      "hold. FIFOs for each kernel's own pace where the memory has room for them (decode, 32 tokens), "
      "else for the slowest kernel's. 'bound' is what nothing on the card can beat: all products on 80 % "
      "of the DSPs, all weights and inputs over all channels once. Nothing is fitted. Embedding, output "
      "projection and host are not counted; FIFOs are sized for die crossings, whose registers (2 cycles a "
      "border) are simulated; buffers lie in as many banks as the unrolled kernels ask for",
      "where it differs, first token: ours takes 0.29 to 0.37 of the published time, because it unrolls as "
      "far as the card holds: to 10828 to 12633 products a cycle, where the published times ask for 1120 to "
      "1280 that are always busy ('products per cycle'). The paper does not give its overall unroll size; "
      "with 4096, the compiler's default, ours takes 0.67 to 1.07 of the published time, with 2048 1.30 to "
      "2.06 ('unroll size'), so that a design of some 3000 to 4000 products would explain it. That ours "
      "would close timing at 250 MHz with 70 % of the DSPs is not said: wires are not modelled, and LUTs "
      "are an estimate. The published times grow evenly with the prompt, ours less: kernels wait for panels "
      "of 16 "
      "rows, and the first panel's way through a dozen converters is paid once",
      "where it differs, decode: 0.96 to 1.18 of the published speed. The matrices follow each other, "
      "each as fast as the 256 products a cycle that one row in tiles of 16 x 16 allows. Ours slows down "
      "as keys and values grow; the published speed rises from 200 to 230 tokens per second with the "
      "length, as if a fixed start-up were spread over more tokens. With one request a cycle for each "
      "transfer it is 0.48 to 0.62: then weights are what it waits for, and it would seem that "
      "StreamTensor reads them over more than one bus. The bound is 12 to 15 times as fast, so most "
      "channels and DSPs idle in both"};
}

}  // namespace

Result<Done> addGpt2Latency(FigureResult& figure, const FigureRequest& figure_request) {
  SLUICE_TRY(const Platform platform, platformNamed("u55c"));
  const TransformerModel model = gpt2Medium();
  const Context context{model, platform, figure_request.stop};
  SLUICE_TRY(const std::vector<Request> requests, runAll(context, figure_request));
  std::vector<Numbers> ours;
  for (const Request& request : requests)
    ours.push_back(numbersOf(context, request.prompt.cycles[0], request.decode.cycles[0], request.length));
  Report report(figure);
  addTable(report, ours);
  for (std::size_t at = 0; at < length_count; ++at) {
    addDetails(report, context, requests[at], at);
    addUtilisation(report, context, "prompt", requests[at].prompt, at);
    addUtilisation(report, context, "decode", requests[at].decode, at);
  }
  addCharts(figure, ours);
  addUnrollChart(figure, context, requests);
  addNotes(figure);
  return Done{};
}

}  // namespace sluice::inline figures
