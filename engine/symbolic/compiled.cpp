#include "engine/symbolic/compiled.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "engine/symbolic/tree.h"

namespace sluice::inline symbolic {
namespace {

using Op = CompiledExprs::Op;
using Instruction = CompiledExprs::Instruction;

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double exact = 9007199254740992;  // 2^53
constexpr std::size_t stack_registers = 256;

/// Exact for whole numbers below 2^53: rounding and truncating can only take the quotient to the next whole
/// number above, and the check multiplies exactly.
double floorOf(double a, double b) {
  if (b < 0) a = -a, b = -b;
  const double quotient = a / b;
  if (!(std::fabs(quotient) < exact)) return b == 0 ? undefined : std::floor(quotient);
  const auto truncated = static_cast<double>(static_cast<std::int64_t>(quotient));
  return truncated * b > a ? truncated - 1 : truncated;
}

double maxOf(double a, double b) {
  return a > b ? a : b >= a ? b : undefined;
}
double minOf(double a, double b) {
  return a < b ? a : b <= a ? b : undefined;
}

/// Turns trees into instructions, each computed once.
class Compiler {
 public:
  explicit Compiler(std::span<const std::string> symbols) {
    for (std::size_t i = 0; i < symbols.size(); ++i) inputs_.emplace(symbols[i], static_cast<int>(i));
  }

  int add(const Tree& tree) {
    switch (tree.kind) {
      case Tree::Kind::Number:
        return emit({Op::Constant, 0, 0, std::strtod(tree.name.c_str(), nullptr)});
      case Tree::Kind::Symbol:
        return emit({Op::Input, inputs_.at(tree.name), 0, 0});
      case Tree::Kind::Sum:
        return chain(Op::Add, tree.operands);
      case Tree::Kind::Product:
        return chain(Op::Multiply, tree.operands);
      case Tree::Kind::Power:
        return power(add(tree.operands.front()), tree.exponent);
      case Tree::Kind::CeilDiv:
        return emit({Op::CeilDiv, add(tree.operands[0]), add(tree.operands[1]), 0});
      case Tree::Kind::FloorDiv:
        return emit({Op::FloorDiv, add(tree.operands[0]), add(tree.operands[1]), 0});
      case Tree::Kind::Max:
        return chain(Op::Max, tree.operands);
      case Tree::Kind::Min:
        return chain(Op::Min, tree.operands);
    }
    throw std::logic_error("an expression of no known kind");
  }

  std::vector<Instruction> takeProgram() { return std::move(program_); }

 private:
  /// Numbers come last, so that 4*D*N and 6*D*N share D*N.
  int chain(Op op, std::span<const Tree> operands) {
    std::vector<int> registers;
    registers.reserve(operands.size());
    for (const Tree& operand : operands) registers.push_back(add(operand));
    std::sort(registers.begin(), registers.end(), [this](int a, int b) {
      const auto rank = [this](int r) {
        return std::pair(program_[static_cast<std::size_t>(r)].op == Op::Constant, r);
      };
      return rank(a) < rank(b);
    });
    int result = registers.front();
    for (const int next : std::span(registers).subspan(1)) result = emit({op, result, next, 0});
    return result;
  }

  int power(int base, std::int64_t exponent) {
    if (exponent == 1) return base;
    const int half = power(base, exponent / 2);
    const int square = emit({Op::Multiply, half, half, 0});
    return exponent % 2 == 0 ? square : emit({Op::Multiply, square, base, 0});
  }

  int emit(const Instruction& instruction) {
    const auto [place, isNew] = known_.emplace(instruction, static_cast<int>(program_.size()));
    if (isNew) program_.push_back(instruction);
    return place->second;
  }

  struct Hash {
    std::size_t operator()(const Instruction& of) const {
      std::size_t hash = static_cast<std::size_t>(of.op);
      for (const std::size_t part :
           {static_cast<std::size_t>(of.a), static_cast<std::size_t>(of.b), std::hash<double>()(of.constant)})
        hash = (hash ^ part ^ (hash >> 29)) * 0x9E3779B97F4A7C15U;
      return hash ^ (hash >> 32);
    }
  };
  struct Same {
    bool operator()(const Instruction& x, const Instruction& y) const {
      return std::tie(x.op, x.a, x.b, x.constant) == std::tie(y.op, y.a, y.b, y.constant);
    }
  };

  std::unordered_map<std::string_view, int> inputs_;  ///< of who asks
  std::unordered_map<Instruction, int, Hash, Same> known_;
  std::vector<Instruction> program_;
};

double execute(const Instruction& instruction, const double* registers, std::span<const double> inputs) {
  const auto a = static_cast<std::size_t>(instruction.a), b = static_cast<std::size_t>(instruction.b);
  switch (instruction.op) {
    case Op::Constant:
      return instruction.constant;
    case Op::Input:
      return inputs[a];
    case Op::Add:
      return registers[a] + registers[b];
    case Op::Multiply:
      return registers[a] * registers[b];
    case Op::CeilDiv:
      return -floorOf(-registers[a], registers[b]);
    case Op::FloorDiv:
      return floorOf(registers[a], registers[b]);
    case Op::Max:
      return maxOf(registers[a], registers[b]);
    case Op::Min:
      return minOf(registers[a], registers[b]);
  }
  return undefined;
}

}  // namespace

Result<CompiledExprs> CompiledExprs::compile(std::span<const Expr> exprs, std::vector<std::string> symbols) {
  std::set<std::string> missing;
  for (const Expr& expr : exprs) missing.merge(expr.symbols());
  for (const std::string& symbol : symbols) missing.erase(symbol);
  Diagnostics diagnostics;
  for (const std::string& symbol : missing) {
    diagnostics.push_back(error("unknown-symbol", Location(Where::Symbol, symbol),
                                "the expressions use it, but it is given no value",
                                "add '" + symbol + "' to the symbols, or substitute a value for it first"));
  }
  if (!diagnostics.empty()) return diagnostics;

  CompiledExprs compiled;
  Compiler compiler(symbols);
  for (const Expr& expr : exprs) compiled.results_.push_back(compiler.add(*toTree(expr)));
  compiled.program_ = compiler.takeProgram();
  compiled.symbols_ = std::move(symbols);
  return compiled;
}

void CompiledExprs::evaluate(std::span<const double> values, std::span<double> out) const {
  if (values.size() != symbols_.size() || out.size() != results_.size()) {
    throw std::logic_error(
        "CompiledExprs::evaluate needs a value for every symbol and room for every result");
  }
  std::array<double, stack_registers>
      stack;  // deliberately not initialised: every register is written before it is read
  std::vector<double> heap;
  double* registers = stack.data();
  if (program_.size() > stack.size()) {
    heap.resize(program_.size());
    registers = heap.data();
  }
  for (std::size_t i = 0; i < program_.size(); ++i) registers[i] = execute(program_[i], registers, values);
  for (std::size_t i = 0; i < results_.size(); ++i) out[i] = registers[static_cast<std::size_t>(results_[i])];
}

}  // namespace sluice::inline symbolic
