#pragma once
// The tables of a result store, and how a design point is written into a row. Private to the store.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/store/result_store.h"
#include "engine/explorer/store/sqlite.h"

namespace sluice::inline explorer::store {

/// Makes the tables in a fresh file, adds the columns of metrics that an older version did not know. Errors:
/// not a store, or one of a newer Sluice.
Result<Done> makeSchema(Database& database);
/// The same without changing anything.
Result<Done> checkSchema(Database& database);
/// A SELECT of all points of "main", or of what is attached under another name; NULL in the columns that an
/// older version did not know.
Result<std::string> pointsWithAllColumns(Database& database, const std::string& in);

/// Knob values as JSON text, names in order, choices by their text: equal points have equal texts.
class KnobCodec {
 public:
  explicit KnobCodec(const std::vector<Knob>& knobs);
  std::string encode(const KnobValues& values) const;
  std::string text(const std::string& name, std::int64_t value) const;
  /// The choice that `value` means; nothing where the knob is a number.
  const std::string* choice(const std::string& name, std::int64_t value) const;
  /// Nothing for what does not fit the knobs.
  std::optional<KnobValues> decode(const std::string& json) const;
  std::optional<KnobValues> decodeJson(const nlohmann::ordered_json& object) const;

 private:
  std::map<std::string, std::vector<std::string>> choices_;  ///< of every knob; empty where it is a number
};

/// The knobs of an exploration as JSON: names and values, without defaults and help.
nlohmann::ordered_json knobsJson(const std::vector<Knob>& knobs);
std::string knobsText(const std::vector<Knob>& knobs);
std::vector<Knob> knobsFrom(const std::string& json);
std::vector<Knob> knobsFromJson(const nlohmann::ordered_json& list);
std::string listText(const std::vector<std::string>& names);
std::vector<std::string> listFrom(const std::string& json);

/// "knobs, level, state, cause, wall_seconds, peak_fifo_tokens, deadlock, failed_at, cycles, ...":
/// what readPoint() reads.
std::string pointColumns(const std::string& table);
constexpr int point_column_count = 8;  ///< before the metrics
/// Binds the same, from parameter `first` on.
void bindPoint(Statement& statement, int first, const std::string& knobs, const DesignPoint& point);
/// From column `first` on. Nothing for a row that Sluice has not written.
std::optional<DesignPoint> readPoint(const Statement& statement, int first, const KnobCodec& codec);

}  // namespace sluice::inline explorer::store
