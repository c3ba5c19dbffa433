// CompiledExprs against plain integer arithmetic.

#include "engine/symbolic/compiled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "tests/engine/symbolic_random.h"

namespace sluice::symbolic_compiled_test {

using namespace symbolic_test;
using symbolic_test::Values;

Expr sym(const char* name) {
  return Expr::symbol(name);
}

double single(const Expr& expr, const std::vector<std::string>& symbols, const std::vector<double>& values) {
  const auto compiled = CompiledExprs::compile(std::vector<Expr>{expr}, symbols);
  EXPECT_TRUE(compiled);
  double out = 0;
  compiled->evaluate(values, {&out, 1});
  return out;
}

TEST(SymbolicCompiled, AgreesWithIntegerArithmetic) {
  std::mt19937 random(21);
  const std::vector<std::string> names = {"N", "a", "b", "n_0"};
  int compared = 0;
  for (int i = 0; i < 150; ++i) {
    std::vector<Formula> formulas;
    std::vector<Expr> exprs;
    for (int k = 0; k < 20; ++k) {
      formulas.push_back(randomFormula(random, 1 + k % 4, names));
      exprs.push_back(built(formulas.back()));
    }
    const auto compiled = CompiledExprs::compile(exprs, names);
    ASSERT_TRUE(compiled);
    ASSERT_EQ(compiled->outputs(), formulas.size());
    for (int point = 0; point < 4; ++point) {
      const Values values = randomValues(random, names, 20);
      std::vector<double> in, out(formulas.size());
      for (const std::string& name : compiled->symbols()) in.push_back(static_cast<double>(values.at(name)));
      compiled->evaluate(in, out);
      for (std::size_t k = 0; k < formulas.size(); ++k) {
        const auto expected = evaluated(formulas[k], values);
        if (!expected) continue;
        ++compared;
        EXPECT_EQ(out[k], static_cast<double>(*expected))
            << written(formulas[k]) << " as " << exprs[k].text();
      }
    }
  }
  EXPECT_GT(compared, 8000);
}

TEST(SymbolicCompiled, RoundsExactlyUpTo2To53) {
  const std::int64_t top = (std::int64_t{1} << 53) - 1;
  std::mt19937_64 random(22);
  const auto up = CompiledExprs::compile(
      std::vector<Expr>{ceilDiv(sym("x"), sym("y")), floorDiv(sym("x"), sym("y"))}, {"x", "y"});
  ASSERT_TRUE(up);
  for (int i = 0; i < 100000; ++i) {
    const int bits = static_cast<int>(random() % 52);
    const auto y = static_cast<std::int64_t>(1 + random() % (std::uint64_t{1} << bits));
    const std::int64_t quotient = top / y - static_cast<std::int64_t>(random() % 3);
    const std::int64_t x =
        std::min(top, std::max<std::int64_t>(0, quotient * y + static_cast<std::int64_t>(random() % 3) - 1));
    std::array<double, 2> out{};
    up->evaluate(std::array{static_cast<double>(x), static_cast<double>(y)}, out);
    ASSERT_EQ(out[0], static_cast<double>(x / y + (x % y != 0 ? 1 : 0))) << x << "/" << y;
    ASSERT_EQ(out[1], static_cast<double>(x / y)) << x << "/" << y;
  }
}

TEST(SymbolicCompiled, DivisionByZeroIsNaNInItsOutputsOnly) {
  const Expr x = sym("x"), n = sym("N");
  const std::vector<Expr> exprs = {ceilDiv(x, n), max(floorDiv(x, n), 3),
                                   min(3 + x, ceilDiv(n, x) * ceilDiv(x, n)), x + n, ceilDiv(x, 0)};
  const auto compiled = CompiledExprs::compile(exprs, {"x", "N"});
  ASSERT_TRUE(compiled);
  std::vector<double> out(exprs.size());
  compiled->evaluate(std::vector<double>{5, 0}, out);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], 5);
  EXPECT_TRUE(std::isnan(out[4]));
  compiled->evaluate(std::vector<double>{5, 2}, out);
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 3);
  EXPECT_EQ(out[2], 3);
}

TEST(SymbolicCompiled, NamesEverySymbolWithoutAValue) {
  const auto compiled =
      CompiledExprs::compile(std::vector<Expr>{sym("a") + sym("b"), sym("c") * sym("b")}, {"a"});
  ASSERT_FALSE(compiled);
  ASSERT_EQ(compiled.diagnostics().size(), 2u);
  EXPECT_NE(text(compiled.diagnostics()[0]).find("'b'"), std::string::npos);
  EXPECT_NE(text(compiled.diagnostics()[1]).find("'c'"), std::string::npos);
}

TEST(SymbolicCompiled, TakesConstantsPowersUnusedSymbolsAndNothing) {
  EXPECT_EQ(single(7, {}, {}), 7);
  EXPECT_EQ(single(-7, {"unused"}, {1}), -7);
  Expr power = 1;
  for (int exponent = 1; exponent <= 13; ++exponent) {
    power *= sym("x");
    EXPECT_EQ(single(power, {"x"}, {3}), std::pow(3.0, exponent));
  }
  const auto none = CompiledExprs::compile({}, {"x"});
  ASSERT_TRUE(none);
  none->evaluate(std::vector<double>{1}, {});
  EXPECT_EQ(none->outputs(), 0u);
}

TEST(SymbolicCompiled, ProgramsBeyondTheStackWork) {
  std::vector<std::string> names;
  std::vector<Expr> exprs;
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) {
    names.push_back("v_" + std::to_string(i));
    exprs.push_back(ceilDiv(Expr::symbol(names.back()), 3) * (i + 1));
    values.push_back(i);
  }
  const auto compiled = CompiledExprs::compile(exprs, names);
  ASSERT_TRUE(compiled);
  std::vector<double> out(exprs.size());
  compiled->evaluate(values, out);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], (i + 2) / 3 * (i + 1));
}

TEST(SymbolicCompiled, ManyThreadsSweepOneProgram) {
  std::vector<Expr> exprs;
  for (int i = 1; i <= 20; ++i) {
    exprs.push_back(ceilDiv(sym("B"), sym("N")) * sym("D") * i + max(sym("F") * i, sym("D")) * 3 +
                    floorDiv(sym("F") + i, sym("N")));
  }
  const auto compiled = CompiledExprs::compile(exprs, {"N", "D", "F", "B"});
  ASSERT_TRUE(compiled);
  const auto sweep = [&] {
    std::vector<double> all, out(exprs.size());
    for (int i = 0; i < 1000; ++i) {
      compiled->evaluate(std::array{1.0 + i, 3.0 * i, 7.0, 64.0}, out);
      all.insert(all.end(), out.begin(), out.end());
    }
    return all;
  };
  const std::vector<double> expected = sweep();
  std::vector<std::vector<double>> results(8);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = sweep(); });
  }
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace sluice::symbolic_compiled_test
