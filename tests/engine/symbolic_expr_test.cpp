// Expr against plain integer arithmetic, and the simplifications that shapes and costs rely on.

#include "engine/symbolic/expr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>

#include "tests/engine/symbolic_random.h"

namespace sluice::symbolic_expr_test {

using namespace symbolic_test;
using symbolic_test::Values;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Expr sym(const char* name) {
  return Expr::symbol(name);
}

TEST(SymbolicExpr, AgreesWithIntegerArithmetic) {
  std::mt19937 random(1);
  const std::vector<std::string> names = {"a", "b", "N", "n_0"};
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    const Formula formula = randomFormula(random, 1 + i % 5, names);
    const Expr expr = built(formula);
    for (const int largest : {3, 40}) {
      const Values values = randomValues(random, names, largest);
      const auto expected = evaluated(formula, values);
      EXPECT_EQ(expr.value(values), expr.substitute(asExprs(values)).constant()) << written(formula);
      if (!expected) continue;
      ++compared;
      EXPECT_EQ(expr.substitute(asExprs(values)).constant(), expected)
          << written(formula) << " simplified to " << expr.text();
    }
  }
  EXPECT_GT(compared, 3000);  // most formulas must not be skipped
}

TEST(SymbolicExpr, ValuesBeyond64BitsAndOpenSymbols) {
  const Expr a = sym("a"), b = sym("b");
  const Values large = {{"a", kMost}, {"b", kMost - 1}};
  EXPECT_EQ((a * a).value(large), std::nullopt);
  EXPECT_EQ((a * a - a * b).value(large), kMost);  // only the terms are too large
  EXPECT_EQ(ceilDiv(a * b, b + 1).value(large), kMost - 1);
  EXPECT_EQ((a + b).value({{"a", 1}}), std::nullopt);
  EXPECT_EQ((a * b).value({{"a", 0}}), 0);
  EXPECT_EQ(ceilDiv(Expr(a), b).value({{"a", 1}, {"b", 0}}), std::nullopt);
  EXPECT_EQ((a * a * a).value({{"a", -3}}), -27);
}

TEST(SymbolicExpr, WhatAThreadForgetsItComputesAgain) {
  const auto formula = [] { return ceilDiv(sym("a") * 7 + sym("b"), sym("N")) * max(sym("a"), sym("b")); };
  const Expr before = formula();
  for (int i = 1; i < 150'000; ++i) {  // more than a thread remembers
    const Expr each = sym("a") * i + sym("b");
    ASSERT_EQ(each.symbols().size(), 2u);
  }
  const Expr after = formula();
  EXPECT_EQ(before, after);
  EXPECT_EQ(before - after, Expr(0));
  EXPECT_EQ(before.text(), after.text());
}

TEST(SymbolicExpr, SubstitutingOneByOneOrAtOnceIsTheSame) {
  std::mt19937 random(2);
  const std::vector<std::string> names = {"x", "y", "z"};
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    const Formula formula = randomFormula(random, 4, names);
    const Values values = randomValues(random, names, 9);
    if (!evaluated(formula, values)) continue;
    Expr stepwise = built(formula);
    for (const auto& [name, value] : values) stepwise = stepwise.substitute({{name, Expr(value)}});
    if (!stepwise.constant()) continue;  // a divisor that cancels later may be 0 on the way
    ++compared;
    EXPECT_EQ(stepwise.constant(), evaluated(formula, values)) << written(formula);
  }
  EXPECT_GT(compared, 500);
}

TEST(SymbolicExpr, SubstitutionIsSimultaneousAndTakesFormulas) {
  const Expr e = sym("x") * 2 + sym("y");
  EXPECT_EQ(e.substitute({{"x", sym("y")}, {"y", sym("x")}}), sym("y") * 2 + sym("x"));
  EXPECT_EQ(ceilDiv(sym("x"), sym("N")).substitute({{"x", sym("N") * (sym("k") + 1)}}), sym("k") + 1);
  EXPECT_EQ(e.substitute({{"other", Expr(1)}}), e);
}

