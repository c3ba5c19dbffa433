#include "app/window/run/status_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QStyle>
#include <QToolButton>

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

}  // namespace

StatusPanel::StatusPanel(SessionController* session, QWidget* window)
    : QStatusBar(nullptr),  // no child yet: the window's first focus is not for its buttons
      message_(new QLabel),
      bar_(new QProgressBar),
      left_(new QLabel),
      cancel_(new QToolButton),
      counts_(new QToolButton) {
  setObjectName(QStringLiteral("statusPanel"));
  setSizeGripEnabled(false);
  message_->setObjectName(QStringLiteral("statusMessage"));
  message_->setContentsMargins(10, 0, 0, 0);
  message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // never forces the window to grow
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
  connect(session, &SessionController::exploreStarted, this, [this] {
    exploring_ = true;
    patience_.stop();
    showRunning(tr("Exploring"), 0, -1);
  });
  connect(session, &SessionController::pointsExplored, this,
          [this](const std::vector<DesignPoint>&, const ExploreProgress& progress) {
            const double total = std::max<double>(1, static_cast<double>(progress.total));
            showRunning(tr("Exploring: %1 of %2 points")
                            .arg(exactNumber(progress.evaluated), exactNumber(progress.total)),
                        static_cast<double>(progress.evaluated) / total, progress.seconds_left);
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
  message_->setToolTip({});
  bar_->setValue(static_cast<int>(fraction * 1000));
  left_->setText(seconds_left >= 0 ? tr("%1 left").arg(durationText(seconds_left)) : QString());
  bar_->show();
  left_->show();
  cancel_->show();
}

/// A mistake comes before what was computed last.
void StatusPanel::tell() {
  message_->setText(problem_.isEmpty() ? done_ : QStringLiteral("\u2716 ") + problem_);
  message_->setToolTip(problem_.isEmpty() ? done_ : problem_);
}

void StatusPanel::setProblem(const QString& problem) {
  problem_ = problem;
  if (bar_->isHidden()) tell();
}

void StatusPanel::showDone(const QString& what) {
  patience_.stop();
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
