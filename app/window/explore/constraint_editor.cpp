#include "app/window/explore/constraint_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/explore/form_row.h"
#include "app/window/explore/objective_field.h"
#include "app/window/shell/named.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/metrics/statistic.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

constexpr int note_lines = 3;

Result<std::vector<Constraint>> constraintsIn(const QString& line) {
  std::vector<Constraint> constraints;
  for (const QString& each : line.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    if (each.trimmed().isEmpty()) continue;
    SLUICE_TRY(Constraint constraint, parseConstraint(each.trimmed().toStdString()));
    constraints.push_back(std::move(constraint));
  }
  if (auto wrong = contradictionIn(constraints)) return *std::move(wrong);
  return constraints;
}

QString constraintsHint() {
  QStringList metrics;
  for (const MetricSpec* metric : registeredMetrics()) metrics << qt(metric->name);
  return QObject::tr(
             "Choose above, or type METRIC<=NUMBER or METRIC>=NUMBER with commas between. Metrics: %1")
      .arg(metrics.join(QStringLiteral(", ")));
}

}  // namespace

ConstraintEditor::ConstraintEditor(bool over_traces, QWidget* parent)
    : QWidget(parent), over_traces_(over_traces) {
  line_ = named(new QLineEdit, "searchConstraints", tr("Constraints"));
  line_->setPlaceholderText(tr("none; as in on_chip_bytes<=4 MB, cycles<=1e5"));
  line_->setClearButtonEnabled(true);
  note_ = named(noteLabel({}), "searchConstraintsNote", tr("What a constraint looks like"));
  keepHeight(note_, note_lines);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3);
  column->addLayout(choice());
  column->addWidget(line_);
  column->addWidget(note_);
  connect(line_, &QLineEdit::textChanged, this, &ConstraintEditor::tell);
  tell();
}

Result<std::vector<Constraint>> ConstraintEditor::constraints() const {
  return constraintsIn(line_->text());
}

QString ConstraintEditor::text() const {
  return line_->text();
}

void ConstraintEditor::setText(const QString& text) {
  line_->setText(text);
}

QWidget* ConstraintEditor::first() const {
  return limited_;
}

/// A hint is muted, a mistake is not.
void ConstraintEditor::tell() {
  const Result<std::vector<Constraint>> read = constraints();
  note_->setEnabled(!read);
  note_->setText(read ? constraintsHint()
                      : QStringLiteral("\u26a0 ") + inlineText(read.diagnostics().front()));
  emit changed();
}

/// A constraint is chosen, not spelt; what is added stands in the line, where it can be edited.
QLayout* ConstraintEditor::choice() {
  limited_ = named(new QComboBox, "searchLimited", tr("Metric that is limited"));
  for (const MetricSpec* metric : registeredMetrics())
    limited_->addItem(metricTitle(qt(metric->name)), qt(metric->name));
  statistic_ = named(new QComboBox, "searchLimitedStatistic", tr("Statistic that is limited"));
  addStatistics(*statistic_, tr("under every trace"));
  if (over_traces_) {
    limited_->addItem(tr("Share of the traces that deadlock"), QStringLiteral("P(deadlock)"));
    limited_->addItem(tr("Share of the traces that overflow"), QStringLiteral("P(overflow)"));
  }
  sense_ = named(new QComboBox, "searchSense", tr("At most or at least"));
  sense_->addItem(tr("at most"), QStringLiteral("<="));
  sense_->addItem(tr("at least"), QStringLiteral(">="));
  limit_ = named(new QLineEdit, "searchLimit", tr("Limit"));
  limit_->setMinimumWidth(14 * limit_->fontMetrics().averageCharWidth());  // its examples are read whole
  add_ = named(new QPushButton(tr("&Add")), "searchAddConstraint", tr("Add the constraint"));
  add_->setAutoDefault(false);
  add_->setToolTip(tr("Add the constraint to those below"));
  const auto enable = [this] {
    const MetricSpec* metric = findMetric(limited_->currentData().toString().toStdString());
    statistic_->setEnabled(!statisticOf(*metric));
    const bool is_fraction = metric->kind == MetricKind::Fraction;
    limit_->setPlaceholderText(is_fraction                             ? tr("as 40 %")
                               : metric->kind == MetricKind::ByteCount ? tr("as 50 MB")
                                                                       : tr("as 2e6 or 2 M"));
    add_->setEnabled(static_cast<bool>(constraintsIn(chosen())));
  };
  for (QComboBox* each : {limited_, statistic_}) connect(each, &QComboBox::currentIndexChanged, this, enable);
  connect(limit_, &QLineEdit::textChanged, this, enable);
  connect(add_, &QPushButton::clicked, this, &ConstraintEditor::add);
  limit_->installEventFilter(this);
  enable();
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  for (QWidget* part : std::initializer_list<QWidget*>{limited_, statistic_, sense_, limit_, add_})
    row->addWidget(part);
  if (!over_traces_) statistic_->hide();
  return row;
}

/// Return adds what is typed; elsewhere it starts what the dialog is for.
bool ConstraintEditor::eventFilter(QObject* watched, QEvent* event) {
  if (watched == limit_ && event->type() == QEvent::KeyPress && !limit_->text().isEmpty()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      add();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

QString ConstraintEditor::chosen() const {
  const QString metric = limited_->currentData().toString();
  const bool plain = !over_traces_ || !statistic_->isEnabled();
  return (plain ? metric : statisticName(*statistic_, metric)) + sense_->currentData().toString() +
         limit_->text().trimmed();
}

/// One limit of a kind a metric: it takes the place of an older one.
void ConstraintEditor::add() {
  if (!add_->isEnabled()) return;
  const Result<Constraint> added = parseConstraint(chosen().toStdString());
  QStringList all;
  for (const QString& each : line_->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const Result<Constraint> old = parseConstraint(each.trimmed().toStdString());
    const bool replaced = old && old->metric == added->metric && old->at_most == added->at_most;
    if (!replaced) all << each.trimmed();
  }
  all << chosen();
  line_->setText(all.join(QStringLiteral(", ")));
  limit_->clear();
}

}  // namespace sluice::ui