TEST(SymbolicExpr, SumsAndProductsAreEqualHoweverWritten) {
  const Expr a = sym("a"), b = sym("b"), c = sym("c");
  EXPECT_EQ((a + b) * c, c * b + c * a);
  EXPECT_EQ((a + b) * (a - b), a * a - b * b);
  EXPECT_EQ((a + 1) * (a + 1) * (a + 1), a * a * a + a * a * 3 + a * 3 + 1);
  EXPECT_EQ(ceilDiv((a + b) * c, 16), ceilDiv(c * a + b * c, 16));
  EXPECT_EQ(max(a * (b + c), 7), max(7, a * b + a * c));
  EXPECT_EQ(a - a, Expr(0));
  EXPECT_EQ(a * 0, Expr(0));
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a + 1 == a);
  EXPECT_FALSE(a == Expr(1));
  EXPECT_FALSE(ceilDiv(a, b) == floorDiv(a, b));
  EXPECT_FALSE(max(a, b) == min(a, b));
}

TEST(SymbolicExpr, RandomFormulasKeepTheRingLaws) {
  std::mt19937 random(3);
  const std::vector<std::string> names = {"a", "b", "N"};
  for (int i = 0; i < 400; ++i) {
    const Expr x = built(randomFormula(random, 3, names));
    const Expr y = built(randomFormula(random, 3, names));
    const Expr z = built(randomFormula(random, 2, names));
    EXPECT_EQ(x + y, y + x);
    EXPECT_EQ(x * y, y * x);
    EXPECT_EQ((x + y) * z, x * z + y * z) << x.text() << " | " << y.text() << " | " << z.text();
    EXPECT_EQ(x - y + y, x);
    EXPECT_EQ(max(x, max(y, z)), max(max(z, x), y)) << x.text() << " | " << y.text() << " | " << z.text();
    EXPECT_EQ(min(x, min(y, z)), min(min(z, x), y));
    EXPECT_EQ(sum(std::vector<Expr>{x, y, z}), x + y + z);
  }
}

TEST(SymbolicExpr, DivisionsSimplify) {
  const Expr a = sym("a"), b = sym("b"), c = sym("c"), n = sym("N"), x = sym("x"), y = sym("y");
  for (const auto divide : {ceilDiv, floorDiv}) {
    EXPECT_EQ(divide(x, 1), x);
    EXPECT_EQ(divide(0, x), Expr(0));
    EXPECT_EQ(divide(x, x), Expr(1));
    EXPECT_EQ(divide(n * a * x * 12, n * 4), a * x * 3);
    EXPECT_EQ(divide(x * 16 + 32, 16), x + 2);
    EXPECT_EQ(divide(x * n + y, n), x + divide(y, n));
    EXPECT_EQ(divide(x * 6, 4), divide(x * 3, 2));
    EXPECT_EQ(divide(a * x, a * b), divide(x, b));
    EXPECT_EQ(divide((a + b) * (c + 2), a + b), c + 2);
    EXPECT_EQ(divide((a + b) * x, (a + b) * y), divide(x, y));
    EXPECT_EQ(divide(divide(x, a), b), divide(x, a * b));
    EXPECT_EQ(divide(divide(x, 4), 2), divide(x, 8));
    EXPECT_EQ(divide(-7 - x, Expr(0) - n), divide(x + 7, n));
    EXPECT_EQ(divide(x, n).text().substr(divide(x, n).text().find('(')), "(x/N)");
  }
  EXPECT_EQ(ceilDiv(Expr(0) - x, n), Expr(0) - floorDiv(x, n));
  EXPECT_FALSE(ceilDiv(floorDiv(x, 4), 2) == ceilDiv(x, 8));  // x = 1 gives 0 and 1
}

