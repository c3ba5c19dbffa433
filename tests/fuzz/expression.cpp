// Symbolic expressions: what is read prints as the same, and computes as it prints. Products too large to be
// multiplied out are as they were written, and have only the same value.

#include <map>

#include "engine/symbolic/compiled.h"
#include "engine/symbolic/expr.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<Expr> expr = parseExpr(fuzz::textOf(data, size));
  if (!expr) return fuzz::insistOnReasons(expr.diagnostics()), 0;
  const Result<Expr> again = parseExpr(expr->text());
  if (!again) return fuzz::insistOnReasons(again.diagnostics()), 0;  // a product can be longer than 64 bits
  const std::set<std::string> symbols = expr->symbols();
  if (again->text() != expr->text()) {
    constexpr std::size_t multiplied_out = 20'000;  // characters; far less than the limit of expansions
    fuzz::insist(expr->text().size() > multiplied_out, "what is printed is read as the same");
    std::map<std::string, std::int64_t> values;
    for (const std::string& symbol : symbols) values[symbol] = static_cast<std::int64_t>(values.size() % 3);
    const auto first = expr->value(values), second = again->value(values);
    fuzz::insist(!first || !second || *first == *second, "what is printed has the same value");
  }
  const auto compiled = CompiledExprs::compile(std::span(&*expr, 1), {symbols.begin(), symbols.end()});
  if (!compiled) return fuzz::insistOnReasons(compiled.diagnostics()), 0;
  const std::vector<double> inputs(symbols.size(), 3);
  double value = 0;
  compiled->evaluate(inputs, std::span(&value, 1));
  return 0;
}
