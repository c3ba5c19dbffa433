#include "engine/explorer/routing.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "engine/core/random.h"
#include "engine/program/fields.h"

namespace sluice::inline explorer {
namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 26;
constexpr std::int64_t most_mixed = std::int64_t{1} << 28;  ///< comparisons, times 16: some seconds

Diagnostic refusal(Code code, const Input& input, std::string cause, std::string fix) {
  return error(code, Location(Where::Input, input.name), std::move(cause), std::move(fix));
}

/// What is wrong with the sizes alone.
Diagnostics checkSizes(const Input& input, std::int64_t experts) {
  if (auto wrong = outOfRange(input)) return {*std::move(wrong)};
  const std::string k = std::to_string(input.top_k);
  if (input.tokens < 1 || input.top_k < 1 || experts < 1) {
    return {refusal("out-of-range", input,
                    "synthetic routing needs at least one token, one expert and top_k of at least 1",
                    "give tokens, top_k, and experts or counts; or a file; or data")};
  }
  if (input.top_k > experts) {
    return {refusal(
        "input-value", input,
        "each token goes to " + k + " different experts, but there are only " + std::to_string(experts),
        "lower top_k or add experts")};
  }
  if (input.tokens > most_entries / input.top_k) {
    return {refusal("too-many", input, "tokens x top_k is more than " + std::to_string(most_entries),
                    "use fewer tokens")};
  }
  if (!input.counts.empty() && input.tokens * input.top_k > most_mixed / input.top_k) {
    return {refusal("too-many", input,
                    "with counts, tokens x top_k x top_k is more than " + std::to_string(most_mixed),
                    "use fewer tokens or a lower top_k, or leave the counts out")};
  }
  if (!input.counts.empty() && input.experts != 0 && input.experts != experts) {
    return {refusal(
        "input-shape", input,
        "there are " + std::to_string(experts) + " counts for " + std::to_string(input.experts) + " experts",
        "give one count for each expert")};
  }
  return {};
}

/// Why the counts cannot be met.
Diagnostics checkCounts(const Input& input) {
  const std::string tokens = std::to_string(input.tokens);
  std::int64_t sum = 0;
  for (std::size_t e = 0; e < input.counts.size(); ++e) {
    const std::int64_t count = input.counts[e];
    if (count < 0 || count > input.tokens) {
      return {refusal("input-value", input,
                      "expert " + std::to_string(e) + " is to get " + std::to_string(count) +
                          " tokens; with " + tokens + " tokens that is between 0 and " + tokens +
                          ", as no token goes twice to one expert",
                      "change that count")};
    }
    sum += count;
  }
  if (sum != input.tokens * input.top_k) {
    return {refusal("input-value", input,
                    "the counts sum to " + std::to_string(sum) + ", but " + tokens + " tokens x top_k " +
                        std::to_string(input.top_k) + " are " + std::to_string(input.tokens * input.top_k),
                    "change the counts, tokens or top_k so that they agree")};
  }
  return {};
}

using TopK = std::span<std::int64_t>;

bool holds(TopK row, std::int64_t expert) {
  return std::find(row.begin(), row.end(), expert) != row.end();
}

/// Deals the experts out in runs: the p-th entry of "0 0 0 1 1 2 ..." goes to token p mod tokens. A run is
/// not longer than `tokens`, so no token meets an expert twice, and the counts are exact.
void deal(const Input& input, std::vector<std::int64_t>& entries) {
  const auto tokens = static_cast<std::size_t>(input.tokens), k = static_cast<std::size_t>(input.top_k);
  std::size_t p = 0;
  for (std::size_t e = 0; e < input.counts.size(); ++e) {
    for (std::int64_t i = 0; i < input.counts[e]; ++i, ++p)
      entries[p % tokens * k + p / tokens] = static_cast<std::int64_t>(e);
  }
}

/// Swaps entries of random tokens wherever no token then holds an expert twice: this mixes who travels
/// together, and keeps the counts.
void mix(std::vector<std::int64_t>& entries, std::size_t k, SplitMix64& random) {
  const std::size_t swaps = entries.size() * 8;
  for (std::size_t i = 0; i < swaps; ++i) {
    const std::size_t a = random.below(entries.size()), b = random.below(entries.size());
    const TopK row_a(&entries[a / k * k], k), row_b(&entries[b / k * k], k);
    if (a / k == b / k || holds(row_a, entries[b]) || holds(row_b, entries[a])) continue;
    std::swap(entries[a], entries[b]);
  }
}

/// Each token draws top_k of the experts without putting back.
void draw(std::vector<std::int64_t>& entries, std::size_t k, std::int64_t experts, SplitMix64& random) {
  std::vector<std::int64_t> deck(static_cast<std::size_t>(experts));
  std::iota(deck.begin(), deck.end(), 0);
  for (std::size_t at = 0; at < entries.size(); at += k) {
    for (std::size_t i = 0; i < k; ++i) {
      std::swap(deck[i], deck[i + random.below(deck.size() - i)]);
      entries[at + i] = deck[i];
    }
  }
}

}  // namespace

Result<IntTensor> syntheticRouting(const Input& input) {
  const std::int64_t experts =
      input.counts.empty() ? input.experts : static_cast<std::int64_t>(input.counts.size());
  if (Diagnostics wrong = checkSizes(input, experts); !wrong.empty()) return wrong;
  if (!input.counts.empty()) {
    if (Diagnostics wrong = checkCounts(input); !wrong.empty()) return wrong;
  }
  const auto tokens = static_cast<std::size_t>(input.tokens), k = static_cast<std::size_t>(input.top_k);
  IntTensor tensor{{tokens, k}, std::vector<std::int64_t>(tokens * k)};
  SplitMix64 random(input.seed);
  if (input.counts.empty()) {
    draw(tensor.data, k, experts, random);
  } else {
    deal(input, tensor.data);
    mix(tensor.data, k, random);
    for (std::size_t t = 0; t < tokens; ++t) random.shuffle(TopK(&tensor.data[t * k], k));
  }
  return tensor;
}

}  // namespace sluice::inline explorer
