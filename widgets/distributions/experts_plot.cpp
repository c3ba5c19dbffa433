#include "widgets/distributions/experts_plot.h"

#include <algorithm>
#include <functional>

#include "engine/core/csv.h"

namespace sluice::ui {

ExpertsPlot::ExpertsPlot(QWidget* parent)
    : Plot(parent),
      mean_(new QCPBars(xAxis, yAxis)),
      spread_(this, tr("least to most")),
      chosen_(addGraph()) {
  setObjectName(QStringLiteral("expertsPlot"));
  setAccessibleName(tr("Tokens of each expert over the traces"));
  mean_->setName(tr("mean"));
  mean_->setWidth(0.8);
  chosen_->setName(tr("chosen trace"));
  chosen_->setLineStyle(QCPGraph::lsNone);
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new IntegerTicker));
  xAxis->grid()->setVisible(false);
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker));
  yAxis->setLabel(tr("Tokens"));
  addLegendAbove();
  setTheme(theme());
  clear(tr("No input is a set of routings."));
}

void ExpertsPlot::clear(const QString& notice) {
  loads_ = {};
  mean_->data()->clear();
  chosen_->data()->clear();
  spread_.set({});
  setNotice(notice);
  replotLater();
}

void ExpertsPlot::setLoads(const ExpertLoads& loads, bool ranked) {
  clear({});
  loads_ = loads;
  ranked_ = ranked;
  const std::vector<LoadSpread>& shown = ranked ? loads.by_rank : loads.by_expert;
  std::vector<double> chosen = loads.chosen;
  if (ranked) std::ranges::sort(chosen, std::greater<>());
  const double first = ranked ? 1 : 0;
  double most = 1;
  std::vector<Spread> spreads;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double at = first + static_cast<double>(i);
    mean_->addData(at, shown[i].mean);
    if (i < chosen.size()) chosen_->addData(at, chosen[i]);
    spreads.push_back({at, shown[i].mean, at, at, shown[i].least, shown[i].most});
    most = std::max(most, shown[i].most);
  }
  spread_.set(spreads);
  spread_.mention();
  xAxis->setLabel(ranked ? tr("Expert, the busiest of each trace first") : tr("Expert"));
  xAxis->setRange(first - 0.6, first + static_cast<double>(shown.size()) - 0.4);
  yAxis->setRange(0, most * 1.05);
  restyle();
  replotLater();
}

void ExpertsPlot::restyle() {
  const PlotTheme& look = theme();
  mean_->setPen(Qt::NoPen);
  mean_->setBrush(look.tinted(look.frontier, 0.45));
  spread_.setLook(QPen(look.text, look.line_width));
  chosen_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(look.current, look.line_width),
                                           QBrush(look.current), look.marker_size));
  const int ascent = QFontMetrics(look.font).ascent();
  legend->setIconSize(ascent * 3 / 2, ascent);
  fitLegend(3);
}

QString ExpertsPlot::csv() const {
  CsvTable table({ranked_ ? "rank" : "expert", "mean", "least", "most", "chosen"});
  const std::vector<LoadSpread>& shown = ranked_ ? loads_.by_rank : loads_.by_expert;
  std::vector<double> chosen = loads_.chosen;
  if (ranked_) std::ranges::sort(chosen, std::greater<>());
  for (std::size_t i = 0; i < shown.size(); ++i)
    table.row({std::to_string(ranked_ ? i + 1 : i), csvNumber(shown[i].mean), csvNumber(shown[i].least),
               csvNumber(shown[i].most), i < chosen.size() ? csvNumber(chosen[i]) : ""});
  return QString::fromStdString(table.text());
}

Exportable exportable(ExpertsPlot& plot) {
  return exportable(plot, QStringLiteral("experts"), QObject::tr("Tokens of experts"));
}

}  // namespace sluice::ui
