#include "app/window/explore/frontier_dialog.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "widgets/common/diagnostic_text.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/deadlock/frontier_plot.h"
#include "widgets/export/export.h"

namespace sluice::ui {
namespace {

constexpr std::chrono::milliseconds search_time{60000};
constexpr int default_depth = 12, most_depth = 64;

FrontierPicture pictureOf(const DepthFrontier& frontier) {
  FrontierPicture picture{qt(shortStreamName(frontier.first.stream)),
                          qt(shortStreamName(frontier.second.stream)),
                          static_cast<int>(frontier.first.depth),
                          static_cast<int>(frontier.second.depth),
                          static_cast<int>(frontier.up_to),
                          {},
                          {}};
  for (int a = 1; a <= picture.up_to; ++a)
    for (int b = 1; b <= picture.up_to; ++b)
      picture.cells << FrontierCell{
          a, b, frontier.endsAt(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b))};
  for (const DepthFrontier::Corner& corner : frontier.corners)
    picture.corners << FrontierCorner{static_cast<int>(corner.first), static_cast<int>(corner.second),
                                      corner.bytes, static_cast<qint64>(corner.cycles)};
  return picture;
}

}  // namespace

FrontierDialog::FrontierDialog(QWidget* parent)
    : QDialog(parent),
      first_(new QComboBox),
      second_(new QComboBox),
      up_to_(new QSpinBox),
      plot_(new FrontierPlot),
      status_(new QLabel),
      bar_(new QProgressBar),
      cancel_(new QPushButton(tr("Stop"))),
      export_(new QPushButton(tr("E&xport…"))) {
  setObjectName(QStringLiteral("frontierDialog"));
  setWindowTitle(tr("What depth separates the two?"));
  build();
  progress_.setInterval(50);
  connect(&progress_, &QTimer::timeout, this,
          [this] { status_->setText(tr("%1 runs…").arg(runs_->load())); });
  for (QComboBox* combo : {first_, second_})
    connect(combo, &QComboBox::currentIndexChanged, this, [this] { compute(); });
  connect(up_to_, &QSpinBox::valueChanged, this, [this] { compute(); });
  connect(cancel_, &QPushButton::clicked, this, [this] { work_.stop(); });
  connect(&work_, &BackgroundWork::failed, this,
          [this](const Diagnostic& why) { showFrontier(Result<DepthFrontier>(why)); });
  connect(export_, &QPushButton::clicked, this, &FrontierDialog::exportWithDialog);
  resize(720, 640);
}

void FrontierDialog::build() {
  first_->setObjectName(QStringLiteral("frontierFirst"));
  second_->setObjectName(QStringLiteral("frontierSecond"));
  up_to_->setObjectName(QStringLiteral("frontierUpTo"));
  up_to_->setRange(2, most_depth);
  up_to_->setValue(default_depth);
  up_to_->setKeyboardTracking(false);
  status_->setObjectName(QStringLiteral("frontierStatus"));
  status_->setWordWrap(true);
  bar_->setRange(0, 0);
  bar_->setFixedHeight(8);
  bar_->setAccessibleName(tr("Runs with other depths"));
  export_->setAutoDefault(false);
  cancel_->setAutoDefault(false);
  auto* form = new QFormLayout;
  form->addRow(tr("&First FIFO"), first_);
  form->addRow(tr("&Second FIFO"), second_);
  form->addRow(tr("Depths &up to"), up_to_);
  auto* row = new QHBoxLayout;
  row->addWidget(status_, 1);
  row->addWidget(bar_);
  row->addWidget(cancel_);
  row->addWidget(export_);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(plot_, 1);
  layout->addLayout(row);
}

