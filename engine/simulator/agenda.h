#pragma once
// Agenda: what will happen when, the earliest first; of equal times the lower number. Sorted, as there are
// few entries and most new ones are among the earliest: a heap takes longer.

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/core/units.h"

namespace sluice::inline simulator {

class Agenda {
 public:
  static constexpr Cycles never = std::numeric_limits<Cycles>::max();

  /// Time and number of the first entry; never, if there is none.
  Cycles time() const { return entries_.back().time; }
  std::uint32_t number() const { return entries_.back().number; }
  void pop() { entries_.pop_back(); }

  void push(Cycles time, std::uint32_t number) {
    const Entry entry{time, number};
    entries_.push_back(entry);
    Entry* place = &entries_.back();
    for (; place[-1] < entry; --place) *place = place[-1];
    *place = entry;
  }

 private:
  struct Entry {
    Cycles time;
    std::uint32_t number;
    bool operator<(const Entry& other) const {
      return time != other.time ? time < other.time : number < other.number;
    }
  };
  std::vector<Entry> entries_{{never, std::numeric_limits<std::uint32_t>::max()}};  ///< the earliest last
};

}  // namespace sluice::inline simulator
