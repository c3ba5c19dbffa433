#include "tests/engine/support/nested_list.h"

#include <stdexcept>

namespace sluice {

namespace {

using Tokens = std::vector<LeveledLeaf>;

Nested decodeLevel(const Tokens& tokens, std::uint32_t level) {
  Nested list;
  Tokens part;
  for (const LeveledLeaf& token : tokens) {
    if (level == 0) {
      list.items.push_back({token.leaf, {}});
      continue;
    }
    part.push_back(token);
    if (token.stop < level) continue;
    list.items.push_back(decodeLevel(part, level - 1));
    part.clear();
  }
  if (!part.empty())
    throw std::runtime_error("a list of level " + std::to_string(level - 1) + " does not end");
  return list;
}

void encodeLevel(const Nested& list, std::uint32_t level, Tokens& out) {
  for (const Nested& item : list.items) {
    if (level == 0) {
      out.push_back({item.leaf, 0});
      continue;
    }
    encodeLevel(item, level - 1, out);
    out.back().stop = level;
  }
}

void collectLeaves(const Nested& nested, std::vector<Leaf>& out) {
  if (nested.items.empty()) out.push_back(nested.leaf);
  for (const Nested& item : nested.items) collectLeaves(item, out);
}

}  // namespace

Nested decode(const Tokens& tokens, std::uint32_t rank) {
  for (const LeveledLeaf& token : tokens)
    if (token.stop > rank)
      throw std::runtime_error("stop " + std::to_string(token.stop) + " in a stream of rank " +
                               std::to_string(rank));
  return decodeLevel(tokens, rank);
}

Tokens encode(const Nested& list, std::uint32_t rank) {
  Tokens out;
  encodeLevel(list, rank, out);
  return out;
}

Tokens leveled(const std::vector<CapturedToken>& tokens) {
  Tokens out;
  for (const CapturedToken& token : tokens)
    out.push_back({{token.scalar, token.rows, token.cols, token.valid}, token.stop});
  return out;
}

std::string text(const Tokens& tokens) {
  std::string out;
  for (const LeveledLeaf& token : tokens) {
    const Leaf& leaf = token.leaf;
    out += std::to_string(leaf.scalar);
    if (leaf.rows != 1 || leaf.cols != 1 || leaf.valid != 1)
      out += "[" + std::to_string(leaf.rows) + "x" + std::to_string(leaf.cols) + "/" +
             std::to_string(leaf.valid) + "]";
    out += std::string(token.stop, ')') + " ";
  }
  return out;
}

Nested transformed(const Nested& list, std::uint32_t level, std::uint32_t at,
                   const std::function<Nested(const Nested&)>& change) {
  if (level == at) return change(list);
  Nested result;
  for (const Nested& item : list.items) result.items.push_back(transformed(item, level - 1, at, change));
  return result;
}

Nested eachItem(const Nested& list, std::uint32_t level, std::uint32_t at,
                const std::function<std::vector<Nested>(const Nested&)>& change) {
  return transformed(list, level, at, [&](const Nested& inner) {
    Nested result;
    for (const Nested& item : inner.items)
      for (Nested& changed : change(item)) result.items.push_back(std::move(changed));
    return result;
  });
}

std::vector<Leaf> leaves(const Nested& list) {
  std::vector<Leaf> out;
  for (const Nested& item : list.items) collectLeaves(item, out);
  return out;
}

std::vector<Nested> listsOf(const Nested& list, std::uint32_t level, std::uint32_t at) {
  if (level == at) return {list};
  std::vector<Nested> out;
  for (const Nested& item : list.items)
    for (Nested& inner : listsOf(item, level - 1, at)) out.push_back(std::move(inner));
  return out;
}

}  // namespace sluice
