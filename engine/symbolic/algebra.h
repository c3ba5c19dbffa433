#pragma once
// The rules by which expressions are brought to their canonical form, on GiNaC's own expressions. For
// expr.cpp only. GiNaC is not thread-safe: the caller holds the lock of expr.cpp.
//
// Canonical means: polynomials are multiplied out (up to a size where that would explode), divisions carry no
// common factor and no part that divides exactly, max and min list each argument once and none that another
// one dominates. So equal expressions are equal term by term. Divisors are taken to be other than zero:
// ceil(N*x/N) is x.

#include <cstddef>
#include <optional>

namespace GiNaC {
class ex;
}

namespace sluice::inline symbolic::algebra {

enum class Function { CeilDiv, FloorDiv, Max, Min };

/// Multiplied out, if the result has a bearable number of terms and parts; otherwise unchanged.
GiNaC::ex expanded(const GiNaC::ex& e);
/// Neither too large nor too deep to be walked as a tree, and with no exponent beyond a million.
bool isTractable(const GiNaC::ex& e);
/// Its parts; no more than about `most` are counted.
std::size_t partCount(const GiNaC::ex& e, std::size_t most);
GiNaC::ex apply(Function function, const GiNaC::ex& a, const GiNaC::ex& b);
/// Which of our functions `e` is a call of, if any.
std::optional<Function> functionOf(const GiNaC::ex& e);

}  // namespace sluice::inline symbolic::algebra
