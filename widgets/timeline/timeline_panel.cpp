#include "widgets/timeline/timeline_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/common/flow_layout.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/plot_theme.h"
#include "widgets/timeline/state_look.h"
#include "widgets/timeline/time_cursor.h"

namespace sluice::ui {

namespace {

/// Seconds in which the whole run is played.
constexpr std::array durations{5, 20, 60, 300};

/// What the colours and patterns mean; in two lines or more where one has no room.
class Legend : public QWidget {
 public:
  Legend() {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }
  QSize sizeHint() const override {
    int width = 0;
    for (const Entry& each : entries(1 << 20)) width = std::max(width, each.place.right() + 1);
    return {width, line()};
  }
  QSize minimumSizeHint() const override {
    int widest = 0;
    for (const Entry& each : entries(0)) widest = std::max(widest, each.place.width());
    return {widest, line()};
  }
  int heightForWidth(int width) const override { return entries(width).back().place.bottom() + 1; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    for (const Entry& each : entries(width())) {
      const QRect swatch(each.place.left(), each.place.center().y() - 6, 20, 12);
      fillState(painter, swatch, each.state, isDark(palette()));
      painter.setPen(palette().color(QPalette::Mid));
      painter.drawRect(swatch);
      painter.setPen(palette().color(QPalette::WindowText));
      painter.drawText(each.place.adjusted(26, 0, 0, 0), Qt::AlignVCenter, stateName(each.state));
    }
  }

 private:
  struct Entry {
    ProcessState state;
    QRect place;
  };
  int line() const { return fontMetrics().height() + 4; }
  std::vector<Entry> entries(int width) const {
    std::vector<Entry> made;
    int x = 0, y = 0;
    for (const ProcessState state : all_states) {
      if (state == ProcessState::Done) continue;
      const int wide = 26 + fontMetrics().horizontalAdvance(stateName(state)) + 14;
      if (x > 0 && x + wide - 14 > width) {
        x = 0;
        y += line();
      }
      made.push_back({state, QRect(x, y, wide, line())});
      x += wide;
    }
    return made;
  }
};

/// Names before all else: in a narrow table the column goes that matters least.
class StallTable : public QTreeView {
 public:
  void fitColumns() {
    const int for_name = fontMetrics().averageCharWidth() * 20,
              for_state = fontMetrics().averageCharWidth() * 12;
    header()->resizeSection(StallModel::State, for_state);
    int numbers = 0;
    for (const int column : {StallModel::Lost, StallModel::Share}) numbers += columnWidth(column);
    setColumnHidden(StallModel::State, viewport()->width() - numbers - for_state < for_name);
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QTreeView::resizeEvent(event);
    fitColumns();
  }
};

}  // namespace

TimelinePanel::TimelinePanel(TimeCursor* cursor, const QList<QAction*>& commands, QWidget* parent)
    : QWidget(parent),
      cursor_(cursor),
      view_(new TimelineView(cursor)),
      model_(new StallModel(this)),
      stalls_(new StallTable),
      filter_(new QLineEdit),
      speeds_(new QComboBox),
      status_(new QLabel),
      bar_(new QWidget) {
  setObjectName(QStringLiteral("timelinePanel"));
  for (QAction* command : commands) addAction(command);
  makeBar(commands);
  stalls_->setObjectName(QStringLiteral("stallTable"));
  stalls_->setAccessibleName(tr("Lost cycles by cause"));
  stalls_->setModel(model_);
  stalls_->setUniformRowHeights(true);
  stalls_->setAlternatingRowColors(true);
  stalls_->setFrameShape(QFrame::NoFrame);
  stalls_->setTextElideMode(Qt::ElideMiddle);  // names of a region's parts differ at the end
  stalls_->header()->setSectionResizeMode(StallModel::Cause, QHeaderView::Stretch);
  stalls_->header()->setStretchLastSection(false);
  connect(stalls_, &QTreeView::activated, this, &TimelinePanel::showIntervals);
  connect(model_, &StallModel::rowsRemoved, this, [this] { shown_row_ = nullptr; });

  auto* side = new QWidget;
  auto* side_layout = new QVBoxLayout(side);
  side_layout->setContentsMargins(0, 0, 0, 0);
  side_layout->setSpacing(0);
  status_->setMargin(4);
  status_->setWordWrap(true);
  status_->setObjectName(QStringLiteral("stallStatus"));
  side_layout->addWidget(status_);
  side_layout->addWidget(stalls_);
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setObjectName(QStringLiteral("timelineParts"));
  parts->setHandleWidth(1);
  parts->addWidget(view_);
  parts->addWidget(side);
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 1);
  parts->setSizes({900, 360});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(parts, 1);
}

