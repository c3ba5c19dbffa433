#pragma once
// Fuzzy matching of what is typed with a title: all letters in order, best where words begin and where
// letters follow each other.

#include <QString>
#include <optional>

namespace sluice::ui {

/// Absent: a letter of `typed` is missing. Higher is better.
std::optional<int> fuzzyScore(const QString& typed, const QString& title);

}  // namespace sluice::ui
