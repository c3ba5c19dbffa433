// requests: lengths of requests in the order of their arrival, from a CSV with a column ContextTokens, as the
// Azure LLM inference traces have. Requests that follow each other are a batch.

#include <algorithm>

#include "engine/traces/cut.h"
#include "engine/traces/number_columns.h"

namespace sluice::inline traces::sources::requests {
namespace {

bool reads(const FileLook& look) {
  const auto header = fieldsOf(look.first_line);
  return !look.folder && std::ranges::find(header, "ContextTokens") != header.end();
}

std::vector<std::string> columnsOf(std::string names) {
  std::vector<std::string> columns;
  for (std::size_t plus = names.find('+'); plus != std::string::npos; plus = names.find('+')) {
    columns.push_back(names.substr(0, plus));
    names.erase(0, plus + 1);
  }
  columns.push_back(std::move(names));
  return columns;
}

Result<TraceSet> make(const TraceRequest& request) {
  const TraceOptions& options = request.options;
  SLUICE_TRY(const std::int64_t batch, batchOf(request));
  SLUICE_TRY(
      NumberColumns table,
      readNumberColumns(request.file, columnsOf(options.text("column", "ContextTokens")), request.place));
  const std::int64_t least = options.whole("least", 0), most = options.whole("most", std::int64_t{1} << 53);
  if (least > most)
    return error("out-of-range", request.place, "the least length is above the most",
                 "give least=1,most=4096");
  IntTensor lengths{{0}, {}};
  for (std::size_t row = 0; row < table.columns[0].size(); ++row) {
    std::int64_t sum = 0;
    bool whole = true;
    for (const std::vector<std::int64_t>& column : table.columns) {
      whole = whole && column[row] != no_number && column[row] <= std::int64_t{1} << 53;
      sum += whole ? column[row] : 0;
    }
    if (whole) lengths.data.push_back(std::clamp(sum, least, most));
  }
  lengths.shape = {lengths.data.size()};
  TraceSet set;
  set.left_out = std::move(table.wrong);
  cutBatches(set, lengths, batch, "", "requests", request.place);
  return set;
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "requests",
      .summary =
          "a CSV of requests with their lengths (ContextTokens, GeneratedTokens), as the Azure LLM inference "
          "traces, cut into batches",
      .kinds = {InputKind::Lengths},
      .options = {{"column",
                   "where lengths stand (ContextTokens); several are added: ContextTokens+GeneratedTokens",
                   OptionKind::Text},
                  {"batch", "requests a trace; as many as the document's own lengths", OptionKind::Whole, 1,
                   1 << 26},
                  {"least", "shorter ones are made so long", OptionKind::Whole, 0, 0x1p53},
                  {"most", "longer ones are made so short", OptionKind::Whole, 0, 0x1p53}},
      .reads = reads,
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::requests
