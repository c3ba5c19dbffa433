// moeTrace: the CSV that llama.cpp's example moe-trace writes, a line "layer,expert" for each expert that a
// token goes to, layer by layer within a batch.

#include <algorithm>
#include <map>

#include "engine/traces/cut.h"
#include "engine/traces/number_columns.h"

namespace sluice::inline traces::sources::moe_trace {
namespace {

bool reads(const FileLook& look) {
  const auto header = fieldsOf(look.first_line);
  const auto has = [&](std::string_view name) { return std::ranges::find(header, name) != header.end(); };
  return !look.folder && has("layer") && has("expert");
}

Result<TraceSet> make(const TraceRequest& request) {
  const auto k = static_cast<std::size_t>(request.input.top_k);
  if (k == 0)
    return error("missing-value", request.place, "how many experts a token goes to is not said",
                 "give top_k with the input, or behind the set: top_k=2");
  SLUICE_TRY(NumberColumns table, readNumberColumns(request.file, {"layer", "expert"}, request.place));
  std::map<std::int64_t, std::vector<std::int64_t>> layers;
  for (std::size_t row = 0; row < table.columns[0].size(); ++row)
    if (table.columns[0][row] != no_number) layers[table.columns[0][row]].push_back(table.columns[1][row]);
  TraceSet set;
  set.left_out = std::move(table.wrong);
  for (auto& [layer, experts] : layers) {
    const std::string name = "layer " + std::to_string(layer) + ", ";
    if (const std::size_t rest = experts.size() % k; rest > 0) {
      set.left_out.push_back(warning("trace-mismatch", request.place,
                                     name + std::to_string(experts.size()) +
                                         " experts are no whole number of tokens with " + std::to_string(k) +
                                         " each",
                                     "check top_k; the last line(s) are left out"));
      experts.resize(experts.size() - rest);
    }
    const std::size_t tokens = experts.size() / k;
    cutBatches(set, {{tokens, k}, std::move(experts)}, request.input.tokens, name, "tokens", request.place);
  }
  return set;
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "moe_trace",
      .summary =
          "a CSV with the columns layer and expert, as llama.cpp's moe-trace writes it, cut into batches",
      .kinds = {InputKind::Routing},
      .reads = reads,
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::moe_trace
