#include "engine/tensor/loop_nests/nest_connections.h"

#include <algorithm>
#include <numeric>

namespace sluice::inline tensor {
namespace {

NestConnection connect(const LoopProgram& program, std::size_t source, std::size_t target,
                       const ArrayAccess& write, const ArrayAccess& read) {
  const std::size_t source_loops = program.nests[source].loops.size();
  const std::size_t target_loops = program.nests[target].loops.size();
  NestConnection connection{source,
                            target,
                            write.array,
                            LoopMap(target_loops),
                            LoopMap(source_loops),
                            LoopScales(source_loops),
                            LoopScales(target_loops)};
  for (std::size_t k = 0; k < write.indices.size(); ++k) {
    const AccessIndex& written = write.indices[k];
    const AccessIndex& taken = read.indices[k];
    if (!written.loop || !taken.loop) continue;
    // A loop that indexes two dimensions corresponds by the first.
    if (connection.target_loop[*written.loop] || connection.source_loop[*taken.loop]) continue;
    connection.source_loop[*taken.loop] = *written.loop;
    connection.target_loop[*written.loop] = *taken.loop;
    connection.source_scale[*written.loop] = ratio(written.scale, taken.scale);
    connection.target_scale[*taken.loop] = ratio(taken.scale, written.scale);
  }
  return connection;
}

}  // namespace

Ratio ratio(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

std::string text(const Ratio& ratio) {
  const std::string numerator = std::to_string(ratio.numerator);
  return ratio.denominator == 1 ? numerator : numerator + "/" + std::to_string(ratio.denominator);
}

std::vector<NestConnection> connections(const LoopProgram& program) {
  std::vector<NestConnection> found;
  for (std::size_t source = 0; source < program.nests.size(); ++source) {
    for (const ArrayAccess& write : program.nests[source].accesses) {
      if (!write.writes) continue;
      for (std::size_t target = 0; target < program.nests.size(); ++target) {
        if (target == source) continue;
        for (const ArrayAccess& read : program.nests[target].accesses) {
          if (read.writes || read.array != write.array) continue;
          NestConnection connection = connect(program, source, target, write, read);
          if (std::find(found.begin(), found.end(), connection) == found.end())
            found.push_back(std::move(connection));
        }
      }
    }
  }
  return found;
}

std::vector<Ratio> constraintOn(std::size_t nest, const NestConnection& connection,
                                std::span<const std::int64_t> neighbour_unroll) {
  const bool on_target = nest == connection.target;
  const LoopMap& neighbour_loop = on_target ? connection.source_loop : connection.target_loop;
  const LoopScales& neighbour_scale = on_target ? connection.source_scale : connection.target_scale;
  std::vector<Ratio> constraint(neighbour_loop.size());
  for (std::size_t loop = 0; loop < constraint.size(); ++loop) {
    if (!neighbour_loop[loop]) continue;
    const std::size_t neighbour = *neighbour_loop[loop];
    const Ratio& scale = *neighbour_scale[neighbour];
    constraint[loop] = ratio(neighbour_unroll[neighbour] * scale.numerator, scale.denominator);
  }
  return constraint;
}

}  // namespace sluice::inline tensor
