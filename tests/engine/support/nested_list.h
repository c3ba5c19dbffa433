#pragma once
// Nested lists: what a token stream means. A stream of rank R is a list (level R) of lists ... of leaves (the
// items of level 0); a token's stop level is the highest list that ends with it, the outermost one excepted,
// which ends by the close.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/simulator/result.h"

namespace sluice {

struct Leaf {
  std::uint64_t scalar = 0, rows = 0, cols = 0, valid = 0;
  bool operator==(const Leaf&) const = default;
};

struct Nested {
  Leaf leaf;                  ///< when it is one
  std::vector<Nested> items;  ///< when it is a list; never empty, but for the outermost
  bool operator==(const Nested&) const = default;
};

struct LeveledLeaf {
  Leaf leaf;
  std::uint32_t stop = 0;
  bool operator==(const LeveledLeaf&) const = default;
};

/// Throws std::runtime_error when the tokens are not a stream of that rank.
Nested decode(const std::vector<LeveledLeaf>& tokens, std::uint32_t rank);
std::vector<LeveledLeaf> encode(const Nested& list, std::uint32_t rank);
std::vector<LeveledLeaf> leveled(const std::vector<CapturedToken>& tokens);
std::string text(const std::vector<LeveledLeaf>& tokens);  ///< "3 5) 7 2))": stops as closing brackets

/// `list`, of level `level`, with every list of level `at` in it replaced.
Nested transformed(const Nested& list, std::uint32_t level, std::uint32_t at,
                   const std::function<Nested(const Nested&)>& change);
/// The same for every item of the lists of level `at`; `change` may give several items for one.
Nested eachItem(const Nested& list, std::uint32_t level, std::uint32_t at,
                const std::function<std::vector<Nested>(const Nested&)>& change);
std::vector<Leaf> leaves(const Nested& list);
/// The lists of level `at`, in order.
std::vector<Nested> listsOf(const Nested& list, std::uint32_t level, std::uint32_t at);

}  // namespace sluice
