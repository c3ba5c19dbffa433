#include "engine/program/spelling.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace sluice::inline program {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Insertions, deletions, substitutions and swaps of neighbours; case costs nothing.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = lower(a[i]) == lower(b[j]);
      next[j + 1] = std::min({row[j] + (same ? 0 : 1), row[j + 1] + 1, next[j] + 1});
      const bool swapped = i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]);
      if (swapped) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = row;
    row.swap(next);
  }
  return row.back();
}

}  // namespace

bool isIdentifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string freeName(const std::string& wish, const std::function<bool(const std::string&)>& taken) {
  std::string name = wish;
  for (int number = 2; taken(name); ++number) name = wish + "_" + std::to_string(number);
  return name;
}

std::vector<std::string> closestSpellings(const std::string& word, const std::vector<std::string>& candidates,
                                          std::size_t most) {
  constexpr std::size_t longest = 64;  // no name is longer, and the distance costs length squared
  if (word.size() > longest) return {};
  const std::size_t limit = std::max<std::size_t>(1, (word.size() + 1) / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t far = distance(word, candidate);
    const bool part = word.size() >= 3 && candidate.find(word) != std::string::npos;
    if (far <= limit || part) near.emplace_back(far, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) names.push_back(near[i].second);
  return names;
}

std::optional<std::string> evidentSpelling(const std::string& word,
                                           const std::vector<std::string>& candidates) {
  std::optional<std::string> found;
  for (const std::string& candidate : closestSpellings(word, candidates, candidates.size())) {
    if (distance(word, candidate) > 1) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::string spellingFix(const std::string& word, const std::vector<std::string>& candidates,
                        const std::string& otherwise) {
  const auto joined = [](const std::vector<std::string>& names, const char* quote, const char* between) {
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "" : between) + (quote + name + quote);
    return line;
  };
  const std::vector<std::string> closest = closestSpellings(word, candidates);
  if (!closest.empty()) return "did you mean " + joined(closest, "'", " or ") + "?";
  if (candidates.empty() || candidates.size() > 30) return otherwise;
  return "use one of: " + joined(candidates, "", ", ");
}

}  // namespace sluice::inline program
