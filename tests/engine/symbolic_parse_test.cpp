// parseExpr: what a user types, what it means, and what they are told when it means nothing.

#include <gtest/gtest.h>

#include <functional>

#include "tests/engine/support/growth.h"
#include "tests/engine/symbolic_random.h"

namespace sluice::symbolic_parse_test {

using namespace symbolic_test;
using symbolic_test::Values;

Expr sym(const char* name) {
  return Expr::symbol(name);
}

TEST(SymbolicParse, ReadsTheHeadersExample) {
  const auto e = parseExpr("2*B*ceil(F/f) + max(a, b)");
  ASSERT_TRUE(e);
  EXPECT_EQ(*e, sym("B") * 2 * ceilDiv(sym("F"), sym("f")) + max(sym("a"), sym("b")));
}

TEST(SymbolicParse, MeansWhatItSays) {
  const Expr a = sym("a"), b = sym("b"), c = sym("c");
  const std::vector<std::pair<const char*, Expr>> cases = {
      {" 7 ", 7},
      {"a+b*c", a + b * c},
      {"(a+b)*c", a * c + b * c},
      {"a-b-c", a - b - c},
      {"a - -b", a + b},
      {"-a*2", Expr(0) - a * 2},
      {"+a", a},
      {"-(a)^2", Expr(0) - a * a},
      {"a/b", floorDiv(a, b)},
      {"a/b/c", floorDiv(floorDiv(a, b), c)},
      {"a/2*2", floorDiv(a, 2) * 2},
      {"-7/2", -4},
      {"ceil(a/b)", ceilDiv(a, b)},
      {"ceil ( a , b )", ceilDiv(a, b)},
      {"floor(a/b)", floorDiv(a, b)},
      {"floor(a,b)", floorDiv(a, b)},
      {"ceil((a + b)/c)", ceilDiv(a + b, c)},
      {"ceil(a/2/b)", ceilDiv(a, b * 2)},
      {"ceil(3*a/2*b)", ceilDiv(a * b * 3, 2)},
      {"ceil(a/b + 1)", ceilDiv(a, b) + 1},
      {"ceil(a/2 + a/2)", a},
      {"ceil(max(a/2, b)/c)", ceilDiv(max(floorDiv(a, 2), b), c)},
      {"ceil(a)", a},
      {"max(a, b, c, 4)", max(max(a, b), max(c, 4))},
      {"min(a, b)", min(a, b)},
      {"max", sym("max")},
      {"a^3", a * a * a},
      {"2^10 - 24", 1000},
      {"a^0", 1},
      {"layer.n_0\t+\n_x", sym("layer.n_0") + sym("_x")},
      {"9223372036854775807", std::int64_t{9223372036854775807}},
  };
  for (const auto& [written, expected] : cases) {
    const auto e = parseExpr(written);
    ASSERT_TRUE(e) << written << ": " << text(e.diagnostics());
    EXPECT_EQ(*e, expected) << written << " gave " << e->text();
  }
}

TEST(SymbolicParse, RandomFormulasMeanTheirValue) {
  std::mt19937 random(11);
  const std::vector<std::string> names = {"a", "b", "N"};
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    const Formula formula = randomFormula(random, 3, names);
    const auto e = parseExpr(written(formula));
    const Values values = randomValues(random, names, 12);
    const auto expected = evaluated(formula, values);
    if (!expected || !e) continue;
    ++compared;
    EXPECT_EQ(e->substitute(asExprs(values)).constant(), expected) << written(formula);
  }
  EXPECT_GT(compared, 600);
}

TEST(SymbolicParse, ReadsBackWhatItPrints) {
  std::mt19937 random(12);
  const std::vector<std::string> names = {"a", "b", "N", "n_0", "n_10"};
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const Expr e = built(randomFormula(random, 1 + i % 5, names));
    const std::string printed = e.text();
    if (printed.find("/0)") != std::string::npos) continue;  // refused as a division by zero, rightly
    ++compared;
    const auto again = parseExpr(printed);
    ASSERT_TRUE(again) << printed << ": " << text(again.diagnostics());
    EXPECT_EQ(*again, e) << printed << " came back as " << again->text();
    EXPECT_EQ(again->text(), printed);
  }
  EXPECT_GT(compared, 2500);
}

