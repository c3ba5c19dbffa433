#include "engine/symbolic/algebra.h"

#include <ginac/ginac.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace sluice::inline symbolic::algebra {
namespace {

using GiNaC::ex;
using GiNaC::ex_to;
using GiNaC::exvector;
using GiNaC::is_a;
using GiNaC::numeric;

constexpr double maximum_terms = 5000;        // beyond these a product of sums stays a product
constexpr double maximum_expansion = 40'000;  // parts
constexpr double maximum_degree = 128;        // beyond it a product of more terms than that stays one, too
constexpr double maximum_parts = 200'000;     // beyond these an expression takes too long
constexpr int maximum_depth = 1000;
constexpr int maximum_exponent = 1'000'000;
constexpr std::size_t maximum_factoring = 128;  // beyond it common factors of two sums are not looked for

ex evaluateCeilDiv(const exvector& arguments);
ex evaluateFloorDiv(const exvector& arguments);
ex evaluateMax(const exvector& arguments);
ex evaluateMin(const exvector& arguments);

/// GiNaC's serial numbers of our functions, by Function. Registered at the first use, under the caller's
/// lock.
const std::array<unsigned, 4>& serials() {
  const auto add = [](const char* name, unsigned parameters, GiNaC::eval_funcp_exvector evaluate) {
    return GiNaC::function::register_new(GiNaC::function_options(name, parameters).eval_func(evaluate));
  };
  static const std::array<unsigned, 4> numbers = {
      add("ceil_div", 2, evaluateCeilDiv), add("floor_div", 2, evaluateFloorDiv),
      add("max_of", 2, evaluateMax), add("min_of", 2, evaluateMin)};
  return numbers;
}

GiNaC::function call(Function function, exvector arguments) {
  return {serials()[static_cast<std::size_t>(function)], std::move(arguments)};
}

/// How much there is of an expression: the terms of its sum, all its parts, and the most factors of a term.
struct Extent {
  double terms = 1;
  double parts = 1;
  double degree = 0;

  /// Of a high degree coefficients are long as well: multiplying them out one after the other would take the
  /// cube of the degree.
  bool small() const {
    return terms <= maximum_terms && parts <= maximum_expansion &&
           (degree <= maximum_degree || terms <= maximum_degree);
  }
};

/// Ends early: an expression shares its parts, so that counting them can take longer than there is time.
class Counter {
 public:
  explicit Counter(double most) : left_(most) {}

  /// Parts as they stand.
  double parts(const ex& e) {
    double count = 1;
    if (--left_ < 0) return count;
    for (const ex& operand : e) {
      count += parts(operand);
      if (left_ < 0) break;
    }
    return count;
  }

  /// An upper bound of what is there after multiplying out.
  Extent expanded(const ex& e) {
    if (is_a<GiNaC::add>(e)) {
      Extent sum{0, 1, 0};
      for (const ex& operand : e) {
        const Extent term = expanded(operand);
        sum.terms += term.terms;
        sum.parts += term.parts;
        sum.degree = std::max(sum.degree, term.degree);
        if (left_ < 0) break;
      }
      return sum;
    }
    if (is_a<GiNaC::mul>(e)) {
      Extent product{1, 0, 0};
      for (const ex& operand : e) {
        const Extent factor = expanded(operand);
        product.parts = product.terms * factor.parts + factor.terms * product.parts;
        product.terms *= factor.terms;
        product.degree += factor.degree;
        if (left_ < 0) break;
      }
      return product;
    }
    if (!is_a<GiNaC::power>(e)) return {1, parts(e), is_a<numeric>(e) ? 0.0 : 1.0};
    const Extent base = expanded(e.op(0));
    const double exponent = ex_to<numeric>(e.op(1)).to_double(), degree = base.degree * exponent;
    if (base.terms <= 1) return {1, base.parts + 2, degree};
    double terms = 1;
    for (double k = 1; k <= exponent && terms <= maximum_terms; ++k)
      terms *= (base.terms + k - 1) / k;  // choose(base + k - 1, k)
    return {terms, terms * exponent * base.parts / base.terms, degree};
  }

  bool exhausted() const { return left_ < 0; }

