// Symbolic expressions: what is read prints as the same, and computes as it prints.

#include "engine/symbolic/compiled.h"
#include "engine/symbolic/expr.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<Expr> expr = parseExpr(fuzz::textOf(data, size));
  if (!expr) return fuzz::insistOnReasons(expr.diagnostics()), 0;
  const Result<Expr> again = parseExpr(expr->text());
  if (!again) return fuzz::insistOnReasons(again.diagnostics()), 0;  // a product can be longer than 64 bits
  fuzz::insist(again->text() == expr->text(), "what is printed is read as the same");
  const std::set<std::string> symbols = expr->symbols();
  const auto compiled = CompiledExprs::compile(std::span(&*expr, 1), {symbols.begin(), symbols.end()});
  if (!compiled) return fuzz::insistOnReasons(compiled.diagnostics()), 0;
  const std::vector<double> inputs(symbols.size(), 3);
  double value = 0;
  compiled->evaluate(inputs, std::span(&value, 1));
  return 0;
}
