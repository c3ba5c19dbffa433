#include "widgets/inspector/inspector.h"

#include <QVBoxLayout>

#include "widgets/common/document_paths.h"
#include "widgets/inspector/node_page.h"
#include "widgets/inspector/parameter_editor.h"
#include "widgets/inspector/stream_page.h"

namespace sluice::ui {

Inspector::Inspector(Catalog catalog, QWidget* parent) : QScrollArea(parent), catalog_(std::move(catalog)) {
  setObjectName(QStringLiteral("inspector"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  rebuild();
}

void Inspector::setDocument(const Document& document) {
  // Names in scope and inputs are part of the editors: only then are they made anew.
  const bool same_scope = document.constants == document_.constants && document.knobs == document_.knobs &&
                          document.inputs == document_.inputs && document.machine == document_.machine;
  document_ = document;
  const Node* node = node_.empty() ? nullptr : findNode(document_, node_);
  const bool gone = (!node_.empty() && !node) || (!stream_.empty() && !findStream(document_, stream_));
  if (gone) return clearSelection();
  if (!same_scope || (node && catalog_.find(node->kind) != shown_spec_)) return rebuild();
  if (page_) page_->showDocument(document_);
}

void Inspector::setResults(const InspectedResults& results) {
  const std::optional<TensorTypes> before = tensorTypes();
  results_ = results;
  if (page_) page_->showResults(results_);
  if (tensorTypes() != before) addTensorTypes();
}

void Inspector::setProblems(const QHash<QString, QList<FieldProblem>>& problems) {
  problems_ = problems;
  if (page_) page_->showProblems(this->problems());
}

QList<FieldProblem> Inspector::problems() const {
  return problems_.value(QString::fromStdString(node_.empty() ? stream_ : node_));
}

void Inspector::setReadOnly(const QHash<QString, QString>& reasons) {
  const QString before = readOnlyReason();
  read_only_ = reasons;
  if (readOnlyReason() != before) rebuild();
}

void Inspector::setTensorTypes(const QHash<QString, TensorTypes>& types) {
  const std::optional<TensorTypes> before = tensorTypes();
  tensor_types_ = types;
  if (tensorTypes() != before) rebuild();
}

std::optional<TensorTypes> Inspector::tensorTypes() const {
  const auto found = tensor_types_.constFind(QString::fromStdString(node_.empty() ? stream_ : node_));
  if (found != tensor_types_.constEnd()) return *found;
  if (!results_.symbolic) return std::nullopt;
  return stream_.empty() ? typesOfNode(*results_.symbolic, node_)
                         : typesOfStream(*results_.symbolic, stream_);
}

void Inspector::addTensorTypes() {
  if (types_box_) {  // its button may be what brought us here
    types_box_->setParent(nullptr);
    types_box_->deleteLater();
  }
  const std::optional<TensorTypes> types = tensorTypes();
  auto* lines = page_ ? qobject_cast<QVBoxLayout*>(page_->layout()) : nullptr;
  if (!types || !lines) return;
  auto* box = new TensorTypesBox(*types);
  types_box_ = box;
  lines->insertWidget(lines->count() - 1, box);  // before the stretch
  connect(box, &TensorTypesBox::orderRequested, this, [this, types] { emit orderRequested(*types); });
}

QString Inspector::readOnlyReason() const {
  return read_only_.value(QString::fromStdString(node_.empty() ? stream_ : node_));
}

void Inspector::selectNode(const QString& path) {
  node_ = path.toStdString();
  stream_.clear();
  rebuild();
}

void Inspector::selectStream(const QString& origin) {
  node_.clear();
  stream_ = origin.toStdString();
  rebuild();
}

void Inspector::clearSelection() {
  node_.clear();
  stream_.clear();
  rebuild();
}

void Inspector::startEditing() {
  for (ParameterEditor* editor : widget()->findChildren<ParameterEditor*>())
    if (editor->isEnabled()) return editor->setFocus(Qt::ShortcutFocusReason);
  setFocus(Qt::ShortcutFocusReason);
}

void Inspector::rebuild() {
  page_ = nullptr;
  shown_spec_ = nullptr;
  if (const Node* node = node_.empty() ? nullptr : findNode(document_, node_)) {
    shown_spec_ = catalog_.find(node->kind);
    auto* page = new NodePage(document_, node_, shown_spec_);
    connect(page, &NodePage::parameterEdited, this, &Inspector::parameterEdited);
    connect(page, &NodePage::countEdited, this, &Inspector::countEdited);
    page_ = page;
  } else if (!stream_.empty() && findStream(document_, stream_)) {
    auto* page = new StreamPage(document_, stream_);
    connect(page, &StreamPage::depthEdited, this, &Inspector::depthEdited);
    page_ = page;
  }
  if (page_) {
    connect(page_, &InspectorPage::fixRequested, this, &Inspector::fixRequested);
    page_->showResults(results_);
    for (const ParameterEditor* editor : page_->findChildren<ParameterEditor*>())
      connect(editor, &ParameterEditor::knobWanted, this, &Inspector::knobWanted);
    page_->showProblems(problems());
  }
  if (const QString why = readOnlyReason(); page_ && !why.isEmpty()) page_->setReadOnly(why);
  addTensorTypes();
  showPage(page_ ? static_cast<QWidget*>(page_) : emptyPage());
}

void Inspector::showPage(QWidget* page) {
  // The old page may be the one whose editor reported the edit that brought us here: it dies later, and
  // silently.
  if (QWidget* old = widget()) {
    disconnect(old, nullptr, this, nullptr);
    takeWidget()->deleteLater();
  }
  setWidget(page);
}

QWidget* Inspector::emptyPage() const {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(12, 10, 12, 10);
  if (!document_.title.empty()) {
    QLabel* title = sectionTitle(QString::fromStdString(document_.title));
    title->setWordWrap(true);
    layout->addWidget(title);
  }
  if (!document_.description.empty()) {
    auto* description = new QLabel(QString::fromStdString(document_.description));
    description->setWordWrap(true);
    layout->addWidget(description);
  }
  layout->addWidget(noteLabel(tr("Click an operator or a stream on the canvas to see and edit it here.")));
  layout->addStretch();
  return page;
}

}  // namespace sluice::ui
