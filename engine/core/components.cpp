#include "engine/core/components.h"

#include <algorithm>
#include <limits>

namespace sluice {
namespace {

constexpr std::size_t unseen = std::numeric_limits<std::size_t>::max();

class Search {
 public:
  explicit Search(const Edges& edges) : edges_(edges), order_(edges.size(), unseen), low_(edges.size()) {
    found_.of.assign(edges.size(), unseen);
    for (std::size_t node = 0; node < edges.size(); ++node)
      if (order_[node] == unseen) visit(node);
    found_.circular.assign(found_.members.size(), 0);
    found_.left.assign(found_.members.size(), 0);
    for (std::size_t node = 0; node < edges.size(); ++node) {
      const std::size_t own = found_.of[node];
      for (const std::size_t next : edges[node])
        (found_.of[next] == own ? found_.circular : found_.left)[own] = 1;
    }
  }
  Components take() { return std::move(found_); }

 private:
  struct Step {
    std::size_t node, next = 0;
  };

  void enter(std::size_t node) {
    order_[node] = low_[node] = entered_++;
    open_.push_back(node);
    path_.push_back({node});
  }

  void visit(std::size_t root) {
    enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::size_t node = step.node;
      if (step.next < edges_[node].size()) {
        const std::size_t next = edges_[node][step.next++];
        if (order_[next] == unseen) {
          enter(next);
        } else if (found_.of[next] == unseen) {
          low_[node] = std::min(low_[node], order_[next]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
      if (low_[node] == order_[node]) close(node);
    }
  }

  void close(std::size_t root) {
    std::vector<std::size_t>& members = found_.members.emplace_back();
    std::size_t node = unseen;
    while (node != root) {
      node = open_.back();
      open_.pop_back();
      found_.of[node] = found_.members.size() - 1;
      members.push_back(node);
    }
  }

  const Edges& edges_;
  Components found_;
  std::vector<std::size_t> order_, low_, open_;
  std::vector<Step> path_;
  std::size_t entered_ = 0;
};

}  // namespace

Components stronglyConnected(const Edges& edges) {
  return Search(edges).take();
}

}  // namespace sluice
