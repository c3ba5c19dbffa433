// Operators that take parts of tensors at places, or put them there, at places that are known and at places
// that data says: what imported models compute is compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_lookups_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

constexpr int int64 = 7;

/// Operands of a node under test: data, places and, where it has them, updates.
struct Case {
  std::string op;
  Shape data, places;
  std::vector<std::int64_t> numbers;
  Shape updates = {};
  std::string attributes = {};
};

std::vector<std::size_t> sizes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

/// Of the case with its places as a constant, or as an input.
FloatTensor made(const Case& one, bool known) {
  Model model = Model().input("x", one.data).output("y");
  Names inputs{"x", "i"};
  TensorSet given{{"x", tensorOf(sizes(one.data))}};
  if (known) {
    model.integers("flat", one.numbers).integers("shape", one.places).node("Reshape", {"flat", "shape"}, "i");
  } else {
    model.input("i", one.places, int64);
    given["i"] = {sizes(one.places), {one.numbers.begin(), one.numbers.end()}};
  }
  if (!one.updates.empty()) {
    model.input("u", one.updates);
    inputs.push_back("u");
    given["u"] = tensorOf(sizes(one.updates), 2);
  }
  model.node(one.op, inputs, "y", one.attributes);
  return resultWithWeights(model, std::move(given), true);
}

/// `element`: the number in the data, or behind it the number in the updates, at each place of the result.
void expectTaken(const Case& one, const Shape& shape,
                 const std::function<std::size_t(const Shape&)>& element) {
  const FloatTensor data = tensorOf(sizes(one.data)),
                    updates = one.updates.empty() ? FloatTensor{} : tensorOf(sizes(one.updates), 2);
  std::vector<double> wanted;
  Shape index(shape.size(), 0);
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = element(index);
    wanted.push_back(at < data.data.size() ? data.data[at] : updates.data[at - data.data.size()]);
    for (std::size_t k = index.size(); k-- > 0 && ++index[k] == shape[k];) index[k] = 0;
  }
  for (const bool known : {true, false}) {
    SCOPED_TRACE(one.op + (known ? " at known places" : " at places of data"));
    expectNear(made(one, known), sizes(shape), wanted, 1e-6);
  }
}

