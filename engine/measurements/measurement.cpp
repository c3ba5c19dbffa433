#include "engine/measurements/measurement.h"

#include <algorithm>
#include <filesystem>

namespace sluice::inline measurements {

const char* text(Activity activity) {
  constexpr std::array<const char*, activities> words{"compute", "waiting for a token", "waiting for a slot",
                                                      "waiting for memory", "waiting for a stream"};
  return words[static_cast<std::size_t>(activity)];
}

std::optional<Activity> activityNamed(std::string_view word) {
  using enum Activity;
  struct Word {
    std::string_view name;
    Activity activity;
  };
  // Ours (ProcessState, the wires of a value change dump), and what others call the same.
  static constexpr Word words[]{
      {"running", Compute},
      {"busy", Compute},
      {"compute", Compute},
      {"computing", Compute},
      {"active", Compute},
      {"starved", Token},
      {"waiting_for_a_token", Token},
      {"waiting_for_token", Token},
      {"stall_in", Token},
      {"input_stall", Token},
      {"blocked", Slot},
      {"waiting_for_a_slot", Slot},
      {"waiting_for_slot", Slot},
      {"stall_out", Slot},
      {"output_stall", Slot},
      {"memory", Memory},
      {"unit", Memory},
      {"waiting_for_memory", Memory},
      {"waiting_for_off_chip_memory", Memory},
      {"waiting_for_on_chip_memory", Memory},
      {"memory_stall", Memory},
      {"stall_mem", Memory},
      {"waiting_for_a_stream", Stream},
      {"stream_stall", Stream},
  };
  const std::string plain = plainName(word);
  const auto* const found = std::ranges::find(words, std::string_view(plain), &Word::name);
  if (found == std::end(words)) return std::nullopt;
  return found->activity;
}

double ActivityCycles::sum() const {
  double all = 0;
  for (const std::optional<double>& cycles : of) all += cycles.value_or(0);
  return all;
}

bool isOfModel(std::string_view tool) {
  return tool.starts_with("Sluice");
}

std::string sourceText(std::span<const std::string> files, std::size_t runs) {
  std::string source;
  for (const std::string& file : files)
    source += (source.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  return source + ", " + std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

std::string plainName(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9';
    if (upper || digit || (c >= 'a' && c <= 'z')) {
      plain += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  if (plain.ends_with('_')) plain.pop_back();
  return plain;
}

}  // namespace sluice::inline measurements
