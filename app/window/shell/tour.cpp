#include "app/window/shell/tour.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/plots/pareto_plot.h"

namespace sluice::ui {
namespace {

constexpr std::int64_t row_length = 8;  // tiles of a row of the sample

}  // namespace

Tour::Tour(MainWindow* window, const QString& program)
    : QFrame(window->workspace()->canvas()),
      window_(window),
      program_(program),
      text_(new QLabel),
      count_(new QLabel),
      do_(new QPushButton),
      end_(new QPushButton(tr("End the Tour"))) {
  setObjectName(QStringLiteral("tour"));
  setAccessibleName(tr("Guided tour"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Button);
  setAttribute(Qt::WA_DeleteOnClose);
  text_->setObjectName(QStringLiteral("tourText"));
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  count_->setEnabled(false);
  do_->setObjectName(QStringLiteral("tourDo"));
  end_->setObjectName(QStringLiteral("tourEnd"));
  auto* row = new QHBoxLayout;
  row->addWidget(count_);
  row->addStretch();
  row->addWidget(end_);
  row->addWidget(do_);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text_);
  layout->addLayout(row);
  plan();
  connect(end_, &QPushButton::clicked, this, &QWidget::close);
  connect(do_, &QPushButton::clicked, this, [this] {
    const Stop& stop = stops_[static_cast<std::size_t>(stop_)];
    if (stop.doing) stop.doing();
    if (stop.done)
      check();
    else
      go(stop_ + 1);
  });
  connect(window->workspace()->canvas(), &GraphCanvas::selectionChanged, this, &Tour::check);
  connect(window->session(), &SessionController::pointReady, this,
          [this](const std::shared_ptr<const PointResult>& result) {
            result_ = result;
            check();
          });
  connect(window->session(), &SessionController::exploreReady, this, [this] {
    explored_ = true;
    check();
  });
  window->workspace()->canvas()->installEventFilter(this);
}

bool Tour::start() {
  if (!window_->openFile(program_)) {
    close();
    return false;
  }
  go(0);
  show();
  place();
  raise();
  return true;
}

void Tour::raiseInspector() {
  if (auto* dock = window_->findChild<QDockWidget*>(QStringLiteral("inspectorDock"))) {
    dock->show();
    dock->raise();
  }
}

void Tour::plan() {
  GraphCanvas* canvas = window_->workspace()->canvas();
  stops_ = {
      {tr("<b>A program</b> is a graph: boxes are operators, lines are FIFOs with the type of what they "
          "carry. Click the box <b>exp</b>."),
       tr("Do It"), [canvas] { return canvas->selectedNode() == QStringLiteral("exp"); },
       [this] { window_->jumpTo(QStringLiteral("exp")); }},
      {tr("<b>It does not run.</b> The inspector on the right shows exp, and the diagnostics below report a "
          "deadlock: exp sends every tile two ways, and the division cannot begin before the sum of a whole "
          "row "
          "has arrived on the long way. Click the short way, the line from <b>exp</b> to <b>normalize</b>: "
          "its "
          "FIFO is full."),
       tr("Do It"), [canvas] { return canvas->selectedStream() == QStringLiteral("#normalize.in1"); },
       [this] { window_->jumpTo(QStringLiteral("#normalize.in1")); },
       [this] {
         raiseInspector();
         window_->workspace()->showDiagnostics();
       }},
      {tr("<b>Fix it.</b> The short way must hold a row of 8 tiles, but it has room for 2. Set the knob "
          "<b>depth</b> on the left to 8 or more, and watch the graph."),
       tr("Do It"), [this] { return result_ && result_->point.state == PointState::Done; },
       [this] {
         KnobValues knobs = window_->documents()->knobs();
         knobs[std::string("depth")] = row_length;
         window_->documents()->setKnobs(knobs, tr("Turn depth"));
       }},
      {tr("<b>It runs.</b> Cycles, traffic and memory stand at the top. A deeper FIFO takes more memory, but "
          "does it save time? How deep is best? Press <b>F5</b> to try every depth."),
       tr("Do It"), [this] { return explored_; }, [this] { window_->session()->explore(); }},
      {tr("<b>Three depths are worth having.</b> The plot shows cycles against FIFO memory. Depth 8 takes "
          "the "
          "least memory; 9 and 10 are faster, because tiles of the next row need not wait for the sum. "
          "Beyond 10 "
          "there is only more memory. Double-click a point on the line to set its knobs. Ctrl+Z undoes each "
          "step, Ctrl+K finds every command."),
       tr("Done"), nullptr, nullptr, [this] {
         window_->workspace()->explorer()->pareto()->setMetrics(QStringLiteral("fifo_bytes"),
                                                                QStringLiteral("cycles"));
       }}};
}

void Tour::check() {
  if (stop_ < 0 || stop_ >= stops()) return;
  const Stop& stop = stops_[static_cast<std::size_t>(stop_)];
  if (stop.done && stop.done()) go(stop_ + 1);
}

void Tour::go(int stop) {
  stop_ = stop;
  if (stop_ >= stops()) {
    emit finished();
    close();
    return;
  }
  const Stop& here = stops_[static_cast<std::size_t>(stop_)];
  if (here.entering) here.entering();
  text_->setText(here.text);
  setAccessibleDescription(here.text);
  do_->setText(here.button);
  count_->setText(tr("%1 of %2").arg(stop_ + 1).arg(stops()));
  place();
}

void Tour::place() {
  resize(440, 10);
  layout()->activate();
  resize(440, layout()->totalHeightForWidth(440));
  move(14, parentWidget()->height() - height() - 14);
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace sluice::ui
