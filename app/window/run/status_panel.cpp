#include "app/window/run/status_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QStyle>
#include <QToolButton>

#include "widgets/common/elided_label.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int patience = 250;  // ms

/// "Cycles, FLOPs": the plot may show others.
QString objectivesText(const Exploration& result) {
  QStringList titles;
  for (const std::string& name : result.objectives) titles << metricTitle(qt(name));
  return titles.join(QStringLiteral(", "));
}

/// Where the bar does not tell when it ends, what it has done.
QString simulating(const PointProgress& progress) {
  if (progress.seconds_left >= 0 || progress.seconds_spent < 1) return StatusPanel::tr("Simulating");
  return StatusPanel::tr("Simulating: cycle %1 after %2")
      .arg(exactNumber(progress.cycle), durationText(progress.seconds_spent));
}

/// How many points an exploration is to visit, as far as that is known when it begins.
std::uint64_t pointsAsked(const SessionController& session) {
  if (!session.workload()) return 0;
  const std::uint64_t space = designSpace(session.workload()->document).size();
  return session.search() ? std::min(space, session.search()->budget) : space;
}

}  // namespace

StatusPanel::StatusPanel(SessionController* session, QWidget* window)
    : QStatusBar(nullptr),  // no child yet: the window's first focus is not for its buttons
      message_(new ElidedLabel),
      bar_(new QProgressBar),
      left_(new QLabel),
      cancel_(new QToolButton),
      counts_(new QToolButton) {
  setObjectName(QStringLiteral("statusPanel"));
  setSizeGripEnabled(false);
  message_->setObjectName(QStringLiteral("statusMessage"));
  message_->setContentsMargins(10, 0, 0, 0);
  bar_->setObjectName(QStringLiteral("progressBar"));
  bar_->setAccessibleName(tr("Progress"));
  bar_->setRange(0, 1000);
  bar_->setFixedWidth(220);
  bar_->setTextVisible(false);
  bar_->setFixedHeight(10);
  left_->setObjectName(QStringLiteral("timeLeft"));
  left_->setMinimumWidth(110);
  cancel_->setObjectName(QStringLiteral("cancelButton"));
  cancel_->setText(tr("Cancel"));
  cancel_->setToolTip(tr("Stop what is running (Ctrl+. or Esc)"));
  counts_->setObjectName(QStringLiteral("diagnosticCounts"));
  counts_->setAutoRaise(true);
  addWidget(message_, 1);
  addWidget(bar_);
  addWidget(left_);
  addWidget(cancel_);
  addPermanentWidget(counts_);
  showDone({});
  setDiagnosticCounts(0, 0);
  patience_.setSingleShot(true);
  patience_.setInterval(patience);
  second_.setInterval(1000);
  connect(&second_, &QTimer::timeout, this, &StatusPanel::showExploring);
  connect(&patience_, &QTimer::timeout, this, [this] { showRunning(tr("Simulating"), 0, -1); });
  connect(cancel_, &QToolButton::clicked, this, &StatusPanel::cancel);
  connect(counts_, &QToolButton::clicked, this, &StatusPanel::diagnosticsRequested);
  connectSession(session);
  if (window) window->installEventFilter(this);
}

bool StatusPanel::eventFilter(QObject* watched, QEvent* event) {
  // A key comes to the window when no dialog, field or gesture has taken it.
  if (event->type() == QEvent::KeyPress && cancel_->isVisible() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    cancel();
    return true;
  }
  return QStatusBar::eventFilter(watched, event);
}

void StatusPanel::connectSession(SessionController* session) {
  connect(session, &SessionController::pointStarted, this, [this] {
    if (!exploring_ && (shows_layout_ || !bar_->isVisible())) patience_.start();
  });
  connect(session, &SessionController::pointProgress, this, [this](const PointProgress& progress) {
    if (!exploring_ && !patience_.isActive())
      showRunning(simulating(progress), progress.fraction, progress.seconds_left);
  });
  connect(session, &SessionController::pointReady, this,
          [this](const std::shared_ptr<const PointResult>& result) {
            if (exploring_) return;
            const double rate = static_cast<double>(result->simulation.token_hops) /
                                std::max(1e-9, result->simulation.wall_seconds);
            showDone(tr("Simulated in %1 (%2)")
                         .arg(measuredTime(result->simulation.wall_seconds),
                              text(quantity(rate, QStringLiteral("token hops/s")))));
          });
  connect(session, &SessionController::pointFailed, this, [this] {
    if (!exploring_) showDone(tr("The program has errors: see Diagnostics"));
  });
  connect(session, &SessionController::exploreStarted, this, [this, session] {
    exploring_ = true;
    patience_.stop();
    points_ = {.total = pointsAsked(*session)};
    runs_ = {};
    exploration_.start();
    second_.start();
    showExploring();
  });
  connect(session, &SessionController::pointsExplored, this,
          [this](const std::vector<DesignPoint>&, const ExploreProgress& progress) {
            points_ = progress;
            showExploring();
          });
  connect(session, &SessionController::runsExplored, this, [this](const ExploreProgress& progress) {
    runs_ = progress;
    showExploring();
  });
  connect(session, &SessionController::exploreReady, this,
          [this](const std::shared_ptr<const Exploration>& result) { explored(*result); });
  connect(session, &SessionController::exploreFailed, this, [this] {
    exploring_ = false;
    showDone(tr("The exploration came to nothing: see Diagnostics"));
  });
  connect(session, &SessionController::cancelled, this, [this] {
    exploring_ = false;
    showDone(tr("Cancelled"));
  });
}