 private:
  double left_;
};

bool isTractable(const ex& e, int depth, double& left) {
  if (--left < 0 || depth > maximum_depth) return false;
  if (is_a<GiNaC::power>(e) && abs(ex_to<numeric>(e.op(1))) > numeric(maximum_exponent)) return false;
  return std::all_of(e.begin(), e.end(),
                     [&](const ex& operand) { return isTractable(operand, depth + 1, left); });
}

exvector termsOf(const ex& e) {
  if (!is_a<GiNaC::add>(e)) return {e};
  return exvector(e.begin(), e.end());
}

numeric coefficientOf(const ex& term) {
  if (is_a<numeric>(term)) return ex_to<numeric>(term);
  if (is_a<GiNaC::mul>(term)) {
    const ex last = term.op(term.nops() - 1);  // GiNaC keeps a product's number last
    if (is_a<numeric>(last)) return ex_to<numeric>(last);
  }
  return numeric(1);
}

bool isNonNegative(const ex& e) {
  const auto non_negative = [](const ex& operand) { return isNonNegative(operand); };
  if (is_a<numeric>(e)) return !ex_to<numeric>(e).is_negative();
  if (is_a<GiNaC::symbol>(e)) return true;
  if (is_a<GiNaC::power>(e)) return ex_to<numeric>(e.op(1)).is_even() || isNonNegative(e.op(0));
  if (functionOf(e) == Function::Max) return std::any_of(e.begin(), e.end(), non_negative);
  return std::all_of(e.begin(), e.end(), non_negative);  // sums, products, divisions and min
}

bool allNegative(const exvector& terms) {
  return std::all_of(terms.begin(), terms.end(),
                     [](const ex& term) { return coefficientOf(term).is_negative(); });
}

/// No fraction and no division by a symbol in a single term.
bool isIntegralTerm(const ex& term) {
  if (!coefficientOf(term).is_integer()) return false;
  const auto positive_power = [](const ex& factor) {
    return !is_a<GiNaC::power>(factor) || ex_to<numeric>(factor.op(1)).is_positive();
  };
  if (is_a<GiNaC::mul>(term)) return std::all_of(term.begin(), term.end(), positive_power);
  return positive_power(term);
}

/// The exponent of `atom` in a single term.
numeric exponentIn(const ex& term, const ex& atom) {
  const auto exponent = [&atom](const ex& factor) {
    if (factor.is_equal(atom)) return numeric(1);
    if (is_a<GiNaC::power>(factor) && factor.op(0).is_equal(atom)) return ex_to<numeric>(factor.op(1));
    return numeric(0);
  };
  if (!is_a<GiNaC::mul>(term)) return exponent(term);
  for (const ex& factor : term) {
    if (numeric found = exponent(factor); !found.is_zero()) return found;
  }
  return numeric(0);
}

/// The greatest monomial, number included, that divides every term.
ex commonFactor(const exvector& terms) {
  numeric content = GiNaC::abs(coefficientOf(terms.front()));
  for (const ex& term : terms) content = GiNaC::gcd(content, coefficientOf(term));
  ex common = content;
  const ex& first = terms.front();
  const exvector factors = is_a<GiNaC::mul>(first) ? exvector(first.begin(), first.end()) : exvector{first};
  for (const ex& factor : factors) {
    if (is_a<numeric>(factor)) continue;
    const ex atom = is_a<GiNaC::power>(factor) ? factor.op(0) : factor;
    numeric least = exponentIn(first, atom);
    for (const ex& term : terms) least = std::min(least, exponentIn(term, atom));
    common *= GiNaC::pow(atom, least);
  }
  return common;
}

ex dividedBy(const exvector& terms, const ex& monomial) {
  exvector quotients;
  quotients.reserve(terms.size());
  for (const ex& term : terms) quotients.push_back(term / monomial);
  return GiNaC::add(quotients);
}

/// Two sums without their common polynomial factor; nothing if there is none, or if the search would take too
/// long.
std::optional<std::pair<ex, ex>> coprime(const ex& a, const ex& b) {
  if (!is_a<GiNaC::add>(a) || !is_a<GiNaC::add>(b) || a.nops() * b.nops() > maximum_factoring) return {};
  GiNaC::exmap
      functions;  // GiNaC factors polynomials in symbols only: our functions are replaced for the time
  ex restOfA, restOfB;
  const ex common =
      GiNaC::gcd(a.to_polynomial(functions), b.to_polynomial(functions), &restOfA, &restOfB, false);
  if (is_a<numeric>(common)) return {};
  const auto restored = [&functions](const ex& e) {
    return e.subs(functions, GiNaC::subs_options::no_pattern).expand();
  };
  return std::pair(restored(restOfA), restored(restOfB));
}

numeric divideNumbers(Function function, const numeric& a, const numeric& b) {
  numeric truncated = GiNaC::iquo(a, b);
  if (GiNaC::irem(a, b).is_zero()) return truncated;
  const bool positive = a.is_negative() == b.is_negative();
  if (function == Function::CeilDiv) return positive ? truncated + 1 : truncated;
  return positive ? truncated : truncated - 1;
}

/// A division without common factors, whose divisor is not a number or does not divide any term of the
/// dividend.
ex irreducibleDivision(Function function, const ex& dividend, const ex& divisor) {
  if (allNegative(termsOf(dividend))) {  // ceil(-x/d) is -floor(x/d)
    const Function opposite = function == Function::CeilDiv ? Function::FloorDiv : Function::CeilDiv;
    return -apply(opposite, -dividend, divisor);
  }
  if (functionOf(dividend) == function &&
      isNonNegative(divisor)) {  // ceil(ceil(x/a)/b) is ceil(x/(a*b)) for whole b > 0
    return apply(function, dividend.op(0), dividend.op(1) * divisor);
  }
  return call(function, {dividend, divisor}).hold();
}

ex evaluateDivision(Function function, const exvector& arguments) {
  ex dividend = expanded(arguments[0]);
  ex divisor = expanded(arguments[1]);
  if (divisor.is_zero()) return call(function, {dividend, divisor}).hold();
  if (dividend.is_zero()) return 0;
  if (allNegative(termsOf(divisor))) {
    dividend = expanded(-dividend);
    divisor = expanded(-divisor);
  }
  exvector both = termsOf(dividend);
  const exvector divisors = termsOf(divisor);
  both.insert(both.end(), divisors.begin(), divisors.end());
  if (const ex common = commonFactor(both); !common.is_equal(1)) {
    dividend = dividedBy(termsOf(dividend), common);
    divisor = dividedBy(divisors, common);
  }
  if (is_a<numeric>(dividend) && is_a<numeric>(divisor)) {
    return divideNumbers(function, ex_to<numeric>(dividend), ex_to<numeric>(divisor));
  }

  if (is_a<GiNaC::add>(divisor)) {
    if (dividend.is_equal(divisor)) return 1;
    if (const auto reduced = coprime(dividend, divisor))
      return apply(function, reduced->first, reduced->second);
    return irreducibleDivision(function, dividend, divisor);
  }
  exvector whole, rest;  // ceil((N*x + y)/N) is x + ceil(y/N)
  for (const ex& term : termsOf(dividend)) {
    const ex quotient = term / divisor;
    if (isIntegralTerm(quotient))
      whole.push_back(quotient);
    else
      rest.push_back(term);
  }
  if (rest.empty()) return GiNaC::add(whole);
  if (whole.empty()) return irreducibleDivision(function, dividend, divisor);
  whole.push_back(apply(function, GiNaC::add(rest), divisor));
  return GiNaC::add(whole);
}

/// Adds a candidate to those of which none dominates another: a number that is never below (max) or above
/// (min) the other.
void addCandidate(Function function, exvector& kept, const ex& candidate) {
  bool dominated = false;
  std::erase_if(kept, [&](const ex& other) {
    if (dominated) return false;
    const ex advantage = function == Function::Max ? candidate - other : other - candidate;
    dominated = isNonNegative(-advantage);
    return !dominated && isNonNegative(advantage);
  });
  if (!dominated) kept.push_back(candidate);
}

/// max or min over any number of arguments.
ex evaluateExtremum(Function function, const exvector& arguments) {
  exvector kept, others;
  for (const ex& argument : arguments) {
    const ex candidate = expanded(argument);
    if (functionOf(candidate) != function) {
      others.push_back(candidate);
    } else if (kept.empty()) {
      kept.assign(candidate.begin(), candidate.end());  // sifted when it was made
    } else {
      others.insert(others.end(), candidate.begin(), candidate.end());
    }
  }
  for (const ex& candidate : others) addCandidate(function, kept, candidate);
  if (kept.size() == 1) return kept.front();
  std::sort(kept.begin(), kept.end(), GiNaC::ex_is_less());
  return call(function, std::move(kept)).hold();
}

ex evaluateCeilDiv(const exvector& arguments) {
  return evaluateDivision(Function::CeilDiv, arguments);
}
ex evaluateFloorDiv(const exvector& arguments) {
  return evaluateDivision(Function::FloorDiv, arguments);
}
ex evaluateMax(const exvector& arguments) {
  return evaluateExtremum(Function::Max, arguments);
}
ex evaluateMin(const exvector& arguments) {
  return evaluateExtremum(Function::Min, arguments);
}

}  // namespace

ex expanded(const ex& e) {
  if (!is_a<GiNaC::add>(e) && !is_a<GiNaC::mul>(e) && !is_a<GiNaC::power>(e)) return e;
  Counter counter(maximum_expansion);
  const Extent extent = counter.expanded(e);
  return !counter.exhausted() && extent.small() ? e.expand() : e;
}

bool isTractable(const ex& e) {
  double left = maximum_parts;
  return isTractable(e, 0, left);
}

std::size_t partCount(const ex& e, std::size_t most) {
  return static_cast<std::size_t>(Counter(static_cast<double>(most)).parts(e));
}

ex apply(Function function, const ex& a, const ex& b) {
  return call(function, {a, b});
}

std::optional<Function> functionOf(const ex& e) {
  if (!is_a<GiNaC::function>(e)) return {};
  const auto& numbers = serials();
  const auto found = std::find(numbers.begin(), numbers.end(), ex_to<GiNaC::function>(e).get_serial());
  if (found == numbers.end()) return {};
  return static_cast<Function>(found - numbers.begin());
}

}  // namespace sluice::inline symbolic::algebra
