#pragma once
// Result<T>: a value, or the diagnostics that say why there is none (C++20 has no std::expected yet).
// User errors travel as Result; exceptions are for bugs.

#include <stdexcept>
#include <utility>
#include <variant>

#include "engine/core/diagnostic.h"

namespace sluice {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic diagnostic) : state_(std::in_place_index<1>, Diagnostics{std::move(diagnostic)}) {}
  Result(Diagnostics diagnostics) : state_(std::in_place_index<1>, std::move(diagnostics)) {
    if (std::get<1>(state_).empty()) throw std::logic_error("a failed Result needs a diagnostic");
  }

  explicit operator bool() const { return state_.index() == 0; }
  /// Asking a failed Result for its value is a bug and throws std::bad_variant_access.
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Diagnostics& diagnostics() const& { return std::get<1>(state_); }
  Diagnostics&& diagnostics() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Diagnostics> state_;
};

/// The value of a Result<Done> that has nothing else to say.
struct Done {};

}  // namespace sluice

// SLUICE_TRY(Graph graph, readGraph(file)); declares `graph` with the value of the Result, or returns its
// diagnostics from the function, whose own result is a Result or Diagnostics. SLUICE_CHECK(save(file)); where
// there is no value.
#define SLUICE_TRY(declaration, ...) \
  SLUICE_TRY_INTO(SLUICE_JOIN(try_result_, __LINE__), declaration, __VA_ARGS__)
#define SLUICE_CHECK(...)                                                                                   \
  do {                                                                                                      \
    if (auto checked_result = __VA_ARGS__; !checked_result) return std::move(checked_result).diagnostics(); \
  } while (false)

#define SLUICE_JOIN(first, second) SLUICE_JOIN_EXPANDED(first, second)
#define SLUICE_JOIN_EXPANDED(first, second) first##second
#define SLUICE_TRY_INTO(result, declaration, ...)      \
  auto result = __VA_ARGS__;                           \
  if (!result) return std::move(result).diagnostics(); \
  declaration = *std::move(result)
