#include "engine/tensor/sizing/linear_programs.h"

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <stdexcept>

namespace sluice::inline tensor {
namespace {

/// Asked by CLP in every iteration whether it is to go on.
class StopHandler : public ClpEventHandler {
 public:
  explicit StopHandler(std::stop_token stop) : stop_(std::move(stop)) {}
  int event(Event) override { return stop_.stop_requested() ? stop_now : go_on; }
  ClpEventHandler* clone() const override { return new StopHandler(*this); }

 private:
  static constexpr int go_on = -1, stop_now = 5;  // what CLP's documentation asks for
  std::stop_token stop_;
};

void heed(ClpSimplex& model, const std::stop_token& stop) {
  const StopHandler handler(stop);
  model.passInEventHandler(&handler);  // keeps a copy
}

/// A basis that it is given can lead the simplex method astray (fractions of a byte a cycle taken for no
/// solution at all); from scratch it must end.
void fromScratchUnlessOptimal(ClpSimplex& model) {
  if (model.isProvenOptimal()) return;
  model.createStatus();
  model.primal();
}

/// Every program here has a finite optimum, and those of the FIFO sizing a solution.
void expectOptimal(const ClpSimplex& model) {
  if (!model.isProvenOptimal()) throw std::logic_error("a linear program has no optimum");
}

}  // namespace

std::optional<std::vector<double>> cheapestPotentials(std::span<const PotentialArc> arcs,
                                                      std::span<const std::size_t> tight,
                                                      const std::stop_token& stop) {
  // The dual, a min-cost flow of the weights along the arcs, has the shorter basis: a row per variable
  // instead of one per arc, and the tree of a feasible solution is a basis that the dual simplex method can
  // start from.
  const int rows = static_cast<int>(tight.size());
  const int columns = static_cast<int>(arcs.size());
  std::vector<double> supply(tight.size(), 0), cost, least(arcs.size(), 0), most(arcs.size(), COIN_DBL_MAX);
  std::vector<CoinBigIndex> begin{0};
  std::vector<int> row;
  std::vector<double> sign;
  for (const PotentialArc& arc : arcs) {
    supply[arc.head] += arc.weight;
    supply[arc.tail] -= arc.weight;
    cost.push_back(-arc.length);
    row.insert(row.end(), {static_cast<int>(arc.tail), static_cast<int>(arc.head)});
    sign.insert(sign.end(), {-1, 1});
    begin.push_back(static_cast<CoinBigIndex>(row.size()));
  }
  const CoinPackedMatrix matrix(true, rows, columns, static_cast<CoinBigIndex>(row.size()), sign.data(),
                                row.data(), begin.data(), nullptr);
  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(matrix, least.data(), most.data(), cost.data(), supply.data(), supply.data());
  model.createStatus();
  for (int column = 0; column < columns; ++column) model.setColumnStatus(column, ClpSimplex::atLowerBound);
  for (int variable = 0; variable < rows; ++variable) {
    const std::size_t arc = tight[static_cast<std::size_t>(variable)];
    model.setRowStatus(variable, arc < arcs.size() ? ClpSimplex::isFixed : ClpSimplex::basic);
    if (arc < arcs.size()) model.setColumnStatus(static_cast<int>(arc), ClpSimplex::basic);
  }
  heed(model, stop);
  model.dual();
  if (stop.stop_requested()) return std::nullopt;
  fromScratchUnlessOptimal(model);
  if (stop.stop_requested()) return std::nullopt;
  expectOptimal(model);
  std::vector<double> values;
  for (int variable = 0; variable < rows; ++variable) values.push_back(-model.getRowPrice()[variable]);
  return values;
}

struct CoveringProgram::Model {
  ClpSimplex simplex;
};

CoveringProgram::CoveringProgram(std::span<const double> weights, std::span<const double> least)
    : model_(std::make_unique<Model>()) {
  model_->simplex.setLogLevel(0);
  model_->simplex.resize(0, static_cast<int>(weights.size()));
  for (std::size_t x = 0; x < weights.size(); ++x) {
    model_->simplex.setObjectiveCoefficient(static_cast<int>(x), weights[x]);
    model_->simplex.setColumnBounds(static_cast<int>(x), least[x], COIN_DBL_MAX);
  }
}

CoveringProgram::CoveringProgram(CoveringProgram&&) noexcept = default;
CoveringProgram::~CoveringProgram() = default;

void CoveringProgram::require(std::span<const std::size_t> chosen, double at_least) {
  const std::vector<int> columns(chosen.begin(), chosen.end());
  const std::vector<double> ones(chosen.size(), 1);
  model_->simplex.addRow(static_cast<int>(chosen.size()), columns.data(), ones.data(), at_least,
                         COIN_DBL_MAX);
}

std::optional<std::vector<double>> CoveringProgram::solve(const std::stop_token& stop) {
  heed(model_->simplex, stop);
  model_->simplex.dual();
  if (stop.stop_requested()) return std::nullopt;
  fromScratchUnlessOptimal(model_->simplex);
  if (stop.stop_requested()) return std::nullopt;
  expectOptimal(model_->simplex);
  const double* solution = model_->simplex.getColSolution();
  return std::vector<double>{solution, solution + model_->simplex.numberColumns()};
}

struct BoundedProgram::Model {
  ClpSimplex simplex;
};

BoundedProgram::BoundedProgram() : model_(std::make_unique<Model>()) {
  model_->simplex.setLogLevel(0);
}

BoundedProgram::BoundedProgram(BoundedProgram&&) noexcept = default;
BoundedProgram::~BoundedProgram() = default;

std::size_t BoundedProgram::addVariable(double cost, double least, double most) {
  model_->simplex.addColumn(0, nullptr, nullptr, least, most, cost);
  return static_cast<std::size_t>(model_->simplex.numberColumns() - 1);
}

void BoundedProgram::addRow(std::span<const Term> terms, double least, double most) {
  std::vector<int> columns;
  std::vector<double> factors;
  for (const Term& term : terms) {
    columns.push_back(static_cast<int>(term.variable));
    factors.push_back(term.factor);
  }
  model_->simplex.addRow(static_cast<int>(columns.size()), columns.data(), factors.data(), least, most);
}

void BoundedProgram::setBounds(std::size_t variable, double least, double most) {
  model_->simplex.setColumnBounds(static_cast<int>(variable), least, most);
}

std::optional<BoundedProgram::Solution> BoundedProgram::solve(const std::stop_token& stop) {
  ClpSimplex& simplex = model_->simplex;
  heed(simplex, stop);
  simplex.dual();
  if (stop.stop_requested()) return std::nullopt;
  if (simplex.isProvenPrimalInfeasible()) return std::nullopt;
  fromScratchUnlessOptimal(simplex);
  if (stop.stop_requested()) return std::nullopt;
  if (simplex.isProvenPrimalInfeasible()) return std::nullopt;
  expectOptimal(simplex);
  const double* solution = simplex.getColSolution();
  return Solution{simplex.getObjValue(), {solution, solution + simplex.numberColumns()}};
}

}  // namespace sluice::inline tensor
