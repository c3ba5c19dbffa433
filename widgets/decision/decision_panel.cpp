#include "widgets/decision/decision_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int refresh_period = 66;  // ms

}  // namespace

DecisionPanel::DecisionPanel(PointSelection* selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      answer_(new QLabel),
      use_(new QPushButton(tr("Use This Design"))) {
  setObjectName(QStringLiteral("decisionPanel"));
  answer_->setObjectName(QStringLiteral("decisionAnswer"));
  answer_->setWordWrap(true);
  answer_->setTextFormat(Qt::RichText);
  answer_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  use_->setObjectName(QStringLiteral("useDecision"));
  auto* side = new QVBoxLayout;
  side->setContentsMargins(8, 8, 8, 8);
  side->addWidget(answer_, 1);
  side->addWidget(use_, 0, Qt::AlignLeft);
  auto* scroll = new QScrollArea;
  scroll->setWidget(makeWeights());
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // long names take a second line
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll, 1);
  layout->addLayout(side, 1);
  connect(use_, &QPushButton::clicked, this, [this] {
    if (choice_) emit pointActivated(static_cast<int>(choice_->point));
  });
  connect(selection_, &PointSelection::reset, this, &DecisionPanel::decide);
  connect(selection_, &PointSelection::added, this, &DecisionPanel::decideLater);
  connect(selection_, &PointSelection::filtersChanged, this, &DecisionPanel::decideLater);
  decide();
}

QWidget* DecisionPanel::makeWeights() {
  auto* grid = new QGridLayout;
  grid->setContentsMargins(8, 8, 8, 8);
  grid->setVerticalSpacing(4);
  int row = 0;
  for (const MetricSpec* metric : registeredMetrics()) {
    const QString title = QString::fromStdString(metric->title);
    auto* label = new QLabel(title);
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setObjectName(QStringLiteral("weight.") + QString::fromStdString(metric->name));
    slider->setAccessibleName(tr("Weight of %1").arg(title));
    slider->setRange(0, 10);
    slider->setValue(metric->prominence == Prominence::Objective ? 5 : 0);
    slider->setMinimumWidth(60);
    label->setWordWrap(true);
    label->setBuddy(slider);
    auto* figure = new QLabel(QString::number(slider->value()));
    figure->setMinimumWidth(18);
    grid->addWidget(label, row, 0);
    grid->addWidget(slider, row, 1);
    grid->addWidget(figure, row++, 2);
    sliders_.emplace_back(metric->name, slider);
    if (metric->priced) priced_.insert(priced_.end(), {label, slider, figure});
    connect(slider, &QSlider::valueChanged, this, [this, figure](int value) {
      figure->setText(QString::number(value));
      decide();
    });
  }
  grid->setRowStretch(row, 1);
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 2);
  auto* weights = new QWidget;
  weights->setLayout(grid);
  return weights;
}

Weights DecisionPanel::weights() const {
  Weights weights;
  for (const auto& [name, slider] : sliders_)
    if (slider->value() > 0) weights[name] = slider->value();
  return weights;
}

void DecisionPanel::decideLater() {
  if (std::exchange(pending_, true)) return;
  QTimer::singleShot(refresh_period, this, &DecisionPanel::decide);
}

void DecisionPanel::decide() {
  pending_ = false;
  const bool priced = std::ranges::any_of(selection_->points(), isPriced, &DesignPoint::metrics);
  for (QWidget* widget : priced_) widget->setVisible(priced);
  std::vector<std::size_t> candidates;
  for (std::size_t point = 0; point < selection_->points().size(); ++point)
    if (selection_->isShown(point) &&
        selection_->columns()->model()->isComparable(selection_->points()[point]))
      candidates.push_back(point);
  choice_ = bestPoint(selection_->points(), candidates, weights());
  use_->setEnabled(choice_.has_value());
  if (choice_) return answer_->setText(describe(*choice_));
  answer_->setText(selection_->points().empty()
                       ? tr("No points yet. F5 evaluates every combination of the knobs.")
                   : weights().empty() ? tr("Give a metric some weight.")
                                       : tr("No finished point is left: remove a filter."));
}

QString DecisionPanel::describe(const Choice& choice) const {
  const DesignPoint& point = selection_->points()[choice.point];
  QString rows;
  for (const auto& [name, weight] : weights()) {
    const MetricSpec& metric = *findMetric(name);
    if (!choice.given_up.contains(name)) continue;  // a point does not have it
    const double lost = choice.given_up.at(name) * 100;
    rows +=
        QStringLiteral(
            "<tr><td>%1&nbsp;&nbsp;</td><td align='right'><b>%2</b></td></tr><tr><td "
            "colspan='2'>%3</td></tr>")
            .arg(QString::fromStdString(metric.title).toHtmlEscaped(),
                 metricText(point, metric).toHtmlEscaped().replace(QLatin1Char(' '), QLatin1String("&nbsp;")),
                 lost < 0.05 ? tr("the best of all")
                             : tr("%1 % of the way from best to worst").arg(QString::number(lost, 'f', 1)));
  }
  return tr("<p>The best of %1 shown points:</p><p><b>%2</b></p>")
             .arg(selection_->shownCount())
             .arg(knobsText(point.knobs, selection_->columns()->model()->knobNames()).toHtmlEscaped()) +
         QStringLiteral("<table cellspacing='2'>%1</table>").arg(rows);
}

}  // namespace sluice::ui
