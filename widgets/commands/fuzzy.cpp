#include "widgets/commands/fuzzy.h"

#include <vector>

namespace sluice::ui {
namespace {

constexpr int word_bonus = 8, run_bonus = 5, letter = 1;

bool beginsWord(const QString& title, qsizetype at) {
  return at == 0 || !title[at - 1].isLetterOrNumber() || (title[at].isUpper() && title[at - 1].isLower());
}

}  // namespace

std::optional<int> fuzzyScore(const QString& typed, const QString& title) {
  QString wanted = typed;
  wanted.remove(QLatin1Char(' '));
  if (wanted.isEmpty()) return 0;
  // best[i]: of the letters so far with the last one at i; every letter looks at all places of the one
  // before.
  constexpr int never = -1000000;
  const auto length = static_cast<std::size_t>(title.size());
  std::vector<int> best(length, never), before;
  for (qsizetype w = 0; w < wanted.size(); ++w) {
    before = best;
    int reached = never;  // the best of `before` so far
    for (std::size_t i = 0; i < length; ++i) {
      const auto at = static_cast<qsizetype>(i);
      const bool same = title[at].toCaseFolded() == wanted[w].toCaseFolded();
      const int own = letter + (beginsWord(title, at) ? word_bonus : 0);
      const int run = i > 0 && before[i - 1] > never ? before[i - 1] + run_bonus : never;
      const int from = w == 0 ? 0 : std::max(reached, run);
      best[i] = same && from > never ? from + own : never;
      reached = std::max(reached, before[i]);
    }
  }
  int score = never;
  for (const int each : best) score = std::max(score, each);
  if (score == never) return std::nullopt;
  return score * 4 - static_cast<int>(title.size());  // of two alike the shorter
}

}  // namespace sluice::ui
