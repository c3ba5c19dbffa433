#pragma once
// Knobs that have the same part in a program: which value belongs to which of them makes no difference, as of
// the depths of two FIFOs that nothing tells apart. Of the points that come to one graph by such an exchange
// a search evaluates one.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/explorer/search/numbering.h"

namespace sluice::inline explorer {

class KnobExchange {
 public:
  /// Two knobs of the same values belong to one group if an exchange of their values leaves the graph
  /// (graphHash()) and the machine as they are, at the points that are looked at: the defaults and some by
  /// chance.
  KnobExchange(const Workload& workload, std::vector<Knob> knobs);

  /// Positions of knobs; each group has two or more.
  const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }
  std::vector<std::vector<std::string>> names() const;
  /// The point of the same graph whose values rise within each group; the point itself if the two graphs
  /// differ after all.
  std::uint64_t representative(std::uint64_t index);
  /// Representatives that the space has.
  std::uint64_t size() const;

 private:
  bool exchangeable(std::size_t a, std::size_t b) const;
  /// Nothing where the point has no graph.
  std::string graphAt(const std::vector<std::uint64_t>& digits) const;

  const Workload& workload_;
  std::vector<Knob> knobs_;
  Numbering numbering_;
  std::vector<std::vector<std::size_t>> groups_;
  std::map<std::uint64_t, std::uint64_t> known_;
};

}  // namespace sluice::inline explorer
