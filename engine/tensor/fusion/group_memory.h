#pragma once
// What the groups of a fusion plan need on chip while kernels join and leave them one by one. A change costs
// the edges of that kernel, not those of the graph.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/tensor/fusion/fusion.h"

namespace sluice::inline tensor {

class GroupMemory {
 public:
  /// `graph` passes its check and stays as long as this.
  GroupMemory(const FusionGraph& graph, FusionMemory memory);

  /// The kernel, which is in no group, joins one.
  void add(std::size_t kernel, std::size_t group);
  void remove(std::size_t kernel);
  /// All kernels leave their groups.
  void clear();

  /// None: the kernel is in no group.
  std::optional<std::size_t> groupOf(std::size_t kernel) const;
  std::int64_t bytes(std::size_t group) const { return group < bytes_.size() ? bytes_[group] : 0; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Memory that several edges need once: as long as one of them does, and as much as the first that does.
  class Shared {
   public:
    explicit Shared(std::size_t edges) : place_(edges), needed_(edges, false) {}
    /// Sorts edges into classes by keys, in the order of the edges.
    template <class Key>
    void sort(const std::vector<Key>& keys);
    /// The first edge of the class that needs the memory, or none.
    std::size_t first(std::size_t edge) const;
    void set(std::size_t edge, bool needed);

   private:
    struct Class {
      std::vector<std::size_t> edges;  ///< ascending
      std::size_t first = 0;           ///< of those that need it, by its position
    };
    struct Place {
      std::size_t number = 0, position = 0;  ///< of the class, and in it
    };
    std::vector<Class> classes_;
    std::vector<Place> place_;
    std::vector<bool> needed_;
  };

  void count(std::size_t edge, bool present);
  void need(Shared& shared, std::size_t edge, bool needed, std::int64_t FusionEdge::*bytes,
            std::int64_t times, std::size_t group);
  std::int64_t ownBytes(const FusionKernel& kernel) const;
  void move(std::size_t kernel, std::size_t group);

  const FusionGraph& graph_;
  FusionMemory memory_;
  std::vector<std::vector<std::size_t>> edges_of_;  ///< of each kernel
  std::vector<std::size_t> group_of_;
  std::vector<std::int64_t> bytes_;  ///< of each group
  Shared converters_, leaving_;
};

}  // namespace sluice::inline tensor
