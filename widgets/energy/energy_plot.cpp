#include "widgets/energy/energy_plot.h"

#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "engine/core/csv.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/common/trust_line.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_bars = 14;
constexpr double bar_width = 0.7;  // of a row

QString joules(double value) {
  return text(quantity(value, QStringLiteral("J")));
}

}  // namespace

EnergyPlot::EnergyPlot(QWidget* parent) : Plot(parent) {
  setObjectName(QStringLiteral("energyPlot"));
  setAccessibleName(tr("Energy by kind of action"));
  setMouseTracking(true);
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    bars_[k] = new QCPBars(yAxis, xAxis);
    bars_[k]->setName(k == leakage ? tr("leakage") : qt(energy_parts[k].title));
    bars_[k]->setWidth(bar_width);
    bars_[k]->setStackingGap(0);  // a gap would be wider than what costs little
    if (k > 0) bars_[k]->moveAbove(bars_[k - 1]);
  }
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker));
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerText));
  yAxis->setRangeReversed(true);  // the whole run on top
  yAxis->setSubTicks(false);
  yAxis->grid()->setVisible(false);
  addLegendAbove();
  setTheme(theme());
  clear(tr("No simulation to show."));
}

void EnergyPlot::clear(const QString& notice) {
  setBreakdown({});
  setNotice(notice);
}

void EnergyPlot::setBreakdown(const EnergyBreakdown& breakdown) {
  all_ = breakdown;
  setNotice({});
  fill();
}

std::size_t EnergyPlot::roomForBars() const {
  if (theme().on_paper) return most_bars;
  const int line = QFontMetrics(theme().font).height();
  const int around = 4 * line + legend->outerRect().height();  // its axis
  const int rows = (height() - around) / line - 2;             // the whole run, and the others as one
  return static_cast<std::size_t>(std::clamp(rows, 2, static_cast<int>(most_bars)));
}

void EnergyPlot::fill() {
  shown_ = shortened(all_, roomForBars());
  double most = 0;
  for (QCPBars* bars : bars_) bars->data()->clear();
  for (std::size_t row = 0; row < shown_.rows.size(); ++row) {
    const EnergyBreakdown::Row& each = shown_.rows[row];
    for (std::size_t k = 0; k < leakage; ++k)
      bars_[k]->addData(static_cast<double>(row), each.parts.*energy_parts[k].member);
    bars_[leakage]->addData(static_cast<double>(row), each.leakage.value_or(0));
    most = std::max(most, each.total());
  }
  const bool leaks = !shown_.rows.empty() && shown_.rows.front().leakage.has_value();
  if (!leaks) bars_[leakage]->removeFromLegend();
  if (leaks && !legend->hasItemWithPlottable(bars_[leakage])) bars_[leakage]->addToLegend();
  fitLegend(static_cast<int>(bars_.size()));
  xAxis->setRange(0, most > 0 ? most * 1.05 : 1);
  yAxis->setRange(-0.6, std::max<double>(1, static_cast<double>(shown_.rows.size())) - 0.4);
  nameAxis(xAxis, tr("Energy"), QStringLiteral("J"));
  nameRows();
  replotLater();
}

/// A long name keeps its end, which tells operators of a region apart.
void EnergyPlot::nameRows() {
  const auto ticker = yAxis->ticker().dynamicCast<QCPAxisTickerText>();
  if (!ticker) return;
  const QFontMetrics metrics(theme().font);
  ticker->clear();
  for (std::size_t row = 0; row < shown_.rows.size(); ++row)
    ticker->addTick(static_cast<double>(row),
                    metrics.elidedText(shown_.rows[row].name, Qt::ElideMiddle, drawingWidth() * 3 / 10));
}

void EnergyPlot::restyle() {
  const PlotTheme& look = theme();
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const QColor colour = k == leakage ? look.muted : look.series(static_cast<int>(k)).colour;
    bars_[k]->setPen(Qt::NoPen);
    bars_[k]->setBrush(colour);
  }
  const int ascent = QFontMetrics(look.font).ascent();
  legend->setIconSize(ascent, ascent * 4 / 5);
  legend->setIconTextPadding(look.on_paper ? 3 : 6);
  fill();
}

double EnergyPlot::aspect() const {
  const std::size_t rows = std::min(all_.rows.size(), most_bars + 2);  // the whole run, and the others
  return std::clamp(0.22 + 0.055 * static_cast<double>(rows), 0.4, 1.1);
}

const EnergyBreakdown::Row* EnergyPlot::rowAt(QPoint position) const {
  const double row = std::round(yAxis->pixelToCoord(position.y()));
  if (!axisRect()->rect().contains(position) || row < 0 || row >= static_cast<double>(shown_.rows.size()))
    return nullptr;
  return &shown_.rows[static_cast<std::size_t>(row)];
}

void EnergyPlot::mousePressEvent(QMouseEvent* event) {
  const EnergyBreakdown::Row* row = rowAt(event->position().toPoint());
  if (row && !row->place.isEmpty()) emit placeChosen(row->place);
  Plot::mousePressEvent(event);
}

void EnergyPlot::mouseMoveEvent(QMouseEvent* event) {
  QString told;
  if (const EnergyBreakdown::Row* row = rowAt(event->position().toPoint())) {
    told = tr("%1: %2").arg(row->name, joules(row->total()));
    for (const EnergyPart& part : energy_parts)
      told += tr("\n%1 %2").arg(qt(part.title), joules(row->parts.*part.member));
    if (row->leakage) told += tr("\nleakage %1").arg(joules(*row->leakage));
    told += QLatin1Char('\n') + modelOnly();
  }
  QToolTip::showText(event->globalPosition().toPoint(), told, this);
  Plot::mouseMoveEvent(event);
}

void EnergyPlot::resizeEvent(QResizeEvent* event) {
  Plot::resizeEvent(event);
  fill();
}

QString EnergyPlot::csv() const {
  std::vector<std::string> header{"name"};
  for (const EnergyPart& part : energy_parts) header.push_back(part.key + std::string("_joules"));
  header.insert(header.end(), {"dynamic_joules", "share_of_dynamic", "leakage_joules", "total_joules"});
  CsvTable table(header);
  for (const EnergyBreakdown::Row& row : all_.rows) {
    std::vector<std::string> cells{row.name.toStdString()};
    for (const EnergyPart& part : energy_parts) cells.push_back(csvNumber(row.parts.*part.member));
    cells.push_back(csvNumber(row.parts.total()));
    cells.push_back(csvNumber(all_.share(row)));
    cells.push_back(row.leakage ? csvNumber(*row.leakage) : "");
    cells.push_back(&row == all_.rows.data() ? csvNumber(row.total()) : "");  // leakage is no part's
    table.row(cells);
  }
  return QString::fromStdString(table.text());
}

Exportable exportable(EnergyPlot& plot) {
  Exportable made = exportable(plot, QStringLiteral("energy"), QObject::tr("Energy"), plot.aspect());
  made.pgf = nullptr;
  return made;
}

}  // namespace sluice::ui