void TimelinePanel::makeBar(const QList<QAction*>& commands) {
  auto* layout = new FlowLayout(bar_);
  layout->setContentsMargins(4, 2, 4, 2);
  for (QAction* command : commands) {
    auto* button = new QToolButton;
    button->setDefaultAction(command);
    button->setAutoRaise(true);
    button->setToolButtonStyle(command->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
    layout->addWidget(button);
  }
  speeds_->setObjectName(QStringLiteral("playSpeed"));
  speeds_->setAccessibleName(tr("Speed of playing"));
  speeds_->setToolTip(tr("How long playing the whole run takes"));
  for (const int seconds : durations) speeds_->addItem(tr("in %1").arg(durationText(seconds)));
  speeds_->setCurrentIndex(1);
  connect(speeds_, &QComboBox::currentIndexChanged, this, &TimelinePanel::setSpeed);
  layout->addWidget(speeds_);
  filter_->setObjectName(QStringLiteral("timelineFilter"));
  filter_->setPlaceholderText(tr("Filter rows"));
  filter_->setAccessibleName(tr("Filter rows by name"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(220);
  connect(filter_, &QLineEdit::textChanged, view_, &TimelineView::setFilter);
  layout->addWidget(filter_);
  auto* streams = new QCheckBox(tr("Streams"));
  streams->setObjectName(QStringLiteral("timelineStreams"));
  streams->setChecked(true);
  streams->setToolTip(tr("Show how full the FIFOs are, below the operator that fills them"));
  connect(streams, &QCheckBox::toggled, view_, &TimelineView::setStreamsShown);
  layout->addWidget(streams);
  auto* folded = new QCheckBox(tr("Fold regions"));
  folded->setObjectName(QStringLiteral("timelineFolded"));
  folded->setTristate(true);
  folded->setCheckState(Qt::PartiallyChecked);
  folded->setToolTip(tr("Fold or unfold every region"));
  connect(folded, &QCheckBox::clicked, this, [this, folded](bool checked) {
    folded->setTristate(false);
    view_->setAllCollapsed(checked);
  });
  layout->addWidget(folded);
  auto* legend = new Legend;
  legend->setAccessibleName(tr("What the patterns mean"));
  layout->addWidget(legend);
}

void TimelinePanel::setSpeed() {
  const int seconds = durations[static_cast<std::size_t>(std::max(0, speeds_->currentIndex()))];
  cursor_->setSpeed(static_cast<double>(cursor_->end()) / seconds);
}

void TimelinePanel::setRun(const TimelineRun& run, const QString& notice) {
  view_->setRun(run, notice);
  cursor_->setEnd(run ? static_cast<qint64>(run.timeline->end()) : 0);
  setSpeed();
  shown_row_ = nullptr;
  model_->setStalls({}, {});
  status_->setText(run ? tr("Looking for causes…") : QString());
}

void TimelinePanel::setStalls(const TimelineRun& run, StallFindings stalls) {
  shown_row_ = nullptr;
  const QString lost = exactNumber(stalls.report.lost);
  const bool exact = stalls.report.exact;
  model_->setStalls(run, std::move(stalls));
  status_->setText(tr("%1 lost cycles of all operators, by who is to blame%2")
                       .arg(lost, exact ? QString() : tr(" (a long run: neighbouring waits are joined)")));
  stalls_->header()->resizeSections(QHeaderView::ResizeToContents);
  static_cast<StallTable*>(stalls_)->fitColumns();
}

void TimelinePanel::setStale(bool stale) {
  view_->setStale(stale);
  stalls_->setEnabled(!stale);
}

void TimelinePanel::showIntervals(const QModelIndex& index) {
  const StallRow* row = model_->rowAt(index);
  if (!view_->run()) return;
  if (!row) return model_->askAt(index);
  if (row == shown_row_) {
    interval_ = intervals_.empty() ? 0 : (interval_ + 1) % intervals_.size();
  } else {
    intervals_ = stallIntervals(*view_->run().graph, *view_->run().timeline, *row);
    // The longest first, as it costs most.
    std::stable_sort(
        intervals_.begin(), intervals_.end(),
        [](const StallInterval& a, const StallInterval& b) { return a.end - a.begin > b.end - b.begin; });
    interval_ = 0;
    shown_row_ = row;
  }
  view_->setIntervals(row->victim, intervals_, interval_);
  status_->setText(tr("%1: stretch %2 of %3, the longest first")
                       .arg(QString::fromStdString(view_->run().graph->operators[row->victim].name))
                       .arg(interval_ + 1)
                       .arg(intervals_.size()));
}

}  // namespace sluice::ui
