#pragma once
// CompiledExprs: many expressions as one flat program of doubles that any thread may run (common
// subexpressions shared). This is what a sweep evaluates: 1000 points in far less than 10 ms.

#include <span>
#include <string>
#include <vector>

#include "engine/symbolic/expr.h"

namespace sluice::inline symbolic {

class CompiledExprs {
 public:
  /// `symbols` fixes the order of the inputs. A symbol that occurs in `exprs` but not in `symbols` is an
  /// error that names it.
  static Result<CompiledExprs> compile(std::span<const Expr> exprs, std::vector<std::string> symbols);

  /// values[i] belongs to symbols()[i]; out.size() must be the number of expressions. Thread-safe; allocates
  /// nothing for up to 256 instructions and once per call above. Division by zero gives NaN in the outputs
  /// that use it, never a trap.
  void evaluate(std::span<const double> values, std::span<double> out) const;

  const std::vector<std::string>& symbols() const { return symbols_; }
  std::size_t outputs() const { return results_.size(); }

  enum class Op : unsigned char { Constant, Input, Add, Multiply, CeilDiv, FloorDiv, Max, Min };
  struct Instruction {
    Op op;
    int a = 0, b = 0;  ///< operand registers, or the input's number
    double constant = 0;
  };

 private:
  std::vector<std::string> symbols_;
  std::vector<Instruction> program_;
  std::vector<int> results_;  ///< register of each expression
};

}  // namespace sluice::inline symbolic
