#include "engine/symbolic/memo.h"

#include <algorithm>

namespace sluice::inline symbolic {
namespace {

/// Operands and parts of all answers together. Beyond it all is forgotten: a sweep that makes more than so
/// many expressions a point does not meet them again soon.
constexpr std::size_t most_weight = std::size_t{1} << 20;
constexpr std::size_t most_counted = 1'000;

std::size_t hashOf(const Expr& expr) {
  const auto number = expr.constant();
  return number ? std::hash<std::int64_t>()(*number) : std::hash<const void*>()(expr.node()) >> 4;
}

bool same(const Expr& a, const Expr& b) {
  return a.node() == b.node() && a.constant() == b.constant();
}

}  // namespace

Memo& Memo::ofThisThread() {
  static thread_local Memo memo;
  return memo;
}

Memo::Question::Question(Operation what, std::span<const Expr* const> of)
    : operation(what), operands(of), hash(static_cast<std::size_t>(what)) {
  for (const Expr* operand : operands) hash = (hash ^ hashOf(*operand)) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 32;
}

bool Memo::Same::operator()(const Question& question, const Answer& answer) const {
  const std::span<const Expr* const> operands = question.operands;
  if (question.hash != answer.hash || question.operation != answer.operation ||
      operands.size() != answer.count)
    return false;
  const auto asked = [](const Expr* a, const Expr& b) { return same(*a, b); };
  const std::size_t near = std::min(operands.size(), answer.operands.size());
  return std::equal(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(near),
                    answer.operands.begin(), asked) &&
         std::equal(operands.begin() + static_cast<std::ptrdiff_t>(near), operands.end(),
                    answer.further.begin(), asked);
}

const Expr* Memo::find(const Question& question) const {
  const auto known = answers_.find(question);
  return known == answers_.end() ? nullptr : &known->result;
}

void Memo::keep(const Question& question, const Expr& result) {
  makeRoom(question.operands.size() + partCount(result, most_counted));
  Answer answer{question.operation, question.hash, {}, {}, question.operands.size(), result};
  for (std::size_t i = 0; i < answer.count; ++i) {
    const Expr& operand = *question.operands[i];
    if (i < answer.operands.size())
      answer.operands[i] = operand;
    else
      answer.further.push_back(operand);
  }
  answers_.insert(std::move(answer));
}

void Memo::keepParsed(std::string_view text, const Expr& expr) {
  makeRoom(1 + text.size() / sizeof(Expr) + partCount(expr, most_counted));
  texts_.emplace(text, expr);
}

void Memo::makeRoom(std::size_t weight) {
  weight_ += weight;
  if (weight_ <= most_weight) return;
  answers_.clear();
  symbols_.clear();
  texts_.clear();
  weight_ = weight;
}

}  // namespace sluice::inline symbolic
