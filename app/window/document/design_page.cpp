#include "app/window/document/design_page.h"

#include <QFileDialog>
#include <QVBoxLayout>

#include "app/window/document/document_controller.h"
#include "app/window/edit/symbol_edits.h"
#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "widgets/common/document_paths.h"
#include "widgets/design/constants_editor.h"
#include "widgets/design/inputs_editor.h"
#include "widgets/design/machine_editor.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {

DesignPage::DesignPage(DocumentController* documents, QWidget* parent)
    : QWidget(parent),
      documents_(documents),
      constants_(new ConstantsEditor),
      machine_(new MachineEditor),
      inputs_(new InputsEditor) {
  setObjectName(QStringLiteral("designPage"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 4, 12, 10);
  layout->addWidget(sectionTitle(tr("Constants")));
  layout->addWidget(constants_);
  layout->addWidget(sectionTitle(tr("Inputs")));
  layout->addWidget(inputs_);
  layout->addWidget(sectionTitle(tr("Machine")));
  layout->addWidget(machine_);
  layout->addStretch(1);
  connect(machine_, &MachineEditor::edited, this, [this](const QString& what) {
    documents_->edit(tr("Set %1").arg(what),
                     [this](Document& document) { document.machine = machine_->machine(); });
  });
  connect(constants_, &ConstantsEditor::edited, this, [this](const QString& what) {
    documents_->edit(tr("Set %1").arg(what),
                     [this](Document& document) { document.constants = constants_->constants(); });
  });
  connect(inputs_, &InputsEditor::edited, this, [this](const QString& what) {
    documents_->edit(tr("Set %1").arg(what),
                     [this](Document& document) { document.inputs = inputs_->inputs(); });
  });
  connect(inputs_, &InputsEditor::renamed, this,
          [this](const QString& from, const QString& to) { rename(from.toStdString(), to.toStdString()); });
  connect(inputs_, &InputsEditor::fileWanted, this, &DesignPage::chooseTrace);
  setEnabled(false);
}

void DesignPage::setDocument(const Document& document) {
  setEnabled(documents_->hasDocument());
  constants_->setConstants(document.constants, namesInScope(document, {}));
  inputs_->setInputs(document.inputs);
  machine_->setMachine(document.machine, namesInScope(document, {}));
}

void DesignPage::rename(const std::string& from, const std::string& to) {
  documents_->edit(tr("Rename %1").arg(QString::fromStdString(from)),
                   [&](Document& document) { renameInput(document, from, to); });
}

void DesignPage::chooseTrace(int input) {
  const QString folder = QString::fromStdString(documents_->folder().string());
  const QString file = QFileDialog::getOpenFileName(this, tr("Choose a trace"), folder,
                                                    tr("Traces (*.npy *.npz *.json);;All files (*)"));
  if (!file.isEmpty()) useTrace(input, file);
}

void DesignPage::useTrace(int input, const QString& file) {
  const auto number = static_cast<std::size_t>(input);
  if (input < 0 || number >= documents_->document().inputs.size()) return;
  const std::filesystem::path path = file.toStdString();
  const auto take = [&](const std::function<void(Input&)>& change) {
    emit refused({});
    const std::string name = documents_->document().inputs[number].name;
    documents_->edit(tr("Set the trace of %1").arg(QString::fromStdString(name)), [&](Document& document) {
      document.inputs[number].data.reset();
      document.inputs[number].file.clear();
      change(document.inputs[number]);
    });
  };
  if (path.extension() == ".json") {
    const Result<std::string> bytes = readFile(path);
    if (!bytes) return emit refused(bytes.diagnostics());
    Result<IntTensor> trace = parseTrace(*bytes, path.string());
    if (!trace) return emit refused(trace.diagnostics());
    return take([&](Input& each) { each.data = *std::move(trace); });
  }
  // Beside the document or below it: the two can be moved together.
  const std::filesystem::path near = path.lexically_relative(documents_->folder());
  const bool inside = !near.empty() && *near.begin() != "..";
  take([&](Input& each) { each.file = (inside ? near : path).string(); });
}

}  // namespace sluice::ui
