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
  const Diagnostics& diagnostics() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostics> state_;
};

/// The value of a Result<Done> that has nothing else to say.
struct Done {};

}  // namespace sluice
