#include "engine/traces/cut.h"

#include <iterator>

namespace sluice::inline traces {
namespace {

std::size_t valuesOfRow(const IntTensor& tensor) {
  std::size_t values = 1;
  for (std::size_t d = 1; d < tensor.shape.size(); ++d) values *= tensor.shape[d];
  return values;
}

/// `rows` rows from `begin` on, as a tensor.
IntTensor rowsOf(const IntTensor& tensor, std::size_t begin, std::size_t rows) {
  const auto row = static_cast<std::ptrdiff_t>(valuesOfRow(tensor));
  const auto from = tensor.data.begin() + static_cast<std::ptrdiff_t>(begin) * row;
  IntTensor part{tensor.shape, {from, from + static_cast<std::ptrdiff_t>(rows) * row}};
  part.shape.front() = rows;
  return part;
}

std::size_t nextNumber(const TraceSet& set) {
  return set.traces.empty() ? 0 : set.traces.back().number + 1;
}

}  // namespace

TraceSet cutAxis(const IntTensor& tensor, const std::string& name) {
  TraceSet set;
  for (std::size_t i = 0; i < tensor.shape.front(); ++i) {
    IntTensor part = rowsOf(tensor, i, 1);
    part.shape.erase(part.shape.begin());
    set.traces.push_back({name + std::to_string(i), i, std::move(part)});
  }
  return set;
}

void cutBatches(TraceSet& into, const IntTensor& rows, std::int64_t batch, const std::string& name,
                const char* unit, const Location& place) {
  const std::size_t all = rows.shape.front(), each = batch > 0 ? static_cast<std::size_t>(batch) : all;
  if (each == 0) return;
  for (std::size_t begin = 0; begin + each <= all; begin += each) {
    const std::string span = each == all ? std::string("all ") + unit
                                         : std::string(unit) + " " + std::to_string(begin) + "-" +
                                               std::to_string(begin + each - 1);
    into.traces.push_back({name + span, nextNumber(into), rowsOf(rows, begin, each)});
  }
  if (const std::size_t rest = all % each; rest > 0) {
    into.left_out.push_back(warning("trace-mismatch", place,
                                    name + "the last " + std::to_string(rest) + " of " + std::to_string(all) +
                                        " " + unit + " are no whole batch of " + std::to_string(each),
                                    "record more, or change the size of a batch; they are left out"));
  }
}

Result<std::int64_t> batchOf(const TraceRequest& request) {
  const std::optional<IntTensor>& own = request.input.data;
  const auto otherwise = own ? static_cast<std::int64_t>(own->data.size()) : 0;
  const std::int64_t batch = request.options.whole("batch", otherwise);
  if (batch > 0) return batch;
  return error("missing-value", request.place, "how many requests a trace has is not said", "give batch=64");
}

void append(TraceSet& into, TraceSet part, const std::string& name) {
  const std::size_t from = nextNumber(into);
  const bool several = part.traces.size() > 1;
  for (Trace& trace : part.traces) {
    trace.number += from;
    trace.name = name + (several ? ", " + trace.name : "");
    into.traces.push_back(std::move(trace));
  }
  into.left_out.insert(into.left_out.end(), std::make_move_iterator(part.left_out.begin()),
                       std::make_move_iterator(part.left_out.end()));
}

}  // namespace sluice::inline traces
