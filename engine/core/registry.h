#pragma once
// Registry: a table that plug-ins add to when a program starts. The first who reads it closes it: from then
// on it never changes, so that threads need no lock.

#include <atomic>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice {

template <class Entry>
class Registry {
 public:
  explicit Registry(std::vector<Entry> built_in) : entries_(std::move(built_in)) {}

  /// By the thread that starts the program. Throws std::logic_error once all() has been called.
  void add(Entry entry) {
    if (closed_) throw std::logic_error("a registry is added to after it was read");
    entries_.push_back(std::move(entry));
  }
  /// What is there so far, the built-in entries first; the registry stays open.
  std::span<const Entry> soFar() const { return entries_; }
  std::span<const Entry> all() const {
    if (!closed_.load(std::memory_order_relaxed)) closed_.store(true, std::memory_order_relaxed);
    return entries_;
  }

 private:
  std::vector<Entry> entries_;
  mutable std::atomic<bool> closed_ = false;
};

}  // namespace sluice
