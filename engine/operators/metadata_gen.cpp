// MetadataGen: a source of integers as 1 x 1 tiles, e.g. sequence lengths (timing.md 3.1).

#include <algorithm>

#include "engine/operators/around.h"
#include "engine/operators/metadata.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators::metadata_gen {

namespace {

/// Which values of the trace are emitted: blocks of `block`, `every` values apart, from `first` on.
struct Slice {
  std::uint64_t first = 0, count = 0, block = 1, every = 1;
  std::uint64_t times = 0;  ///< of every value; 0: once, without a dimension for it

  Slice(const Parameters& parameters, std::size_t values) {
    const auto given = [&](const char* name) { return static_cast<std::uint64_t>(parameters.integer(name)); };
    first = given("first");
    count = given("count");
    if (count == 0) count = values - std::min<std::uint64_t>(first, values);
    block = given("block") == 0 ? std::max<std::uint64_t>(count, 1) : given("block");
    every = given("every") == 0 ? block : given("every");
    times = given("times");
  }
  std::uint64_t at(std::uint64_t k) const { return first + k / block * every + k % block; }
  bool fits(std::size_t values) const { return count == 0 ? first <= values : at(count - 1) < values; }
  bool whole(std::size_t values) const {
    return first == 0 && count == values && (every == block || block >= count);
  }
};

enum class Emit { Value, Tiles, Remainder, Index };

Emit emitOf(const Parameters& parameters) {
  const std::string& name = parameters.string("emit");
  return name == "tiles"       ? Emit::Tiles
         : name == "remainder" ? Emit::Remainder
         : name == "index"     ? Emit::Index
                               : Emit::Value;
}

/// What is made of a value of the trace; `at`: its position.
std::uint64_t emitted(Emit emit, std::int64_t value, std::uint64_t at, std::uint64_t unit) {
  const auto length = static_cast<std::uint64_t>(value);
  switch (emit) {
    case Emit::Tiles:
      return ceilDiv(length + 1, unit);
    case Emit::Remainder:
      return length % unit;
    case Emit::Index:
      return at;
    default:
      return length;
  }
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const std::string& name = t.op.parameters.string("input");
  const auto input = t.inputs.find(name);
  if (input == t.inputs.end()) {
    return t.problem("unknown-input", "", "there is no input '" + name + "'",
                     "add it to the document's inputs, or choose another");
  }
  StreamType out{{Dim::fixed(1)}, TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)}, {}, {}};
  const std::size_t values = input->second.tensor.data.size();
  const Slice slice(t.op.parameters, values);
  if (!slice.fits(values)) {
    return t.problem("out-of-range", "",
                     "it asks for value " + std::to_string(slice.at(slice.count - 1)) + " of input '" + name +
                         "', which has " + std::to_string(values),
                     "lower first, count or every");
  }
  if (!slice.whole(values)) {
    out.shape.push_back(Dim::fixed(Expr(static_cast<std::int64_t>(slice.count))));
  } else {
    for (const std::size_t extent : input->second.tensor.shape)
      out.shape.push_back(Dim::fixed(Expr(static_cast<std::int64_t>(extent))));
  }
  if (slice.times > 0) out.shape.push_back(Dim::fixed(t.symbolic("times")));
  out.shape.front() = aroundAll(t, out.shape);
  return std::vector<StreamType>{std::move(out)};
}

/// The numbers that come out, one after the other. The inputs outlive them, so the values need no copy.
struct Emission {
  const std::vector<std::int64_t>& values;
  Slice slice;
  std::vector<std::uint64_t> extents;
  Emit emit;
  std::uint64_t unit, times;

  Emission(const Parameters& parameters, const IntTensor& tensor)
      : values(tensor.data),
        slice(parameters, tensor.data.size()),
        extents(tensor.shape.begin(), tensor.shape.end()),
        emit(emitOf(parameters)),
        unit(static_cast<std::uint64_t>(parameters.integer("unit"))),
        times(std::max<std::uint64_t>(slice.times, 1)) {
    if (!slice.whole(tensor.data.size())) extents = {slice.count};
    if (slice.times > 0) extents.push_back(slice.times);
  }
  std::uint64_t size() const { return slice.count * times; }
  std::uint64_t operator[](std::uint64_t k) const {
    const std::uint64_t at = slice.at(k / times);
    return emitted(emit, values[at], at * times + k % times, unit);
  }
};

simulator::Process run(simulator::Context& me, Emission emission) {
  StopCounter stops(emission.extents);
  const Cycles start = me.now;
  for (std::uint64_t k = 0; k < emission.size(); ++k) {
    const simulator::Token token = simulator::Token::number(emission[k]);
    co_await me.push(me.out(0), token.withStop(stops.next()), start + k);
  }
}

Emission emissionOf(const Parameters& parameters, const InputSet& inputs) {
  return {parameters, inputs.at(parameters.string("input")).tensor};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, emissionOf(instance.op.parameters, instance.inputs));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "MetadataGen",
              .category = "Source",
              .summary = "Emits the integers of a trace.",
              .paper = "STeP artifact, MetadataGen",
              .parameters = {inputParameter("input", "sequence lengths or another integer tensor"),
                             choiceParameter("emit",
                                             "the value itself, the tiles that hold value + 1 rows, the rows "
                                             "in the last of them before that one, or the value's position",
                                             {"value", "tiles", "remainder", "index"}, Value("value")),
                             integerParameter("unit", "rows of a tile", 1, Value(1)),
                             integerParameter("first", "position of the first value", 0, Value(0)),
                             integerParameter("count", "values to emit; 0: all the rest", 0, Value(0)),
                             integerParameter("block", "values in a row; 0: all of them", 0, Value(0)),
                             integerParameter("every", "distance from block to block; 0: no gap", 0,
                                              Value(0)),
                             integerParameter("times",
                                              "how often every value comes, in a dimension of its own, and "
                                              "counts as a position; 0: once, without the dimension",
                                              0, Value(0))},
              .inputs = {},
              .outputs = {{"out", "", "1 x 1 tiles of u64; shape [1] + shape of the input"}},
              .rules = {.shape = "[1], then the part of the input that is emitted, and a dimension of times "
                                 "where values are repeated.",
                        .cost = "None.",
                        .timing = "One value a cycle."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = sourceRates,
      .schedule = ScheduleRole::Numbers,
  };
  return definition;
}

}  // namespace sluice::inline operators::metadata_gen

namespace sluice::inline operators {

std::size_t metadataEnd(const FlatOperator& op, const InputSet& inputs) {
  const metadata_gen::Slice slice(op.parameters, inputs.at(op.parameters.string("input")).tensor.data.size());
  return slice.count == 0 ? 0 : slice.at(slice.count - 1) + 1;
}

IntTensor metadataOf(const FlatOperator& op, const InputSet& inputs) {
  const metadata_gen::Emission emission = metadata_gen::emissionOf(op.parameters, inputs);
  IntTensor tensor;
  tensor.shape.assign(emission.extents.begin(), emission.extents.end());
  for (std::uint64_t k = 0; k < emission.size(); ++k)
    tensor.data.push_back(static_cast<std::int64_t>(emission[k]));
  return tensor;
}

}  // namespace sluice::inline operators