TEST(SymbolicParse, SaysWhereAndWhy) {
  struct Case {
    const char* written;
    int column;
    const char* cause;
  };
  const std::vector<Case> cases = {
      {"", 1, "empty"},
      {"   ", 4, "empty"},
      {"2N", 2, "operator"},
      {"a b", 3, "operator"},
      {"a +", 4, "the end"},
      {"a + * b", 5, "'*'"},
      {"(a + b", 1, "never closed"},
      {"a + b)", 6, "closes nothing"},
      {"max(a, b", 4, "never closed"},
      {"a, b", 2, "','"},
      {"max(a)", 1, "two arguments"},
      {"2 + ceil(a, b, c)", 5, "two arguments"},
      {"1 + sqrt(a)", 5, "'sqrt'"},
      {"a(b)", 1, "'a'"},
      {"(a)(b)", 4, "'('"},
      {"1.5*a", 2, "'.'"},
      {"a / 0", 5, "division by zero"},
      {"a / (b - b)", 5, "division by zero"},
      {"ceil(a, 0)", 1, "division by zero"},
      {"1 + 9223372036854775808", 5, "too large"},
      {"a^b", 3, "exponent"},
      {"a^-1", 3, "exponent"},
      {"a^100000", 1, "too large"},
      {"é + a", 1, "'é'"},
      {"a + ü", 5, "'ü'"},
      {"max(ä, b) + c", 5, "'ä'"},
      {"a % b", 3, "'%'"},
      {"a + \x01", 5, "control character"},
  };
  for (const Case& c : cases) {
    const auto e = parseExpr(c.written, "knob 'f'");
    ASSERT_FALSE(e) << c.written << " gave " << e->text();
    ASSERT_EQ(e.diagnostics().size(), 1u);
    const Diagnostic& diagnostic = e.diagnostics().front();
    EXPECT_EQ(text(diagnostic.place), "knob 'f', column " + std::to_string(c.column))
        << c.written << ": " << diagnostic.cause;
    EXPECT_NE(diagnostic.cause.find(c.cause), std::string::npos) << c.written << ": " << diagnostic.cause;
    EXPECT_FALSE(diagnostic.fix.empty());
    EXPECT_FALSE(diagnostic.code.empty());
  }
}

TEST(SymbolicParse, DeepAndLongTextsAreRefusedOrReadButNeverCrash) {
  const auto repeated = [](const std::string& piece, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += piece;
    return result;
  };
  EXPECT_FALSE(parseExpr(repeated("(", 100000)));
  EXPECT_FALSE(parseExpr(repeated("-", 100000) + "a"));
  EXPECT_FALSE(parseExpr(repeated("max(a,", 100000)));
  EXPECT_FALSE(parseExpr(std::string(std::size_t{2} << 20, '1')));
  EXPECT_FALSE(parseExpr("(" + repeated("(a+b+c)^99", 1) + ")^99^99"));
  const auto flat = parseExpr(repeated("a + ", 10000) + "b");
  ASSERT_TRUE(flat);
  EXPECT_EQ(*flat, sym("a") * 10000 + sym("b"));
  EXPECT_TRUE(parseExpr(repeated("(", 60) + "a" + repeated(")", 60)));
  EXPECT_FALSE(parseExpr(std::string_view("a\0b", 3)));
}

/// Multiplied out, each factor would make it seventy times as large; as products it stays small.
TEST(SymbolicParse, ProductsOfLargeSumsStayProducts) {
  std::string sum = "ceil(a/(b + 3))";
  for (int i = 0; i < 70; ++i) sum += " + ceil(x" + std::to_string(i) + "*(a + 5)/(b + 7*c))";
  std::string product = "(" + sum + ")";
  for (int i = 0; i < 12; ++i) product += "*(" + sum + " + " + std::to_string(i) + ")";
  const Result<Expr> expr = parseExpr(product);
  ASSERT_TRUE(expr) << text(expr.diagnostics());
  EXPECT_LT(expr->text().size(), 50 * product.size());
  std::map<std::string, std::int64_t> ones;
  for (const std::string& symbol : expr->symbols()) ones[symbol] = 0;
  ones["b"] = ones["c"] = 1;
  EXPECT_EQ(expr->value(ones), 0);  // the first factor is 0 where a and all x are
}

