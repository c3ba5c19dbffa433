#pragma once
// EnergyPlot: stacked bars, one for the whole run and for each region or operator: off chip, on chip,
// compute, FIFOs, leakage.

#include <array>

#include "widgets/energy/energy_breakdown.h"
#include "widgets/export/exportable.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

class EnergyPlot : public Plot {
  Q_OBJECT

 public:
  explicit EnergyPlot(QWidget* parent = nullptr);

  /// Rows beyond those that have room are drawn as one: on a screen as many as are read at its height.
  void setBreakdown(const EnergyBreakdown& breakdown);
  void clear(const QString& notice);
  const EnergyBreakdown& breakdown() const { return shown_; }
  /// All rows of the breakdown.
  QString csv() const override;
  double aspect() const;  ///< height over width on paper, so that every bar has room

 signals:
  void placeChosen(const QString& place);  ///< a bar was clicked

 protected:
  void restyle() override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  static constexpr std::size_t leakage = std::size(energy_parts);
  const EnergyBreakdown::Row* rowAt(QPoint position) const;
  std::size_t roomForBars() const;
  void fill();
  void nameRows();

  EnergyBreakdown all_, shown_;
  std::array<QCPBars*, leakage + 1> bars_{};  ///< in the order of energy_parts, leakage behind them
};

/// Its pgf is what is painted: bars that lie on each other have no other form.
Exportable exportable(EnergyPlot& plot);

}  // namespace sluice::ui