TEST(SymbolicExpr, NumbersDivideExactlyOnBothSidesOfZero) {
  for (std::int64_t a = -30; a <= 30; ++a) {
    for (std::int64_t b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      const auto quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(ceilDiv(Expr(a), b).constant(), static_cast<std::int64_t>(std::ceil(quotient)))
          << a << "/" << b;
      EXPECT_EQ(floorDiv(a, b).constant(), static_cast<std::int64_t>(std::floor(quotient))) << a << "/" << b;
    }
  }
  EXPECT_EQ(ceilDiv(Expr(kMost), 2).constant(), kMost / 2 + 1);
  EXPECT_EQ(floorDiv(kMost, 2).constant(), kMost / 2);
  EXPECT_EQ(floorDiv(kLeast, 3).constant(), kLeast / 3 - 1);
}

TEST(SymbolicExpr, ExtremaSimplifyForNonNegativeSymbols) {
  const Expr a = sym("a"), b = sym("b"), x = sym("x");
  EXPECT_EQ(max(x, x), x);
  EXPECT_EQ(max(x, 0), x);
  EXPECT_EQ(max(-3, x), x);
  EXPECT_EQ(min(x, 0), Expr(0));
  EXPECT_EQ(max(x + 1, x), x + 1);
  EXPECT_EQ(min(x * 2, x), x);
  EXPECT_EQ(max(a, b), max(b, a));
  EXPECT_EQ(max(max(a, 3), 5), max(a, 5));
  EXPECT_EQ(min(min(a, 3), 5), min(3, a));
  EXPECT_EQ(max(ceilDiv(a, b), 0), ceilDiv(a, b));
  EXPECT_FALSE(max(x, 1) == x);
  EXPECT_FALSE(max(x - 1, 0) == x - 1);
  EXPECT_EQ(max(2, 3).constant(), 3);
  EXPECT_EQ(min(2, -3).constant(), -3);
}

TEST(SymbolicExpr, WhatLeaves64BitsHasNoConstantButComesBack) {
  const Expr big = Expr(kMost) + 1;
  EXPECT_FALSE(big.constant());
  EXPECT_EQ(big.text(), "9223372036854775808");
  EXPECT_EQ((big - 1).constant(), kMost);
  EXPECT_EQ((Expr(kLeast) + 0).constant(), kLeast);
  EXPECT_FALSE((Expr(kLeast) - 1).constant());
  EXPECT_FALSE((Expr(kMost) * kMost).constant());
  EXPECT_EQ(floorDiv(Expr(kMost) * 6, 6).constant(), kMost);
  EXPECT_FALSE(ceilDiv(Expr(kLeast), -1).constant());
  EXPECT_EQ(ceilDiv(Expr(kLeast), -1), big);
}

TEST(SymbolicExpr, DivisionByZeroStaysAndHasNoValue) {
  const Expr e = ceilDiv(sym("x"), sym("N"));
  const Expr undefined = e.substitute({{"N", Expr(0)}});
  EXPECT_FALSE(undefined.constant());
  EXPECT_EQ(undefined.text(), "ceil(x/0)");
  EXPECT_FALSE(floorDiv(5, 0).constant());
}

TEST(SymbolicExpr, TellsItsSymbols) {
  const Expr e = max(ceilDiv(sym("n_0"), sym("N")), sym("B") * sym("B"));
  EXPECT_EQ(e.symbols(), (std::set<std::string>{"B", "N", "n_0"}));
  EXPECT_TRUE(Expr(7).symbols().empty());
  EXPECT_TRUE((e - e).symbols().empty());
}