std::string joined(std::size_t count, const std::string& by,
                   const std::function<std::string(std::size_t)>& each) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += (i == 0 ? "" : by) + each(i);
  return all;
}

/// Products of many factors are multiplied out as far as their numbers are of use, and no further.
TEST(SymbolicParse, ProductsOfManyFactors) {
  const auto power = [](std::size_t count) {
    return joined(count, "*", [](std::size_t) { return "(k + 1)"; });
  };
  EXPECT_EQ(*parseExpr(power(3)), *parseExpr("k*k*k + 3*k*k + 3*k + 1"));
  EXPECT_EQ(*parseExpr(power(40)), *parseExpr("(" + power(17) + ")*(" + power(23) + ")"));
  for (const std::size_t count : {100u, 400u, 1600u, 20000u}) {
    const Result<Expr> expr = parseExpr(power(count));
    ASSERT_TRUE(expr) << text(expr.diagnostics());
    EXPECT_EQ(expr->value({{"k", 0}}), 1);
    EXPECT_EQ(expr->value({{"k", -1}}), 0);
    EXPECT_EQ(expr->value({{"k", 1}}), std::nullopt) << "no 64 bits hold 2^" << count;
    EXPECT_LT(expr->text().size(), 20'000u);
  }
  const auto different = [](std::size_t count) {
    return joined(count, "*", [](std::size_t i) { return "(k + " + std::to_string(i) + ")"; });
  };
  EXPECT_EQ(parseExpr(different(2000))->value({{"k", 0}}), 0);
}

TEST(SymbolicParse, ManyFactorsTakeTimeInProportion) {
  int runs = 0;  // each with a symbol of its own: nothing is remembered from the one before
  const auto symbol = [&] { return "(k" + std::to_string(runs) + " + "; };
  const auto same = [&](std::size_t count) {
    ++runs;
    EXPECT_TRUE(parseExpr(joined(count, "*", [&](std::size_t) { return symbol() + "1)"; })));
  };
  EXPECT_TRUE(testing_support::growsSlowly(1000, same));
  const auto different = [&](std::size_t count) {
    ++runs;
    EXPECT_TRUE(
        parseExpr(joined(count, "*", [&](std::size_t i) { return symbol() + std::to_string(i) + ")"; })));
  };
  EXPECT_TRUE(testing_support::growsSlowly(500, different));
}

TEST(SymbolicParse, AnyTextGivesAValueOrAFullDiagnostic) {
  std::mt19937 random(13);
  const std::vector<std::string> pieces = {"a", "N",     "12",   "+",     "-",  "*", "/", "(", ")",
                                           ",", "ceil(", "max(", "floor", "^2", " ", "é", ".", "0"};
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string written;
    const int length = std::uniform_int_distribution<int>(1, 9)(random);
    for (int k = 0; k < length; ++k) {
      written += pieces[std::uniform_int_distribution<std::size_t>(0, pieces.size() - 1)(random)];
    }
    const auto e = parseExpr(written);
    if (e) {
      ++read;
      continue;
    }
    const Diagnostic& diagnostic = e.diagnostics().front();
    EXPECT_FALSE(diagnostic.place.empty() || diagnostic.cause.empty() || diagnostic.fix.empty()) << written;
  }
  EXPECT_GT(read, 500);
}

TEST(SymbolicParse, ReplacesASymbolAndLeavesTheRestAsWritten) {
  EXPECT_EQ(replaceSymbol("2*N + NN / max(N,n.N)  - N^2", "N", "(a + 1)"),
            "2*(a + 1) + NN / max((a + 1),n.N)  - (a + 1)^2");
  EXPECT_EQ(replaceSymbol("", "N", "M"), "");
}

}  // namespace sluice::symbolic_parse_test
