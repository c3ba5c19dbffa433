#include "widgets/inspector/stream_page.h"

#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/field_spec.h"

namespace sluice::ui {
namespace {

QLabel* row(QFormLayout& form, const QString& title, const QString& name) {
  QLabel* value = valueLabel(name);
  form.addRow(title, value);
  return value;
}

}  // namespace

StreamPage::StreamPage(const Document& document, std::string origin, QWidget* parent)
    : InspectorPage(parent), origin_(std::move(origin)), ends_(new QLabel) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 10, 12, 10);
  layout->setSpacing(6);
  QFont bold = ends_->font();
  bold.setBold(true);
  ends_->setFont(bold);
  ends_->setObjectName(QStringLiteral("inspectedName"));
  ends_->setWordWrap(true);
  layout->addWidget(ends_);
  layout->addWidget(noteLabel(tr("Stream  \u00b7  a bounded FIFO")));

  layout->addWidget(sectionTitle(tr("FIFO")));
  QFormLayout* form = sectionForm();
  ParameterSpec spec = specOf(&Stream::depth);
  spec.initial = document.machine.fifo_depth;
  depth_ = new ParameterEditor(spec, {namesInScope(document, origin_), {}, true});
  form->addRow(tr("depth\n(tokens)"), depth_);
  layout->addLayout(form);
  machine_depth_ = new QPushButton(tr("Use the machine's depth"));
  machine_depth_->setObjectName(QStringLiteral("machineDepth"));
  layout->addWidget(machine_depth_);

  layout->addWidget(sectionTitle(tr("Type")));
  form = sectionForm();
  shape_ = row(*form, tr("Shape"), QStringLiteral("streamShape"));
  element_ = row(*form, tr("Element"), QStringLiteral("streamElement"));
  size_ = row(*form, tr("Size"), QStringLiteral("streamSize"));
  layout->addLayout(form);

  layout->addWidget(sectionTitle(tr("Simulated")));
  form = sectionForm();
  instances_ = row(*form, tr("Instances"), QStringLiteral("streamInstances"));
  tokens_ = row(*form, tr("Tokens"), QStringLiteral("streamTokens"));
  fullest_ = row(*form, tr("Fullest"), QStringLiteral("streamFullest"));
  layout->addLayout(form);
  layout->addStretch();
  connect(depth_, &ParameterEditor::edited, this, [this] {
    emit depthEdited({qt(origin_), depth_->value()});
  });
  connect(machine_depth_, &QPushButton::clicked, this, [this] {
    emit depthEdited({qt(origin_), std::nullopt});
  });
  showDocument(document);
}

void StreamPage::showDocument(const Document& document) {
  const Stream* stream = findStream(document, origin_);
  if (!stream) return;
  ends_->setText(qt(sluice::text(stream->from)) + QStringLiteral("  \u2192  ") +
                 qt(sluice::text(stream->to)));
  depth_->setValue(stream->depth);
  machine_depth_->setEnabled(stream->depth.has_value() && !readOnly());
}

void StreamPage::showResults(const InspectedResults& results) {
  for (QLabel* label : {shape_, element_, size_, instances_, tokens_, fullest_})
    label->setText(QStringLiteral("\u2013"));
  if (results.symbolic) showTypes(*results.symbolic);
  showCounts(results);
}

void StreamPage::showTypes(const SymbolicResult& symbolic) {
  const auto& streams = symbolic.graph.streams;
  const auto found = std::find_if(streams.begin(), streams.end(),
                                  [this](const FlatStream& stream) { return stream.origin == origin_; });
  const auto index = static_cast<std::size_t>(found - streams.begin());
  if (index >= symbolic.inference.streams.size()) return;
  const StreamType& type = symbolic.inference.streams[index];
  shape_->setText(qt(sluice::text(type.shape)));
  element_->setText(qt(sluice::text(type.element)));
  const Expr size = sizeOf(type.element);
  const auto bytes = size.constant();
  size_->setText(bytes ? tr("%1 an element").arg(bytesText(*bytes))
                       : tr("%1 bytes an element").arg(formulaText(size)));
}

void StreamPage::showCounts(const InspectedResults& results) {
  for (QLabel* label : {instances_, tokens_, fullest_}) label->setEnabled(!results.stale);
  if (!results.simulated) return;
  const FlatGraph& graph = results.simulated->symbolic.graph;
  const auto& stats = results.simulated->simulation.streams;
  std::uint64_t count = 0, tokens = 0, fullest = 0, depth = 0;
  for (std::size_t index = 0; index < std::min(graph.streams.size(), stats.size()); ++index) {
    if (graph.streams[index].origin != origin_ || feedsInferredBroadcast(graph, graph.streams[index]))
      continue;
    ++count;
    tokens += stats[index].tokens;
    if (depth == 0 || stats[index].max_occupancy > fullest) depth = graph.streams[index].depth;
    fullest = std::max(fullest, stats[index].max_occupancy);
  }
  instances_->setText(QString::number(count));
  tokens_->setText(exactNumber(tokens));
  fullest_->setText(tr("%1 of %2 tokens%3")
                        .arg(fullest)
                        .arg(depth)
                        .arg(fullest >= depth && depth > 0 ? tr(" (full)") : QString()));
}

}  // namespace sluice::ui
