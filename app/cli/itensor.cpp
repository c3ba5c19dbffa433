// sluice-cli itensor: what an iterative tensor type means, and the converter between two of them.

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/itensor/access_sequence.h"
#include "engine/itensor/canonical.h"
#include "engine/itensor/converter.h"
#include "engine/itensor/converter_explanation.h"
#include "engine/itensor/coverage.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::cli {
namespace {

struct ITensorOptions {
  std::string type, result, tensor;
  std::int64_t sequence = 0;
  std::string order = text(ConverterOrder::OrderFree);
  bool json = false, details = false;
};

/// One type against a tensor, if one is named.
struct Described {
  WrittenITensor written;
  std::optional<Coverage> covered;
};

Result<std::vector<std::int64_t>> shapeOf(const ITensorOptions& options) {
  return parseTensorShape(options.tensor, Location(Where::Option, "--tensor " + options.tensor));
}

Result<Described> describe(const ITensorOptions& options) {
  Described described;
  SLUICE_TRY(described.written, parseITensor(options.type, "TYPE"));
  if (options.tensor.empty()) return described;
  SLUICE_TRY(const auto shape, shapeOf(options));
  SLUICE_TRY(described.covered, coverage(described.written.type, shape));
  return described;
}

std::vector<std::int64_t> iterationOf(const AccessSequence& sequence) {
  std::vector<std::int64_t> iteration;
  for (std::size_t d = 0; d < sequence.index().size(); ++d) iteration.push_back(sequence.iteration(d));
  return iteration;
}

Json coverageJson(const Coverage& covered) {
  Json groups = Json::array();
  for (const GroupCoverage& group : covered.groups) {
    groups.push_back({{"dimensions", group.dimensions},
                      {"elements", group.elements},
                      {"covered", group.covered},
                      {"outside", group.outside},
                      {"least_visits", group.least_visits},
                      {"most_visits", group.most_visits}});
  }
  return {{"class", text(covered.kind())},        {"elements", covered.elements},
          {"covered", covered.covered},           {"missed", covered.missed()},
          {"outside", covered.outside},           {"overlap", covered.overlaps()},
          {"least_visits", covered.least_visits}, {"most_visits", covered.most_visits},
          {"groups", std::move(groups)}};
}

Json sequenceJson(const ITensor& type, std::int64_t most) {
  Json tokens = Json::array();
  for (AccessSequence at(type); !at.atEnd() && at.position() < most; at.advance())
    tokens.push_back({{"iteration", iterationOf(at)}, {"offset", at.offset()}});
  return tokens;
}

Json describedJson(const Described& described, const ITensorOptions& options) {
  const ITensor& type = described.written.type;
  Json loops = Json::array();
  for (std::size_t d = 0; d < type.loops.size(); ++d) {
    loops.push_back(
        {{"trips", type.loops[d].trips}, {"step", type.loops[d].step}, {"bound", iterationBound(type, d)}});
  }
  const auto inferred = inferredShape(type);
  Json object = {
      {"type", text(type)},
      {"canonical", text(canonicalForm(type))},
      {"element", {{"shape", type.tile}, {"scalar", text(type.scalar)}, {"vector", type.vector_token}}},
      {"loops", std::move(loops)},
      {"tokens", tokenCount(type)},
      {"token_bits", tokenBits(type)},
      {"token_bytes", bytesOf(tokenBits(type))},
      {"stream_bits", volumeBits(type)},
      {"stream_bytes", bytesOf(volumeBits(type))},
      {"inferred_shape", orNull(inferred)},
      {"reuse_loops", reuseLoops(type)},
      {"revisit", revisitFactor(type)},
      {"projected_permutation", isProjectedPermutation(type)},
      {"regular_tiling", isRegularTiling(type)}};
  if (described.written.fifo_depth) object["fifo_depth"] = *described.written.fifo_depth;
  if (described.covered) object["coverage"] = coverageJson(*described.covered);
  if (options.sequence > 0) object["sequence"] = sequenceJson(type, options.sequence);
  return object;
}

/// "(4,2)".
std::string parenthesized(const Json& numbers) {
  std::string text;
  for (const Json& number : numbers) text += (text.empty() ? "" : ",") + number.dump();
  return "(" + text + ")";
}

void printSequence(const Json& tokens, std::uint64_t count) {
  Table table({"token", "iteration", "offset"}, 0);
  for (std::size_t token = 0; token < tokens.size(); ++token)
    table.row({std::to_string(token), parenthesized(tokens[token]["iteration"]),
               parenthesized(tokens[token]["offset"])});
  table.print(std::cout);
  if (tokens.size() < count) std::cout << "... and " << count - tokens.size() << " more\n";
}

void printCoverage(const Json& covered) {
  std::cout << "coverage      " << written(covered["class"]) << ": " << covered["covered"] << " of "
            << covered["elements"] << " elements, visits " << covered["least_visits"] << " to "
            << covered["most_visits"];
  if (covered["outside"] > 0) std::cout << "; " << covered["outside"] << " outside the tensor";
  std::cout << "\n";
  for (const Json& group : covered["groups"]) {
    std::cout << "  dimension";
    for (const Json& k : group["dimensions"]) std::cout << " " << k;
    std::cout << ": " << group["covered"] << " of " << group["elements"] << ", visits "
              << group["least_visits"] << " to " << group["most_visits"] << ", " << group["outside"]
              << " outside\n";
  }
}

void printFacts(const Json& report) {
  const Json& shape = report["inferred_shape"];
  std::cout << written(report["type"]) << "\n"
            << "canonical     " << written(report["canonical"]) << "\n"
            << "tokens        " << report["tokens"] << " of " << report["token_bits"] << " bits\n"
            << "stream        " << writtenBytes(report["stream_bytes"]) << " bytes\n"
            << "tensor        "
            << (shape.is_null() ? "offsets do not begin at 0"
                                : shapeText(shape.get<std::vector<std::int64_t>>()))
            << "\n"
            << "revisit       " << report["revisit"] << "\n"
            << "tiling        "
            << (report["regular_tiling"]          ? "regular"
                : report["projected_permutation"] ? "loops of their own, but steps are not the tile"
                                                  : "offsets that are no loops of their own")
            << "\n";
  if (report.contains("fifo_depth")) std::cout << "FIFO depth    " << report["fifo_depth"] << "\n";
  if (report.contains("coverage")) printCoverage(report["coverage"]);
  if (report.contains("sequence")) printSequence(report["sequence"], report["tokens"]);
}

int runDescribe(const ITensorOptions& options) {
  if (options.type.empty()) throw WrongUse{"missing-option", "TYPE is required"};
  const Result<Described> described = describe(options);
  if (!described) return fail(described.diagnostics(), options.json);
  return show(describedJson(*described, options), options.json, printFacts);
}

constexpr ConverterOrder orders[] = {ConverterOrder::OrderFree, ConverterOrder::FirstDimension,
                                     ConverterOrder::LastDimension};

std::vector<std::string> orderNames() {
  std::vector<std::string> names;
  for (const ConverterOrder order : orders) names.push_back(text(order));
  return names;
}

ConverterOrder orderNamed(const std::string& name) {
  return *std::find_if(std::begin(orders), std::end(orders),
                       [&](ConverterOrder order) { return text(order) == name; });
}

/// Both types, the tensor and the converter between them.
struct Conversion {
  ITensor source, result;
  std::vector<std::int64_t> shape;
  Converter converter;
};

Result<Conversion> convert(const ITensorOptions& options) {
  SLUICE_TRY(const WrittenITensor source, parseITensor(options.type, "SRC"));
  SLUICE_TRY(const WrittenITensor result, parseITensor(options.result, "DST"));
  SLUICE_TRY(const auto shape, shapeOf(options));
  SLUICE_TRY(const Converter converter,
             inferConverter(source.type, result.type, shape, orderNamed(options.order)));
  return Conversion{source.type, result.type, shape, converter};
}

Json conversionJson(const Conversion& conversion) {
  const auto& [source, result, shape, converter] = conversion;
  return {{"buffer", converter.buffer},
          {"before_loop", converter.before_loop},
          {"bytes", converter.bytes},
          {"explanation", explanation(converter, source, result)}};
}

/// All that the explanation is made of.
Json detailsJson(const Conversion& conversion, const std::string& order) {
  const auto& [source, result, shape, converter] = conversion;
  Json dimensions = Json::array();
  for (std::size_t k = 0; k < converter.dimensions.size(); ++k) {
    const DimensionReason& reason = converter.dimensions[k];
    dimensions.push_back({{"verdict", text(reason.verdict)},
                          {"source_loop", orNull(reason.source_loop)},
                          {"result_loop", orNull(reason.result_loop)},
                          {"text", dimensionText(converter, source, result, k)}});
  }
  Json object = conversionJson(conversion);
  object["kind"] = text(converter.kind);
  object["half_bytes"] = converter.half_bytes;
  object["whole_tensor_bytes"] = converter.whole_bytes;
  object["order"] = order;
  object["dimensions"] = std::move(dimensions);
  if (converter.kind == ConverterKind::None) return object;
  object["prefix_break"] = {{"reason", text(converter.prefix_break)},
                            {"source_loop", orNull(converter.source_break)},
                            {"result_loop", orNull(converter.result_break)}};
  return object;
}

void printConversion(const Conversion& conversion) {
  const auto& [source, result, shape, converter] = conversion;
  if (converter.kind != ConverterKind::None) {
    std::cout << "buffer        " << shapeText(converter.buffer) << ", before loop " << converter.before_loop
              << "\n"
              << "bytes         " << converter.bytes << " with both halves; " << converter.whole_bytes
              << " for the whole tensor\n";
  }
  std::cout << prefixText(converter, source, result) << "\n";
  for (std::size_t k = 0; k < converter.dimensions.size(); ++k)
    std::cout << "dimension " << k << ": " << dimensionText(converter, source, result, k) << "\n";
}

int runConvert(const ITensorOptions& options) {
  const Result<Conversion> conversion = convert(options);
  if (!conversion) return fail(conversion.diagnostics(), options.json);
  if (options.json)
    printJson(options.details ? detailsJson(*conversion, options.order) : conversionJson(*conversion));
  else
    printConversion(*conversion);
  return ExitDone;
}

Command convertCommand() {
  const auto options = std::make_shared<ITensorOptions>();
  Command command{
      .name = "convert",
      .summary = "the layout converter between two types",
      .examples =
          {{"itensor convert 'itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0, d1)->(d1, d0)>' "
            "'itensor<4x2xf32, iter_space: [2,4]*[4,2], iter_map: (d0, d1)->(d0, d1)>' --tensor 8x8",
            "the buffer between two orders"},
           {"itensor convert 'itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0, d1)->(d1, d0)>' "
            "'itensor<4x2xf32, iter_space: [2,4]*[4,2], iter_map: (d0, d1)->(d0, d1)>' --tensor 8x8 --json "
            "--details",
            "and why it has that size"}},
      .run = [options](Process&) { return runConvert(*options); }};
  command.add("SRC", options->type, "the type that is sent", {.required = true});
  command.add("DST", options->result, "the type that is wanted", {.required = true});
  command.add("--tensor", options->tensor, "the tensor's shape, such as 8x8", {.required = true});
  command.add("--order", options->order, "how shared loops are looked for",
              {.choices = orderNames(), .shows_default = true});
  command.add(jsonFlag(options->json));
  command.add("--details", options->details,
              "in the JSON also what each dimension and loop contributed, and the whole tensor's bytes",
              {.needs = "--json"});
  return command;
}

}  // namespace

Command itensorCommand() {
  const auto options = std::make_shared<ITensorOptions>();
  Command command{
      .name = "itensor",
      .summary = "what an iterative tensor type means; 'itensor convert' for two",
      .examples =
          {{"itensor 'itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0, d1)->(d1, d0)>' --tensor 8x8",
            "the order in which a stream carries a tensor"},
           {"itensor 'itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0, d1)->(d1, d0)>' --sequence 4",
            "and its first tiles"}},
      .run = [options](Process&) { return runDescribe(*options); },
      .commands = {convertCommand()}};
  command.add("TYPE", options->type, "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: ...>");
  command.add("--tensor", options->tensor, "check the coverage of a tensor, such as 8x8");
  command.add("--sequence", options->sequence, "list the first N tokens",
              {.type = "N", .range = Range{0, 1'000'000}});
  command.add(jsonFlag(options->json));
  return command;
}

}  // namespace sluice::cli
