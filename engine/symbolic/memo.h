#pragma once
// Memo: what this thread's operations on expressions have given so far. A sweep builds the same shapes and
// costs at every point; GiNaC, and the lock around it, see each of them once, the parser each text. Private
// to this module.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/symbolic/expr.h"

namespace sluice::inline symbolic {

class Memo {
 public:
  enum class Operation : unsigned char {
    Add,
    Subtract,
    Multiply,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Sum,
    Substitute,  ///< of an expression, then each symbol and what replaces it
    Equal,       ///< 1 or 0
    Bearable     ///< of an expression; 1 or 0
  };

  /// Of the calling thread: no lock, and no count of references that two threads share.
  static Memo& ofThisThread();

  /// What `compute` gives for these operands; asked once.
  template <class Compute>
  Expr operator()(Operation operation, std::span<const Expr* const> operands, const Compute& compute) {
    const Question question(operation, operands);
    if (const Expr* known = find(question)) return *known;
    Expr result = compute();
    keep(question, result);
    return result;
  }
  template <class Compute>
  Expr operator()(Operation operation, const Expr& a, const Expr& b, const Compute& compute) {
    const Expr* const operands[] = {&a, &b};
    return (*this)(operation, operands, compute);
  }
  /// The symbol of that name, which `make` gives at first.
  template <class Make>
  Expr symbol(const std::string& name, const Make& make) {
    if (const auto known = symbols_.find(name); known != symbols_.end()) return known->second;
    makeRoom(1);
    return symbols_.emplace(name, make()).first->second;
  }
  /// What a text was parsed to; null: it was not yet.
  const Expr* parsed(std::string_view text) const {
    const auto known = texts_.find(text);
    return known == texts_.end() ? nullptr : &known->second;
  }
  void keepParsed(std::string_view text, const Expr& expr);

 private:
  /// Numbers are the same if their values are; other expressions if they are one object.
  struct Question {
    Question(Operation what, std::span<const Expr* const> of);
    Operation operation;
    std::span<const Expr* const> operands;
    std::size_t hash;
  };
  struct Answer {
    Operation operation;
    std::size_t hash;
    // Alive, so that no other object takes the place of one. Most questions have two: they are found without
    // going elsewhere in memory.
    std::array<Expr, 2> operands;
    std::vector<Expr> further;
    std::size_t count;  ///< of all operands
    Expr result;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Question& question) const { return question.hash; }
    std::size_t operator()(const Answer& answer) const { return answer.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Question& question, const Answer& answer) const;
    bool operator()(const Answer& answer, const Question& question) const {
      return (*this)(question, answer);
    }
    bool operator()(const Answer& a, const Answer& b) const { return &a == &b; }
  };

  const Expr* find(const Question& question) const;
  void keep(const Question& question, const Expr& result);
  void makeRoom(std::size_t weight);

  std::unordered_set<Answer, Hash, Same> answers_;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::unordered_map<std::string, Expr> symbols_;
  std::unordered_map<std::string, Expr, TextHash, std::equal_to<>> texts_;
  std::size_t weight_ = 0;
};

/// Of what it is made, counted no further than about `most`; in expr.cpp.
std::size_t partCount(const Expr& expr, std::size_t most);

}  // namespace sluice::inline symbolic