void FrontierDialog::setPoint(std::shared_ptr<const Workload> workload,
                              std::shared_ptr<const PointResult> point,
                              const std::vector<std::string>& pair) {
  workload_ = std::move(workload);
  point_ = std::move(point);
  filling_ = true;
  for (QComboBox* combo : {first_, second_}) combo->clear();
  for (const DepthFrontier::Axis& axis : depthAxes(*workload_, *point_))
    for (QComboBox* combo : {first_, second_})
      combo->addItem(qt(shortStreamName(axis.stream)), qt(axis.origin));
  const auto choose = [](QComboBox* combo, int fallback, const std::string* origin) {
    const int found = origin ? combo->findData(qt(*origin)) : -1;
    combo->setCurrentIndex(found >= 0 ? found : std::min(fallback, combo->count() - 1));
  };
  choose(first_, 0, pair.empty() ? nullptr : &pair[0]);
  choose(second_, first_->currentIndex() == 0 ? 1 : 0, pair.size() < 2 ? nullptr : &pair[1]);
  filling_ = false;
  compute();
}

void FrontierDialog::compute() {
  if (filling_ || !point_ || first_->count() == 0) return;
  computing_ = true;
  runs_ = std::make_shared<std::atomic<std::size_t>>(0);
  progress_.start();
  bar_->setVisible(true);
  cancel_->setVisible(true);
  SearchBudget budget;
  budget.time = search_time;
  budget.progress = [runs = runs_](const SearchProgress& now) { *runs = now.runs; };
  work_.ask([this, budget, workload = workload_, point = point_,
             first = first_->currentData().toString().toStdString(),
             second = second_->currentData().toString().toStdString(),
             up_to = static_cast<std::uint64_t>(up_to_->value())](
                const std::stop_token& stop) mutable -> BackgroundWork::Answer {
    budget.stop = stop;
    const Result<DepthFrontier> frontier = depthFrontier(*workload, *point, first, second, up_to, budget);
    return [this, frontier] { showFrontier(frontier); };
  });
}

void FrontierDialog::showFrontier(const Result<DepthFrontier>& frontier) {
  computing_ = false;
  progress_.stop();
  bar_->setVisible(false);
  cancel_->setVisible(false);
  if (!frontier) {
    plot_->clear(inlineText(frontier.diagnostics().front()));
    return status_->clear();
  }
  plot_->setPicture(pictureOf(*frontier));
  QString text = tr("%1 runs.").arg(frontier->runs);
  if (frontier->corners.empty()) {
    text += tr(" No depths up to %1 of these two let the run end.").arg(frontier->up_to);
  } else {
    const auto cheapest = std::min_element(
        frontier->corners.begin(), frontier->corners.end(),
        [](const DepthFrontier::Corner& a, const DepthFrontier::Corner& b) { return a.bytes < b.bytes; });
    text += tr(" The cheapest that ends: %1 and %2, %3 cycles.")
                .arg(cheapest->first)
                .arg(cheapest->second)
                .arg(exactNumber(cheapest->cycles));
  }
  if (!frontier->monotone) text += tr(" Here the order of arrival matters: every cell was run.");
  if (frontier->gave_up) text += tr(" Stopped before all cells were known; the rest is shown as locked.");
  status_->setText(text);
}

bool FrontierDialog::exportPlotTo(const QString& file) {
  const auto format = formatOf(file.toStdString());
  const Result<Done> written =
      format ? exportPlot(*plot_, file.toStdString(), *format, {single_column, single_column})
             : Result<Done>(error("unknown-file-suffix", file.toStdString(),
                                  "the name does not say which format is wanted",
                                  "end it with .pdf, .svg, .png or .csv"));
  status_->setText(written ? tr("Wrote %1").arg(file) : inlineText(written.diagnostics().front()));
  return static_cast<bool>(written);
}

void FrontierDialog::exportWithDialog() {
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Export the frontier"), QStringLiteral("depth-frontier.pdf"),
                                   QStringLiteral("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;CSV (*.csv)"));
  if (!file.isEmpty()) exportPlotTo(file);
}

}  // namespace sluice::ui
