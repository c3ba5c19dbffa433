#pragma once
// TraceSource: one kind of set of traces, a generator or a reader of files. Each is described in the file of
// its name under sources/.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/traces/trace_set.h"

namespace sluice::inline traces {

enum class OptionKind { Whole, Real, Text };

struct TraceOption {
  std::string_view name, help;
  OptionKind kind = OptionKind::Whole;
  double minimum = 0, maximum = 0;             ///< of a number
  std::vector<std::string_view> choices = {};  ///< of a text; empty: any
};

/// Options as they were written, checked against their descriptions.
class TraceOptions {
 public:
  struct Given {
    std::string name, value;
  };
  explicit TraceOptions(std::vector<Given> given = {}) : given_(std::move(given)) {}

  const std::vector<Given>& given() const { return given_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t whole(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, const std::string& otherwise = {}) const;

 private:
  const std::string* find(std::string_view name) const;
  std::vector<Given> given_;
};

struct TraceRequest {
  Input input;  ///< what the traces are for, with the sizes that options give
  TraceOptions options;
  std::filesystem::path file = {};    ///< of a source that reads one
  std::filesystem::path folder = {};  ///< that relative paths in options are taken from
  Location place;                     ///< the input and its source
};

/// What a reader goes by to know its files.
struct FileLook {
  std::filesystem::path file;
  bool folder = false;
  std::string first_line = {};  ///< of what is no folder, without the end of the line; cut at 4 KiB
};

struct TraceSource {
  std::string_view name;     ///< "zipf"
  std::string_view summary;  ///< what it models or reads, one line
  std::vector<InputKind> kinds;
  std::vector<TraceOption> options = {};  ///< besides those of every source
  /// Null: a generator. Whether it reads what lies there.
  bool (*reads)(const FileLook& look) = nullptr;
  /// Traces need not fit the input yet.
  Result<TraceSet> (*make)(const TraceRequest& request) = nullptr;
};

/// What every source takes: which trace is chosen, how many are taken, and the sizes of a routing.
std::span<const TraceOption> commonTraceOptions();

}  // namespace sluice::inline traces