/// A point under many traces takes long: then their runs tell how far it is.
void StatusPanel::showExploring() {
  if (!exploration_.isValid()) return;
  QString what =
      tr("Exploring: %1 of %2 points").arg(exactNumber(points_.evaluated), exactNumber(points_.total));
  if (runs_.total > 0)
    what += tr(", %1 of %2 runs under traces").arg(exactNumber(runs_.evaluated), exactNumber(runs_.total));
  const ExploreProgress& finest = runs_.total > 0 ? runs_ : points_;
  showRunning(what,
              static_cast<double>(finest.evaluated) / std::max<double>(1, static_cast<double>(finest.total)),
              finest.seconds_left);
  const auto seconds = static_cast<double>(exploration_.elapsed()) / 1000;
  if (finest.seconds_left < 0 && seconds >= 1) left_->setText(tr("%1 so far").arg(durationText(seconds)));
}

void StatusPanel::explored(const Exploration& result) {
  exploring_ = false;
  QStringList points = {result.points.size() == 1 ? tr("1 point")
                                                  : tr("%1 points").arg(exactNumber(result.points.size()))};
  if (result.pruned > 0) points << tr("%1 ruled out by their bounds").arg(exactNumber(result.pruned));
  if (result.reused > 0) points << tr("%1 from the store").arg(exactNumber(result.reused));
  if (result.retimed > 0) points << tr("%1 re-timed").arg(exactNumber(result.retimed));
  showDone(tr("Explored %1 (%2): %3 on the frontier of %4, in %5")
               .arg(points.join(QStringLiteral(", ")), qt(result.strategy),
                    exactNumber(result.frontier.size()), objectivesText(result),
                    measuredTime(result.wall_seconds)));
}

void StatusPanel::showLayout(double share) {
  if (share >= 1) {
    layout_.invalidate();
    if (shows_layout_) showDone(done_);
    return;
  }
  if (!layout_.isValid()) layout_.start();
  const bool other = exploring_ || (!bar_->isHidden() && !shows_layout_);
  if (other || layout_.elapsed() < patience) return;
  const double spent = static_cast<double>(layout_.elapsed()) / 1000;
  constexpr double known = 0.02;  // of the work; before that no estimate is possible
  showRunning(tr("Laying out the graph"), share, share < known ? -1 : spent * (1 - share) / share);
  shows_layout_ = true;
}

void StatusPanel::showWork(const QString& what, double share, double seconds_left) {
  exploring_ = true;
  patience_.stop();
  showRunning(what, share, seconds_left);
}

void StatusPanel::endWork(const QString& what) {
  exploring_ = false;
  showDone(what);
}

void StatusPanel::cancel() {
  if (shows_layout_)
    emit layoutCancelRequested();
  else
    emit cancelRequested();
}

void StatusPanel::showRunning(const QString& what, double fraction, double seconds_left) {
  shows_layout_ = false;
  message_->setText(what);
  bar_->setValue(static_cast<int>(fraction * 1000));
  left_->setText(seconds_left >= 0 ? tr("%1 left").arg(durationText(seconds_left)) : QString());
  bar_->show();
  left_->show();
  cancel_->show();
}

/// A mistake comes before what was computed last.
void StatusPanel::tell() {
  message_->setText(problem_.isEmpty() ? done_ : QStringLiteral("\u2716 ") + problem_);
}

void StatusPanel::setProblem(const QString& problem) {
  problem_ = problem;
  if (bar_->isHidden()) tell();
}

void StatusPanel::showDone(const QString& what) {
  patience_.stop();
  second_.stop();
  exploration_.invalidate();
  shows_layout_ = false;
  done_ = what;
  tell();
  bar_->hide();
  left_->hide();
  cancel_->hide();
}

void StatusPanel::setDiagnosticCounts(int errors, int warnings) {
  counts_->setText(errors + warnings == 0 ? tr("\u2713 no problems")
                                          : tr("\u2716 %1   \u26a0 %2").arg(errors).arg(warnings));
  counts_->setToolTip(tr("%1 errors, %2 warnings: show the list").arg(errors).arg(warnings));
  counts_->setAccessibleName(counts_->toolTip());
  counts_->setProperty("alarm", errors > 0);
  counts_->style()->unpolish(counts_);  // the style sheet of the window looks at the property
  counts_->style()->polish(counts_);
}

}  // namespace sluice::ui
