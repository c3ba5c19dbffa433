#include "widgets/inspector/node_page.h"

#include <QVBoxLayout>
#include <cmath>

#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/field_spec.h"
#include "widgets/inspector/stall_bar.h"

namespace sluice::ui {
namespace {

EditorScope scopeOf(const Document& document, const std::string& path) {
  EditorScope scope{namesInScope(document, path), {}, true};
  for (const Input& input : document.inputs) scope.inputs.push_back(input.name);
  return scope;
}

/// Positions in the flat graph of the instances of a node, or of everything inside a region.
std::vector<std::size_t> instancesOf(const FlatGraph& graph, const std::string& path) {
  std::vector<std::size_t> found;
  for (std::size_t index = 0; index < graph.operators.size(); ++index) {
    const FlatOperator& op = graph.operators[index];
    if (isWithin(op.origin, path) && !isInferredBroadcast(op)) found.push_back(index);
  }
  return found;
}

/// "4*D*F = 32.8 MB": the formula of one, the value of all.
QString costText(const Expr& formula, double value, const QString& unit, std::size_t instances,
                 bool one_kind) {
  QString number = text(quantity(value, unit));
  if (!one_kind || formula.constant()) return number;
  const QString times = instances > 1
                            ? QStringLiteral("%1 \u00d7 (%2)").arg(instances).arg(formulaText(formula))
                            : formulaText(formula);
  return number + QStringLiteral("\n= ") + times;
}

}  // namespace

NodePage::NodePage(const Document& document, std::string path, const OperatorSpec* spec, QWidget* parent)
    : InspectorPage(parent), path_(std::move(path)), spec_(spec) {
  const Node* node = findNode(document, path_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 10, 12, 10);
  layout->setSpacing(6);
  if (!node) return;
  addHeader(*node, *layout);
  if (spec_) addParameters(document, *layout);
  if (node->body) addRegion(document, *node->body, *layout);
  if (spec_) addPorts(*layout);
  addCosts(*layout);
  layout->addStretch();
  showDocument(document);
}

void NodePage::addHeader(const Node& node, QVBoxLayout& layout) {
  auto* name = new QLabel(qt(path_));
  name->setObjectName(QStringLiteral("inspectedName"));
  QFont large = name->font();
  large.setBold(true);
  large.setPointSizeF(large.pointSizeF() * 1.25);
  name->setFont(large);
  name->setTextInteractionFlags(Qt::TextSelectableByMouse);
  name->setWordWrap(true);
  layout.addWidget(name);
  QString kind = qt(node.kind);
  if (spec_ && !spec_->paper.empty()) kind += QStringLiteral("  \u00b7  ") + qt(spec_->paper);
  layout.addWidget(noteLabel(kind));
  if (spec_) {
    auto* summary = new QLabel(qt(spec_->summary));
    summary->setWordWrap(true);
    layout.addWidget(summary);
  } else if (!node.body) {
    layout.addWidget(noteLabel(tr("This kind of operator is not known.")));
  }
}

void NodePage::addParameters(const Document& document, QVBoxLayout& layout) {
  if (spec_->parameters.empty()) return;
  layout.addWidget(sectionTitle(tr("Parameters")));
  QFormLayout* form = sectionForm();
  const EditorScope scope = scopeOf(document, path_);
  for (const ParameterSpec& parameter : spec_->parameters) {
    auto* editor = new ParameterEditor(parameter, scope);
    connect(editor, &ParameterEditor::edited, this, [this, editor, name = qt(parameter.name)] {
      emit parameterEdited({qt(path_), name, *editor->value()});
    });
    auto* text = new QLabel(withUnit(qt(parameter.name), parameter.unit));
    text->setToolTip(qt(helpWithRange(parameter)));
    text->setBuddy(editor);
    form->addRow(text, editor);
    editors_[parameter.name] = editor;
  }
  layout.addLayout(form);
}

void NodePage::addRegion(const Document& document, const Region& region, QVBoxLayout& layout) {
  layout.addWidget(noteLabel(tr("A region of %1 nodes and %2 streams, instantiated as a whole.")
                                 .arg(region.body.nodes.size())
                                 .arg(region.body.streams.size())));
  layout.addWidget(sectionTitle(tr("Parameters")));
  QFormLayout* form = sectionForm();
  count_ = new ParameterEditor(specOf(&Region::count), scopeOf(document, path_));
  connect(count_, &ParameterEditor::edited, this, [this] {
    emit countEdited({qt(path_), QStringLiteral("count"), *count_->value()});
  });
  form->addRow(tr("Count"), count_);
  if (!region.index.empty()) form->addRow(tr("Index"), new QLabel(qt(region.index)));
  layout.addLayout(form);
}

void NodePage::addPorts(QVBoxLayout& layout) {
  layout.addWidget(sectionTitle(tr("Ports")));
  QFormLayout* form = sectionForm();
  const auto add = [&](const PortSpec& port, const QString& shown, const std::string& key) {
    QLabel* type = valueLabel(QStringLiteral("port.") + qt(port.name));
    auto* label = new QLabel(shown.arg(qt(port.name) + (port.width.empty() ? "" : "[ ]")));
    label->setToolTip(qt(port.help));
    form->addRow(label, type);
    ports_[key + port.name] = type;
  };
  for (const PortSpec& port : spec_->inputs) add(port, QStringLiteral("\u2192 %1"), "in.");
  for (const PortSpec& port : spec_->outputs) add(port, QStringLiteral("%1 \u2192"), "out.");
  layout.addLayout(form);
}

void NodePage::addCosts(QVBoxLayout& layout) {
  layout.addWidget(sectionTitle(tr("Cost")));
  QFormLayout* form = sectionForm();
  const auto add = [&](const QString& title, const QString& name) {
    QLabel* value = valueLabel(name);
    form->addRow(title, value);
    return value;
  };
  instances_ = add(tr("Instances"), QStringLiteral("costInstances"));
  on_chip_ = add(tr("On-chip"), QStringLiteral("costOnChip"));
  off_chip_ = add(tr("Off-chip"), QStringLiteral("costOffChip"));
  flops_ = add(tr("FLOPs"), QStringLiteral("costFlops"));
  compute_ = add(tr("Compute"), QStringLiteral("costCompute"));
  layout.addLayout(form);
  layout.addWidget(sectionTitle(tr("Time")));
  stalls_ = new StallBar;
  layout.addWidget(stalls_);
}

void NodePage::showDocument(const Document& document) {
  const Node* node = findNode(document, path_);
  if (!node) return;
  for (const auto& [name, editor] : editors_) {
    const auto found = node->parameters.find(name);
    editor->setValue(found == node->parameters.end() ? std::nullopt : std::optional<Value>(found->second));
  }
  if (count_ && node->body) count_->setValue(node->body->count);
}

void NodePage::showResults(const InspectedResults& results) {
  if (results.symbolic) {
    showPorts(*results.symbolic);
    showCosts(*results.symbolic);
  } else {
    for (const auto& [name, label] : ports_) label->setText(QStringLiteral("\u2013"));
    for (QLabel* label : {on_chip_, off_chip_, flops_, compute_, instances_})
      label->setText(QStringLiteral("\u2013"));
  }
  showStalls(results);
}

void NodePage::showPorts(const SymbolicResult& symbolic) {
  const std::vector<std::size_t> instances = instancesOf(symbolic.graph, path_);
  if (!spec_ || instances.empty()) return;
  const FlatOperator& op = symbolic.graph.operators[instances.front()];
  const auto type_of = [&](StreamId stream) {
    return stream < symbolic.inference.streams.size() ? qt(sluice::text(symbolic.inference.streams[stream]))
                                                      : QStringLiteral("\u2013");
  };
  // Ports stand in spec order with bundles spread out, so a single bundle takes what the other ports leave
  // over.
  const auto show = [&](const std::vector<PortSpec>& specs, const std::vector<StreamId>& streams,
                        const std::string& key) {
    std::size_t at = 0;
    for (const PortSpec& port : specs) {
      const std::size_t width = port.width.empty() ? 1 : streams.size() + 1 - specs.size();
      QString type = at < streams.size() ? type_of(streams[at]) : QStringLiteral("\u2013");
      if (!port.width.empty() && width > 1) type = QStringLiteral("%1 \u00d7 %2").arg(width).arg(type);
      ports_.at(key + port.name)->setText(type);
      at += width;
    }
  };
  show(spec_->inputs, op.inputs, "in.");
  show(spec_->outputs, op.outputs, "out.");
}

void NodePage::showCosts(const SymbolicResult& symbolic) {
  const std::vector<std::size_t> instances = instancesOf(symbolic.graph, path_);
  if (instances.empty() || symbolic.operators.size() != symbolic.inference.operators.size()) return;
  double on_chip = 0, off_chip = 0, flops = 0;
  for (const std::size_t index : instances) {
    const CostValues& values = symbolic.operators[index];
    const double unknown = std::nan("");
    on_chip += values.on_chip_bytes.value_or(unknown);
    off_chip += values.off_chip_bytes.value_or(unknown);
    flops += values.flops.value_or(unknown);
  }
  const Cost& cost = symbolic.inference.operators[instances.front()];
  const bool one_kind = spec_ != nullptr;
  const auto bytes = QStringLiteral("bytes");
  on_chip_->setText(costText(cost.on_chip_bytes, on_chip, bytes, instances.size(), one_kind));
  off_chip_->setText(costText(cost.off_chip_bytes, off_chip, bytes, instances.size(), one_kind));
  flops_->setText(costText(cost.flops, flops, QStringLiteral("FLOPs"), instances.size(), one_kind));
  compute_->setText(one_kind ? tr("%1 FLOP/cycle").arg(formulaText(cost.compute)) : QStringLiteral("\u2013"));
  instances_->setText(QString::number(instances.size()));
}

void NodePage::showStalls(const InspectedResults& results) {
  stalls_->setStale(results.stale);
  if (!results.simulated) return stalls_->setStats({}, 0);
  const SimulationResult& simulation = results.simulated->simulation;
  OperatorStats sum;
  std::size_t count = 0;
  for (const std::size_t index : instancesOf(results.simulated->symbolic.graph, path_)) {
    if (index >= simulation.operators.size()) continue;
    const OperatorStats& stats = simulation.operators[index];
    sum.busy += stats.busy;
    sum.blocked_on_input += stats.blocked_on_input;
    sum.blocked_on_output += stats.blocked_on_output;
    ++count;
  }
  stalls_->setStats(sum, simulation.cycles * count);
}

}  // namespace sluice::ui
