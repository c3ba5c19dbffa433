#pragma once
// Names: what is one, and which known ones a misspelt one may have meant.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::inline program {

bool isIdentifier(std::string_view name);  ///< [A-Za-z_][A-Za-z0-9_]*

/// The wish, or with the first number behind it ("tile_2") a name that is not taken.
std::string freeName(const std::string& wish, const std::function<bool(const std::string&)>& taken);

/// Up to `most` candidates spelled like `word`, closest first, ties in the order given.
std::vector<std::string> closestSpellings(const std::string& word, const std::vector<std::string>& candidates,
                                          std::size_t most = 3);

/// The only candidate that is one slip of the finger away - a letter too many, too few, another one, two that
/// changed places - or differs in case alone.
std::optional<std::string> evidentSpelling(const std::string& word,
                                           const std::vector<std::string>& candidates);

/// A fix for an unknown name: "did you mean 'rank'?", else "use one of a, b, c", else `otherwise`.
std::string spellingFix(const std::string& word, const std::vector<std::string>& candidates,
                        const std::string& otherwise);

}  // namespace sluice::inline program
