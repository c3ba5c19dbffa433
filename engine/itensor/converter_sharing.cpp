#include "engine/itensor/converter_sharing.h"

#include <map>

#include "engine/itensor/canonical.h"

namespace sluice::inline itensor {
namespace {

struct Key {
  std::size_t source;
  ITensor stream;  ///< in canonical form

  bool operator<(const Key& other) const {
    if (source != other.source) return source < other.source;
    return compareTypes(stream, other.stream) < 0;
  }
};

}  // namespace

std::vector<ConverterGroup> shareConverters(std::span<const ConverterUse> uses) {
  std::vector<ConverterGroup> groups;
  std::map<Key, std::size_t> group_of;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    const auto [known, fresh] =
        group_of.try_emplace({uses[use].source, canonicalForm(uses[use].result)}, groups.size());
    if (fresh) groups.emplace_back();
    groups[known->second].push_back(use);
  }
  return groups;
}

}  // namespace sluice::inline itensor
