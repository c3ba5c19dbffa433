#include "widgets/fifos/token_curve_page.h"

#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>
#include <limits>

#include "widgets/common/trust_line.h"
#include "widgets/fifos/fifo_fields.h"
#include "widgets/fifos/kernel_fields.h"
#include "widgets/inspector/page.h"
#include "widgets/plots/token_curve_plot.h"

namespace sluice::ui {
namespace {

/// Figure 8(a) of StreamTensor: 5 tokens, the consumer half as fast.
const TokenCurve first_producer{3, {1, 1}, 5}, first_consumer{2, {2, 1}, 5};

}  // namespace

TokenCurvePage::TokenCurvePage(QWidget* parent)
    : QWidget(parent),
      producer_(new KernelFields(tr("Producer"), QStringLiteral("producer"))),
      consumer_(new KernelFields(tr("Consumer"), QStringLiteral("consumer"))),
      fifo_(new FifoFields(Qt::Vertical)),
      delay_(new QSpinBox),
      longest_(new QSpinBox),
      plot_(new TokenCurvePlot) {
  setObjectName(QStringLiteral("tokenCurvePage"));
  plot_->setToolTip(modelOnly());
  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(12, 10, 12, 10);
  column->addWidget(buildFields());
  column->addWidget(buildResults());
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidget(left);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumWidth(270);
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setHandleWidth(1);
  parts->setChildrenCollapsible(false);
  parts->addWidget(scroll);
  parts->addWidget(plot_);
  parts->setStretchFactor(1, 1);
  parts->setSizes({310, 900});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(parts);
  producer_->setCurve(first_producer);
  consumer_->setCurve(first_consumer);
  for (KernelFields* fields : {producer_, consumer_})
    connect(fields, &KernelFields::edited, this, &TokenCurvePage::edit);
  connect(fifo_, &FifoFields::edited, this, &TokenCurvePage::edit);
  connect(longest_, &QSpinBox::valueChanged, this, &TokenCurvePage::edit);
  connect(delay_, &QSpinBox::valueChanged, this, &TokenCurvePage::edit);
  connect(plot_, &TokenCurvePlot::delayChanged, this,
          [this](qint64 delay) { delay_->setValue(spinValue(delay)); });
  compute();
}

QWidget* TokenCurvePage::buildFields() {
  delay_->setObjectName(QStringLiteral("streamDelay"));
  delay_->setAccessibleName(tr("Delay from the producer's start to the consumer's"));
  delay_->setToolTip(tr("From the producer's start to the consumer's; drag it in the plot"));
  longest_->setObjectName(QStringLiteral("longestLatency"));
  longest_->setAccessibleName(tr("Longest latency of the design"));
  longest_->setRange(0, std::numeric_limits<int>::max());
  longest_->setSpecialValueText(tr("of these two"));
  longest_->setToolTip(tr("What conservative intervals stretch all kernels to"));
  auto* fifo = new QGroupBox(tr("FIFO"));
  auto* inside = new QVBoxLayout(fifo);
  auto* form = new QFormLayout;
  form->setVerticalSpacing(4);
  form->addRow(tr("&Delay"), delay_);
  form->addRow(tr("&Longest latency"), longest_);
  inside->addLayout(form);
  inside->addWidget(fifo_);
  auto* fields = new QWidget;
  auto* layout = new QVBoxLayout(fields);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(producer_);
  layout->addWidget(consumer_);
  layout->addWidget(fifo);
  return fields;
}

QLabel* TokenCurvePage::result(QFormLayout& form, const QString& title, const char* name) {
  QLabel* label = valueLabel(QString::fromLatin1(name));
  label->setAccessibleName(title);
  form.addRow(title, label);
  return label;
}

QWidget* TokenCurvePage::buildResults() {
  auto* box = new QGroupBox(tr("At most in the FIFO"));
  auto* form = sectionForm();
  form->setContentsMargins(9, 6, 9, 6);
  form->setVerticalSpacing(4);
  equation_one_ = result(*form, tr("Equation 1"), "equationOne");
  equation_two_ = result(*form, tr("Equation 2"), "equationTwo");
  peak_ = result(*form, tr("Exact peak"), "exactPeak");
  depth_ = result(*form, tr("Depth"), "recommendedDepth");
  most_ = result(*form, tr("It allows"), "longestDelay");
  scheduled_ = result(*form, tr("Scheduled"), "scheduledIntervals");
  box->setLayout(form);
  return box;
}

void TokenCurvePage::setStream(const TimedGraph& graph, std::size_t stream, std::int64_t delay,
                               const FifoBehaviour& fifo, Equalisation equalisation) {
  const TimedStream& chosen = graph.streams[stream];
  std::int64_t longest = 0;
  for (const TimedKernel& kernel : graph.kernels) longest = std::max(longest, latency(kernel.curve));
  {
    const QSignalBlocker quiet_longest(longest_), quiet_delay(delay_);
    producer_->setCurve(graph.kernels[chosen.producer].curve);
    consumer_->setCurve(graph.kernels[chosen.consumer].curve);
    producer_->setTitle(tr("Producer: %1").arg(QString::fromStdString(graph.kernels[chosen.producer].name)));
    consumer_->setTitle(tr("Consumer: %1").arg(QString::fromStdString(graph.kernels[chosen.consumer].name)));
    fifo_->set(fifo, equalisation);
    longest_->setValue(spinValue(longest));
    delay_->setRange(0, std::numeric_limits<int>::max());
    delay_->setValue(spinValue(delay));
  }
  compute();
  edited_ = false;
}

void TokenCurvePage::edit() {
  edited_ = true;
  compute();
}

void TokenCurvePage::compute() {
  TimedGraph graph;
  graph.kernels = {{"producer", producer_->curve(), true}, {"consumer", consumer_->curve(), true}};
  graph.streams = {{0, 1, producer_->curve().tokens, 32}};
  if (const Diagnostics wrong = check(graph); !wrong.empty()) {
    plot_->clear(QString::fromStdString(wrong.front().cause + "\n" + wrong.front().fix));
    for (QLabel* label : {equation_one_, equation_two_, peak_, depth_, most_, scheduled_})
      label->setText(QStringLiteral("\u2013"));
    return;
  }
  std::vector<TokenCurve> curves{producer_->curve(), consumer_->curve()};
  const bool conservative = fifo_->equalisation() == Equalisation::Conservative;
  longest_->setEnabled(conservative);
  if (conservative) {
    const std::int64_t at =
        std::max({static_cast<std::int64_t>(longest_->value()), latency(curves[0]), latency(curves[1])});
    for (TokenCurve& curve : curves) curve = stretched(curve, at);
  }
  timing_ = timingOf(graph.streams[0], curves, 0);
  const FifoBehaviour fifo = fifo_->fifo();
  {
    // Before the first token can be there no start makes sense, and after the last one none makes a
    // difference.
    const QSignalBlocker quiet(delay_);
    const std::int64_t least = timing_.production.initial_delay + fifo.hop_latency;
    const std::int64_t most = latency(timing_.production) + cyclesOf(1, timing_.production.interval) + 1;
    delay_->setRange(spinValue(least), spinValue(std::max(least, most)));
    timing_.delay = delay_->value();
  }
  plot_->setStream(timing_, fifo);
  showResults();
}

void TokenCurvePage::showResults() {
  const FifoBehaviour fifo = fifo_->fifo();
  const MaximumOccupancy used = maximumOccupancy(timing_);
  const QString mark = tr("%1  (used)"), plain = QStringLiteral("%1");
  equation_one_->setText(
      (used.equation == OccupancyEquation::One ? mark : plain).arg(occupancyEquation1(timing_)));
  equation_two_->setText(
      (used.equation == OccupancyEquation::Two ? mark : plain).arg(occupancyEquation2(timing_)));
  equation_one_->setToolTip(tr("Used where the producer is faster: the peak at the last push"));
  equation_two_->setToolTip(tr("Used otherwise: the peak when the consumer starts"));
  peak_->setText(QString::number(peakOccupancy(timing_, fifo)));
  const std::int64_t depth = recommendedDepth(timing_, fifo);
  depth_->setText(tr("%1 tokens").arg(depth));
  depth_->setToolTip(tr("One more than the larger of both, at least 2"));
  const auto most = longestDelay(timing_, fifo, depth);
  most_->setText(most ? tr("delays up to %1").arg(*most) : tr("any delay"));
  scheduled_->setText(
      tr("II %1 to %2").arg(intervalText(timing_.production.interval), intervalText(timing_.consumption)));
}

}  // namespace sluice::ui