std::size_t number(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

TEST(OnnxLookups, PartsAlongOneDimension) {
  const Case one{"Gather", {2, 5, 3}, {2, 2}, {4, 0, -5, -2}, {}, Model::integer("axis", 1)};
  const std::int64_t places[] = {4, 0, 0, 3};
  expectTaken(one, {2, 2, 2, 3},
              [&](const Shape& at) { return number((at[0] * 5 + places[at[1] * 2 + at[2]]) * 3 + at[3]); });
}

/// More runs than are slices.
TEST(OnnxLookups, ManyPlacesAreAProduct) {
  Case one{"Gather", {100, 2}, {100}, {}};
  for (std::int64_t i = 0; i < 100; ++i) one.numbers.push_back(i * 37 % 100);
  expectTaken(one, {100, 2}, [&](const Shape& at) { return number(one.numbers[number(at[0])] * 2 + at[1]); });
}

TEST(OnnxLookups, PartsAtPlacesOfSeveralNumbers) {
  const Case one{"GatherND", {3, 4, 2}, {3, 2}, {2, 1, -1, -4, 0, 3}};
  const std::int64_t rows[] = {2, 2, 0}, columns[] = {1, 0, 3};
  expectTaken(one, {3, 2},
              [&](const Shape& at) { return number((rows[at[0]] * 4 + columns[at[0]]) * 2 + at[1]); });
  const Case batches{"GatherND", {2, 3, 4}, {2, 2, 1}, {2, 0, -1, 1}, {}, Model::integer("batch_dims", 1)};
  const std::int64_t of_batches[] = {2, 0, 2, 1};
  expectTaken(batches, {2, 2, 4}, [&](const Shape& at) {
    return number((at[0] * 3 + of_batches[at[0] * 2 + at[1]]) * 4 + at[2]);
  });
}

TEST(OnnxLookups, ElementsAlongOneDimension) {
  const Case one{"GatherElements",           {2, 3, 2}, {2, 2, 2},
                 {2, 0, -3, 1, 1, -1, 0, 2}, {},        Model::integer("axis", 1)};
  const std::int64_t places[] = {2, 0, 0, 1, 1, 2, 0, 2};
  expectTaken(one, {2, 2, 2}, [&](const Shape& at) {
    return number((at[0] * 3 + places[(at[0] * 2 + at[1]) * 2 + at[2]]) * 2 + at[2]);
  });
  // Of fewer rows than there are, and the same in every row.
  const Case fewer{"GatherElements", {3, 4}, {2, 3}, {3, -4, 1, 3, 0, 1}, {}, Model::integer("axis", -1)};
  const std::int64_t same[] = {3, 0, 1};
  expectTaken(fewer, {2, 3}, [&](const Shape& at) { return number(at[0] * 4 + same[at[1]]); });
}

TEST(OnnxLookups, PartsArePut) {
  const Case rows{"ScatterND", {4, 3}, {2, 1}, {3, -3}, {2, 3}};
  expectTaken(rows, {4, 3}, [](const Shape& at) {
    return number(at[0] == 3 ? 12 + at[1] : at[0] == 1 ? 15 + at[1] : at[0] * 3 + at[1]);
  });
  const Case elements{"ScatterElements", {2, 4}, {2, 2}, {3, 0, -3, 2}, {2, 2}, Model::integer("axis", 1)};
  const std::int64_t from[] = {9, 1, 2, 8, 4, 10, 11, 7};
  expectTaken(elements, {2, 4}, [&](const Shape& at) { return number(from[at[0] * 4 + at[1]]); });
  const Case columns{"ScatterElements", {3, 2}, {1, 2}, {2, 0}, {1, 2}};
  const std::int64_t first[] = {0, 7, 2, 3, 6, 5};
  expectTaken(columns, {3, 2}, [&](const Shape& at) { return number(first[at[0] * 2 + at[1]]); });
}

TEST(OnnxLookups, PartsAreAdded) {
  const std::string add = Model::word("reduction", "add");
  const Case rows{"ScatterND", {4, 3}, {2, 1}, {3, 1}, {2, 3}, add};
  const Case elements{"ScatterElements", {2, 4}, {2, 2},
                      {3, 0, 1, 2},      {2, 2}, Model::integer("axis", 1) + add};
  for (const bool known : {true, false}) {
    FloatTensor wanted = tensorOf({4, 3});
    const FloatTensor more = tensorOf({2, 3}, 2), few = tensorOf({2, 2}, 2);
    for (std::size_t i = 0; i < 3; ++i)
      wanted.data[9 + i] += more.data[i], wanted.data[3 + i] += more.data[3 + i];
    expectNear(made(rows, known), {4, 3}, {wanted.data.begin(), wanted.data.end()}, 1e-6);
    wanted = tensorOf({2, 4});
    const std::size_t at[] = {3, 0, 5, 6};
    for (std::size_t i = 0; i < 4; ++i) wanted.data[at[i]] += few.data[i];
    expectNear(made(elements, known), {2, 4}, {wanted.data.begin(), wanted.data.end()}, 1e-6);
  }
}

TEST(OnnxLookups, WhatHasNoOneMeaningIsRefused) {
  const auto expect = [](const std::string& why, const Case& one, bool known = true) {
    SCOPED_TRACE(why);
    Model model = Model().input("x", one.data).input("u", {2, 3}).output("y");
    Names inputs{"x", "i"};
    if (!one.updates.empty()) inputs.push_back("u");
    if (known)
      model.integers("flat", one.numbers)
          .integers("shape", one.places)
          .node("Reshape", {"flat", "shape"}, "i");
    else
      model.input("i", one.places, int64);
    EXPECT_THAT(refusal(model.node(one.op, inputs, "y", one.attributes)), HasSubstr(why));
  };
  expect("beyond its input", {"Gather", {4, 3}, {2}, {0, 4}});
  expect("beyond its input", {"GatherND", {4, 3}, {1, 2}, {0, -4}});
  expect("the same place", {"ScatterND", {4, 3}, {2, 1}, {1, -3}, {2, 3}});
  expect("by 'mul'", {"ScatterND", {4, 3}, {2, 1}, {1, 2}, {2, 3}, Model::word("reduction", "mul")});
  expect("an update for every index", {"ScatterElements", {4, 3}, {1, 3}, {1, 2, 0}, {2, 3}});
  expect("more than 2^26 places", {"Gather", {100000, 1}, {1000}, {}}, false);
}

Model embedding(std::int64_t rows) {
  return Model()
      .input("i", {2, 3}, int64)
      .floats("w", {rows, 4}, numbers(static_cast<std::size_t>(rows) * 4))
      .node("Gather", {"w", "i"}, "y")
      .output("y");
}

/// Of few rows as a product, of many where they lie.
TEST(OnnxLookups, RowsOfConstants) {
  for (const std::int64_t rows : {3, 1000}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    const std::vector<float> places{0, 2, -1, 1, -3, 2};
    const std::vector<float> table = numbers(static_cast<std::size_t>(rows) * 4);
    std::vector<double> wanted;
    for (const float place : places)
      for (std::int64_t k = 0; k < 4; ++k)
        wanted.push_back(table[number((static_cast<std::int64_t>(place) + (place < 0 ? rows : 0)) * 4 + k)]);
    expectNear(resultWithWeights(embedding(rows), {{"i", {{2, 3}, places}}}, true), {2, 3, 4}, wanted, 0);
  }
  EXPECT_THAT(kinds(import(embedding(1000)).program), HasSubstr("lookup"));
  EXPECT_THAT(kinds(import(embedding(3)).program), testing::Not(HasSubstr("lookup")));
}

/// ONNX has no result there, so neither have we: no row of zeros.
TEST(OnnxLookups, PlacesBeyondTheDataGiveNoNumbers) {
  const auto expectNone = [](const FloatTensor& made, std::size_t from, std::size_t count) {
    for (std::size_t i = 0; i < made.data.size(); ++i)
      EXPECT_EQ(std::isnan(made.data[i]), i >= from && i < from + count) << "at " << i;
  };
  for (const std::int64_t rows : {3, 1000})
    for (const float beyond : {static_cast<float>(rows), static_cast<float>(-rows - 1)})
      expectNone(resultWithWeights(embedding(rows), {{"i", {{2, 3}, {0, 1, 2, beyond, 0, 0}}}}, true), 12, 4);
  const Case parts{"GatherND", {3, 4, 2}, {3, 2}, {2, 1, 0, 4, -1, -4}};  // [0, 4] is [1, 0] in memory
  expectNone(made(parts, false), 2, 2);
  const Case elements{"GatherElements", {3, 4}, {2, 2}, {0, 4, -4, 3}, {}, Model::integer("axis", 1)};
  expectNone(made(elements, false), 1, 1);
}

}  // namespace sluice::onnx_lookups_test
