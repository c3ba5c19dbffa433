#include "engine/tensor/loop_nests/loop_nest.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace sluice::inline tensor {
namespace {

/// Iterations, operations and elements stay below this: products with a parallel factor are then exact.
constexpr std::int64_t largest_count = std::int64_t{1} << 48;

/// The product with `by`, nothing where it passes the limit; both positive.
std::optional<std::int64_t> times(std::optional<std::int64_t> product, std::int64_t by) {
  if (!product || *product > largest_count / by) return std::nullopt;
  return *product * by;
}

class Checker {
 public:
  explicit Checker(const LoopProgram& program) : program_(program) {}

  Diagnostics run() {
    std::set<std::string_view> names;
    for (std::size_t array = 0; array < program_.arrays.size(); ++array) {
      place_ = Location(Where::Array, program_.arrays[array].name);
      checkName(program_.arrays[array].name, "array " + std::to_string(array), names);
      checkArray(program_.arrays[array]);
    }
    names.clear();
    for (std::size_t nest = 0; nest < program_.nests.size(); ++nest) {
      place_ = Location(Where::Nest, program_.nests[nest].name);
      checkName(program_.nests[nest].name, "nest " + std::to_string(nest), names);
      checkNest(program_.nests[nest]);
    }
    return std::move(found_);
  }

 private:
  void report(Code code, std::string cause, std::string fix) {
    found_.push_back(error(code, place_, std::move(cause), std::move(fix)));
  }

  void checkName(const std::string& name, const Location& nameless, std::set<std::string_view>& names) {
    if (name.empty()) {
      place_ = nameless;
      report("invalid-name", "it has no name", "name it; messages and tables show the name");
    } else if (!names.insert(name).second) {
      report("duplicate-name", "the name is used twice", "give every one its own name");
    }
  }

  void checkArray(const NestArray& array) {
    std::optional<std::int64_t> product = 1;
    for (const std::int64_t extent : array.shape) {
      if (extent < 1)
        return report("out-of-range", "a dimension of " + std::to_string(extent), "give at least 1");
      product = times(product, extent);
    }
    if (!product) report("too-many", "it has more than 2^48 elements", "describe one tile of the problem");
    if (array.element_bits < 1 || array.element_bits > 4096)
      report("out-of-range", "elements of " + std::to_string(array.element_bits) + " bits",
             "give 1 to 4096 bits");
  }

  void checkNest(const LoopNest& nest) {
    if (nest.operations < 1)
      return report("out-of-range", "it has " + std::to_string(nest.operations) + " operations per iteration",
                    "give at least 1; a copy counts as one");
    std::optional<std::int64_t> product = std::min(nest.operations, largest_count + 1);
    std::set<std::string_view> names;
    const Location place = place_;
    for (std::size_t loop = 0; loop < nest.loops.size(); ++loop) {
      place_ = place / Location(Where::Loop, nest.loops[loop].name);
      checkName(nest.loops[loop].name, place / Location("loop " + std::to_string(loop)), names);
      if (nest.loops[loop].extent < 1)
        return report("out-of-range", "an extent of " + std::to_string(nest.loops[loop].extent),
                      "give at least 1");
      product = times(product, nest.loops[loop].extent);
    }
    place_ = place;
    if (!product || *product > largest_count)
      return report("too-many", "it has more than 2^48 operations", "describe one tile of the problem");
    for (const ArrayAccess& access : nest.accesses) {
      place_ = place;
      checkAccess(nest, access);
    }
  }

  void checkAccess(const LoopNest& nest, const ArrayAccess& access) {
    if (access.array >= program_.arrays.size())
      return report("unknown-name",
                    "it uses array " + std::to_string(access.array) + ", which does not exist",
                    "use the numbers below " + std::to_string(program_.arrays.size()));
    const NestArray& array = program_.arrays[access.array];
    place_ /= Location(Where::Array, array.name);
    if (access.indices.size() != array.shape.size())
      return report("rank-mismatch",
                    std::to_string(access.indices.size()) + " indices for " +
                        std::to_string(array.shape.size()) + " dimensions",
                    "give one index per dimension");
    const std::size_t before = found_.size();
    for (std::size_t k = 0; k < array.shape.size(); ++k)
      checkIndex(nest, access.indices[k], array.shape[k], k);
    if (access.writes && found_.size() == before) checkRace(nest, access);
  }

  void checkIndex(const LoopNest& nest, const AccessIndex& index, std::int64_t extent, std::size_t k) {
    const std::string dimension = "dimension " + std::to_string(k);
    std::int64_t last = index.offset;
    if (index.loop) {
      if (*index.loop >= nest.loops.size())
        return report(
            "unknown-name",
            dimension + " is indexed by loop " + std::to_string(*index.loop) + ", which does not exist",
            "the nest has " + std::to_string(nest.loops.size()) + " loops, counted from 0");
      if (index.scale < 1)
        return report("out-of-range", dimension + " is indexed with scale " + std::to_string(index.scale),
                      "give a positive scale; a loop that runs backwards is written forwards");
      const std::int64_t steps = nest.loops[*index.loop].extent - 1;
      last = steps > 0 && index.scale > largest_count / steps ? largest_count : index.scale * steps;
      last += std::clamp<std::int64_t>(index.offset, -1, largest_count);
    }
    if (index.offset < 0 || last >= extent)
      report("invalid-loop-nest",
             dimension + " is indexed from " + std::to_string(index.offset) + " to " + std::to_string(last) +
                 ", but has " + std::to_string(extent) + " elements",
             "make the array larger or the loop shorter");
  }

  /// Iterations of a parallel loop that does not index what is written would write the same element.
  void checkRace(const LoopNest& nest, const ArrayAccess& access) {
    for (std::size_t loop = 0; loop < nest.loops.size(); ++loop) {
      const bool indexes = std::any_of(access.indices.begin(), access.indices.end(),
                                       [&](const AccessIndex& index) { return index.loop == loop; });
      if (nest.loops[loop].kind == LoopKind::Parallel && nest.loops[loop].extent > 1 && !indexes)
        report("invalid-loop-nest",
               "it is written by every iteration of the parallel loop '" + nest.loops[loop].name +
                   "', which does not index it",
               "call the loop a reduction, or index the array with it");
    }
  }

  const LoopProgram& program_;
  Location place_;
  Diagnostics found_;
};

}  // namespace

Diagnostics check(const LoopProgram& program) {
  return Checker(program).run();
}

std::int64_t iterations(const LoopNest& nest) {
  std::int64_t product = 1;
  for (const NestLoop& loop : nest.loops) product *= loop.extent;
  return product;
}

std::int64_t intensity(const LoopNest& nest) {
  return nest.operations * iterations(nest);
}

std::int64_t elements(const NestArray& array) {
  std::int64_t product = 1;
  for (const std::int64_t extent : array.shape) product *= extent;
  return product;
}

}  // namespace sluice::inline tensor
