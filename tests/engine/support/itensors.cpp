#include "tests/engine/support/itensors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "engine/itensor/itensor_text.h"

namespace sluice::testing_support {

std::vector<Numbers> enumerateOffsets(const ITensor& type) {
  std::int64_t count = 1;
  for (const ITensorLoop& loop : type.loops) count *= loop.trips;
  std::vector<Numbers> offsets;
  for (std::int64_t token = 0; token < count; ++token) {
    Numbers iteration(type.loops.size());
    std::int64_t rest = token;
    for (std::size_t d = iteration.size(); d-- > 0; rest /= type.loops[d].trips)
      iteration[d] = rest % type.loops[d].trips * type.loops[d].step;
    Numbers offset;
    for (const AffineForm& form : type.map) {
      offset.push_back(form.constant);
      for (std::size_t d = 0; d < iteration.size(); ++d) offset.back() += form.coefficients[d] * iteration[d];
    }
    offsets.push_back(std::move(offset));
  }
  return offsets;
}

std::int64_t between(SplitMix64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

bool chance(SplitMix64& random, std::uint64_t percent) {
  return random.below(100) < percent;
}

ITensor randomType(SplitMix64& random) {
  static const char* const scalars[] = {"f32", "bf16", "f16", "f64", "i4", "i8", "ui3", "si16", "f8E5M2"};
  ITensor type;
  type.scalar = *scalarNamed(scalars[random.below(std::size(scalars))]);
  const std::size_t loops = random.below(5), rank = random.below(4);
  for (std::size_t d = 0; d < loops; ++d)
    type.loops.push_back({between(random, 1, 4), between(random, 1, 4)});
  for (std::size_t k = 0; k < rank; ++k) {
    AffineForm form = AffineForm::zero(loops);
    if (chance(random, 20)) form.constant = between(random, -3, 3);
    for (std::int64_t& coefficient : form.coefficients) {
      if (chance(random, 45)) coefficient = chance(random, 60) ? 1 : between(random, -2, 3);
    }
    type.map.push_back(std::move(form));
  }
  if (rank > 0 && chance(random, 85)) {
    for (std::size_t k = 0; k < rank; ++k) type.tile.push_back(between(random, 1, 4));
    type.vector_token = chance(random, 10);
  }
  return type;
}

namespace {

/// Puts a loop in front of loop `at` that moves nothing by itself.
void insertLoop(ITensor& type, std::size_t at, ITensorLoop loop) {
  const auto place = static_cast<std::ptrdiff_t>(at);
  type.loops.insert(type.loops.begin() + place, loop);
  for (AffineForm& form : type.map) form.coefficients.insert(form.coefficients.begin() + place, 0);
}

/// One loop of n * m trips as two, of n and of m trips.
void splitLoop(ITensor& type, std::size_t d, std::int64_t inner) {
  insertLoop(type, d, {type.loops[d].trips / inner, 1});
  type.loops[d + 1].trips = inner;
  for (AffineForm& form : type.map)
    form.coefficients[d] = form.coefficients[d + 1] * inner * type.loops[d + 1].step;
}

}  // namespace

ITensor rewritten(const ITensor& type, SplitMix64& random) {
  ITensor changed = type;
  for (int times = 0; times < 3; ++times) {
    if (chance(random, 40)) {
      const std::size_t at = random.below(changed.loops.size() + 1);
      insertLoop(changed, at, {1, between(random, 1, 5)});
      for (AffineForm& form : changed.map) form.coefficients[at] = between(random, 0, 2);
    }
    if (changed.loops.empty()) continue;
    const std::size_t d = random.below(changed.loops.size());
    if (changed.loops[d].trips % 2 == 0 && chance(random, 50)) splitLoop(changed, d, 2);
    const std::int64_t step = changed.loops[d].step;
    if (step > 1 && chance(random, 40)) {  // the factor moves from the step into the map
      changed.loops[d].step = 1;
      for (AffineForm& form : changed.map) form.coefficients[d] *= step;
    }
  }
  return changed;
}

namespace {

/// A loop of a tiling to be: the dimension it moves along, or reuse.
struct Planned {
  std::optional<std::size_t> dimension;
  ITensorLoop loop;
};

ITensor tiling(const Numbers& tile, const std::vector<Planned>& plan) {
  ITensor type;
  type.tile = tile;
  type.map.assign(tile.size(), AffineForm::zero(plan.size()));
  for (std::size_t d = 0; d < plan.size(); ++d) {
    type.loops.push_back(plan[d].loop);
    if (plan[d].dimension) type.map[*plan[d].dimension].coefficients[d] = 1;
  }
  return type;
}

void insertAnywhere(std::vector<Planned>& plan, Planned loop, SplitMix64& random) {
  plan.insert(plan.begin() + static_cast<std::ptrdiff_t>(random.below(plan.size() + 1)), loop);
}

/// The loops over `shape` in tiles, in the order of `order`, with reuse loops anywhere.
std::vector<Planned> planOf(const Numbers& shape, const Numbers& tile, const std::vector<std::size_t>& order,
                            bool unit_loops, SplitMix64& random) {
  std::vector<Planned> plan;
  for (const std::size_t k : order) {
    const std::int64_t trips = shape[k] / tile[k];
    if (trips > 1 || (unit_loops && chance(random, 50)))
      plan.push_back({k, {trips, trips > 1 ? tile[k] : between(random, 1, 5)}});
  }
  while (chance(random, 35)) insertAnywhere(plan, {{}, {between(random, 2, 4), 1}}, random);
  while (unit_loops && chance(random, 40)) insertAnywhere(plan, {{}, {1, between(random, 1, 5)}}, random);
  return plan;
}

}  // namespace

TilingPair randomTilings(SplitMix64& random, bool unit_loops) {
  static constexpr std::int64_t extents[] = {2, 2, 3, 4, 6};
  const std::size_t rank = std::min<std::size_t>(1 + random.below(5), 3);
  Numbers shape, from, to;
  std::vector<std::size_t> order;
  const auto tileOf = [&](std::int64_t extent) {
    std::int64_t tile = between(random, 1, chance(random, 75) ? extent / 2 : extent);
    while (extent % tile != 0) --tile;
    return tile;
  };
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(extents[random.below(std::size(extents))]);
    from.push_back(tileOf(shape[k]));
    to.push_back(chance(random, 70) ? from[k] : tileOf(shape[k]));
    order.push_back(k);
  }
  random.shuffle(std::span(order));
  const std::vector<Planned> plan = planOf(shape, from, order, unit_loops, random);
  if (chance(random, 40)) random.shuffle(std::span(order));
  TilingPair pair{tiling(from, plan), tiling(to, planOf(shape, to, order, unit_loops, random)), shape};
  return pair;
}

std::vector<Record> readRecords(const std::string& file) {
  std::ifstream in(std::filesystem::path(SLUICE_SOURCE_DIR) / "tests" / "data" / "streamtensor" / file);
  if (!in) throw std::runtime_error("no " + file);
  std::vector<Record> records(1);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.empty()) {
      if (!records.back().empty()) records.emplace_back();
      continue;
    }
    const std::size_t space = line.find(' ');
    records.back()[line.substr(0, space)] = line.substr(space + 1);
  }
  if (records.back().empty()) records.pop_back();
  return records;
}

std::vector<Numbers> numberLists(const std::string& text) {
  std::vector<Numbers> lists;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    Numbers list;
    std::istringstream numbers(word);
    for (std::string number; std::getline(numbers, number, ',');) list.push_back(std::stoll(number));
    lists.push_back(std::move(list));
  }
  return lists;
}

ITensor typeOf(const std::string& text) {
  const Result<WrittenITensor> written = parseITensor(text);
  if (!written) throw std::runtime_error(sluice::text(written.diagnostics()));
  return written->type;
}

Numbers shapeOf(const std::string& text) {
  const auto shape = parseTensorShape(text, "shape");
  if (!shape) throw std::runtime_error(sluice::text(shape.diagnostics()));
  return *shape;
}

}  // namespace sluice::testing_support