TEST(SymbolicExpr, PrintsAsAPaperWould) {
  const Expr d = sym("D"), f = sym("f"), n = sym("n_0");
  const Expr t = ceilDiv(n, 16);
  EXPECT_EQ((t * 4 + d * 2).text(), "4*ceil(n_0/16) + 2*D");
  EXPECT_EQ((t * 4 + d * 2).latex(), "4 \\lceil n_{0}/16 \\rceil + 2 D");
  EXPECT_EQ((Expr(1) - d).text(), "1 - D");
  EXPECT_EQ((Expr(0) - d * f).text(), "-D*f");
  EXPECT_EQ((d * d * f).text(), "D^2*f");
  EXPECT_EQ((d * d * f).latex(), "D^{2} f");
  EXPECT_EQ(ceilDiv(d + f, d * sym("N")).text(), "ceil((D + f)/(D*N))");
  EXPECT_EQ(floorDiv(d, f).latex(), "\\lfloor D/f \\rfloor");
  EXPECT_EQ(max(f, d + 1).latex(), "\\max(D + 1, f)");
  EXPECT_EQ((sym("n_10") + sym("n_9") + sym("n_2")).text(), "n_2 + n_9 + n_10");
  EXPECT_EQ(sym("kv_len_003").latex(), "\\mathit{kv\\_len}_{003}");
  EXPECT_EQ(sym("x_max").latex(), "x_{\\mathit{max}}");
  EXPECT_EQ(sym("seq").latex(), "\\mathit{seq}");
  EXPECT_EQ(sym("_").latex(), "\\_");
  EXPECT_EQ(Expr(-5).text(), "-5");
  EXPECT_EQ(Expr().text(), "0");
}

/// GiNaC orders terms by when their symbols were made; two families of names made in opposite orders must
/// read the same.
TEST(SymbolicExpr, TextDoesNotDependOnTheOrderOfCreation) {
  const std::vector<std::string> forwards = {"pa", "pb", "pc", "pd"}, backwards = {"qa", "qb", "qc", "qd"};
  for (const std::string& name : forwards) Expr::symbol(name);
  for (auto name = backwards.rbegin(); name != backwards.rend(); ++name) Expr::symbol(*name);
  std::mt19937 one(4), two(4);
  for (int i = 0; i < 500; ++i) {
    const Expr p = built(randomFormula(one, 4, forwards)), q = built(randomFormula(two, 4, backwards));
    std::string expected = p.text();  // no function's name has a p
    std::replace(expected.begin(), expected.end(), 'p', 'q');
    EXPECT_EQ(q.text(), expected);
  }
}

TEST(SymbolicExpr, HugeProductsOfSumsStayUsable) {
  Expr product = 1;
  for (int i = 0; i < 40; ++i) product *= sym("a") + Expr::symbol("h_" + std::to_string(i));
  EXPECT_EQ(product, product * 1);
  std::map<std::string, Expr> values = {{"a", Expr(1)}};
  for (int i = 0; i < 40; ++i) values.emplace("h_" + std::to_string(i), Expr(i < 20 ? 1 : 0));
  EXPECT_EQ(product.substitute(values).constant(), 1 << 20);
}

TEST(SymbolicExpr, ManyThreadsMayBuildPrintAndDestroy) {
  const std::vector<std::string> names = {"a", "b", "N", "t_0"};
  const Expr shared = built([&] {
    std::mt19937 random(99);
    return randomFormula(random, 5, names);
  }());
  const auto run = [&](unsigned seed, std::string& result) {
    std::mt19937 random(seed);
    std::vector<Expr> kept;
    for (int i = 0; i < 150; ++i) {
      const Expr e =
          built(randomFormula(random, 3, names)) + shared + Expr::symbol("own_" + std::to_string(i % 10));
      kept.push_back(e);
      if (kept.size() > 5) kept.erase(kept.begin());
      result += e.text() + (kept.front() == e ? "=" : "!") + e.substitute({{"N", Expr(4)}}).latex();
    }
  };
  std::vector<std::string> parallel(8), alone(8);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 8; ++i) threads.emplace_back([&, i] { run(i, parallel[i]); });
  }
  for (unsigned i = 0; i < 8; ++i) run(i, alone[i]);
  EXPECT_EQ(parallel, alone);
}

}  // namespace sluice::symbolic_expr_test
