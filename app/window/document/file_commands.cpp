#include "app/window/document/file_commands.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>

#include "app/window/document/dimensions_dialog.h"
#include "app/window/document/document_controller.h"
#include "app/window/document/modal_import.h"
#include "app/window/document/samples.h"
#include "app/window/document/save_file_dialog.h"
#include "app/window/document/templates.h"
#include "app/window/export/figure_composer.h"
#include "app/window/export/project_dialog.h"
#include "app/window/export/reproduce_dialog.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/views.h"
#include "app/window/shell/window_context.h"
#include "engine/emitters/registry.h"
#include "engine/importers/registry.h"
#include "engine/program/file_format.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

std::filesystem::path pathOf(const QString& file) {
  return file.toStdString();
}
QString text(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

/// Of a question that comes up while somebody types: its buttons have letters, which would answer it.
class LettersNeedAlt : public QObject {
 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::KeyPress) return QObject::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool letter = !key->text().isEmpty() && key->text().front().isPrint();
    return letter && !key->modifiers().testFlag(Qt::AltModifier);
  }
};

}  // namespace

FileCommands::FileCommands(const WindowContext& context)
    : QObject(context.window),
      context_(context),
      documents_(context.documents),
      views_(context.views),
      window_(context.window) {
  addCommands(context.commands);
}

void FileCommands::addCommands(Commands* commands) {
  const auto on = [this, commands](const Command& command, const std::function<void()>& run) {
    commands->add(command, this, run);
  };
  on({"file.new", "&File", "&New", "Ctrl+N", "Begin an empty program"}, [this] { startEmpty(); });
  addTemplates(commands);
  on({"file.open", "&File", "&Open…", "Ctrl+O", "Open a .sluice file", "open"}, [this] { openWithDialog(); });
  on({"file.save", "&File", "&Save", "Ctrl+S", "Save the program", "save", true}, [this] { save(); });
  on({"file.saveAs", "&File", "Save &As…", "Ctrl+Shift+S", "Save the program under another name"},
     [this] { saveAsWithDialog(); });
  on({"file.export", "&File", "&Export…", "Ctrl+Shift+E",
      "Write any view as PDF, SVG, PNG or LaTeX, or its data as CSV", "export", true},
     [this] { exportWithDialog(); });
  addProjects(commands);
  on({"file.compose", "&File", "Compose &Figure…", "Ctrl+Alt+E",
      "Put views on a page for a paper or a slide, which is kept with the document"},
     [this] { composeWithDialog(); });
  on({"file.copyPicture", "&File", "Copy as &Picture", "Ctrl+Shift+C",
      "Put the view with the keyboard on the clipboard, as vectors, pixels and data"},
     [this] { copyPicture(); });
  on({"file.reproduce", "&File", "Repro&duce a Figure…", "Ctrl+Shift+F",
      "Run the experiments behind a published figure and compare"},
     [this] { reproduceWithDialog(); });
}

void FileCommands::addTemplates(Commands* commands) {
  auto* menu = new QMenu(window_);
  QAction* submenu = commands->add(
      {"file.newFrom", "&File", "New from &Template", "", "Begin with a small program that runs"}, this,
      [this, menu] { menu->popup(window_->mapToGlobal(window_->rect().center())); });
  submenu->setMenu(menu);
  for (const Template& each : templates()) {
    QAction* action = menu->addAction(each.title);
    action->setObjectName(QStringLiteral("file.new.") + each.name);
    action->setToolTip(each.summary);
    action->setStatusTip(each.summary);
    commands->adopt(action, QStringLiteral("New from &Template"));
    connect(action, &QAction::triggered, this, [this, each] { startFrom(each); });
  }
}

void FileCommands::addProjects(Commands* commands) {
  auto* menu = new QMenu(window_);
  QAction* submenu = commands->add(
      {"file.project", "&File", "Export as Pro&ject", "", "Write the program for tools that build hardware"},
      this, [this, menu] { menu->popup(window_->mapToGlobal(window_->rect().center())); });
  submenu->setMenu(menu);
  for (const Emitter* each : registeredEmitters()) {
    QAction* action = menu->addAction(qt(each->title) + QStringLiteral("\u2026"));
    action->setObjectName(QStringLiteral("file.project.") + qt(each->name));
    const QString tip = tr("Write %1").arg(qt(each->summary));
    action->setToolTip(tip);
    action->setStatusTip(tip);
    commands->adopt(action, QStringLiteral("Export as Pro&ject"));
    connect(action, &QAction::triggered, this, [this, each] { projectWithDialog(*each); });
  }
}

bool FileCommands::report(const Result<Done>& result, const QString& message) {
  emit reported(result ? Diagnostics{} : result.diagnostics());
  if (result && !message.isEmpty()) emit succeeded(message);
  return static_cast<bool>(result);
}

QString FileCommands::openable() {
  QString patterns = QStringLiteral("*.sluice");
  for (const std::string& suffix : importSuffixes())
    patterns += QStringLiteral(" *.") + QString::fromStdString(suffix);
  return patterns;
}

bool FileCommands::open(const QString& file) {
  if (isForeign(pathOf(file))) return import(file, {});
  const bool opened = report(documents_->open(pathOf(file)), {});
  if (opened) emit fileUsed(text(documents_->file()));
  return opened;
}

bool FileCommands::import(const QString& file, const ImportOptions& options) {
  const Result<Imported> imported = importModally(file, options, imports_, window_);
  if (imported) {
    documents_->openUntitled(imported->document, pathOf(file).replace_extension(".sluice"));
    emit reported(reportWithCoverage(*imported, pathOf(file)));
    emit fileUsed(QFileInfo(file).absoluteFilePath());
    return true;
  }
  if (isCancelled(imported.diagnostics())) {
    emit succeeded(tr("Cancelled: %1 is not opened").arg(QFileInfo(file).fileName()));
    return false;
  }
  const std::vector<std::string> open_dimensions = symbolicDimensions(pathOf(file));
  if (open_dimensions.empty() || !options.dimensions.empty()) {
    emit reported(imported.diagnostics());
    return false;
  }
  auto* dialog = new DimensionsDialog(file, open_dimensions, window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, file] { import(file, dialog->options()); });
  connect(dialog, &QDialog::rejected, this, [this, why = imported.diagnostics()] {
    emit reported(why);
  });  // as long as it asks, nothing is wrong
  dialog->open();
  return false;
}

bool FileCommands::saveAs(const QString& file) {
  const bool saved = report(documents_->saveAs(pathOf(file)), tr("Saved %1").arg(file));
  if (saved) emit fileUsed(text(documents_->file()));
  return saved;
}

/// A document without a file gets a name first. A file that may not be written keeps its content, and so does
/// a sample, which others begin with; one that somebody else has changed is not overwritten without a word.
bool FileCommands::save() {
  const QString file = text(documents_->file());
  if (!documents_->hasFile() || documents_->isReadOnly() || isAmongSamples(file)) return saveAsWithDialog();
  if (documents_->changedOnDisk() && QFileInfo::exists(file)) {
    const auto answer = QMessageBox::question(
        window_, tr("Changed on disk"),
        tr("Another program has changed %1 since it was opened. Overwrite that?").arg(documents_->fileName()),
        QMessageBox::Save | QMessageBox::Cancel);
    if (answer != QMessageBox::Save) return false;
  }
  return saveAs(file);
}

bool FileCommands::exportTo(const QString& file, const ExportChoice& choice) {
  std::vector<Exportable> parts;
  for (const QString& id : choice.views) {
    const View& view = views_->view(id);
    if (const std::optional<Diagnostic> why = view.missing()) return report(*why, {});
    parts.push_back(view.exportable(view));
  }
  const Result<Done> written = writeExportable(composed(std::move(parts), choice.columns), pathOf(file),
                                               choice.format, {choice.width, choice.text});
  return report(written, tr("Wrote %1").arg(file));
}

void FileCommands::copyPicture() {
  const View& view = views_->focused();
  const Exportable picture = view.exportable(view);
  QApplication::clipboard()->setMimeData(clipboardData(picture, {double_column, 8}).release());
  emit succeeded(tr("Copied: %1").arg(picture.title));
}

void FileCommands::openWithDialog() {
  if (!mayDiscard()) return;
  const QString file = QFileDialog::getOpenFileName(window_, tr("Open a program"), text(documents_->folder()),
                                                    tr("Programs, graphs and models (%1)").arg(openable()) +
                                                        tr(";;Sluice programs (*.sluice);;All files (*)"));
  if (!file.isEmpty()) open(file);
}

void FileCommands::startEmpty() {
  if (mayDiscard()) start({});
}

void FileCommands::startFrom(const Template& chosen) {
  if (mayDiscard()) start(documentOf(chosen));
}

QString FileCommands::freeFile(const QString& base) const {
  QString folder = QDir::homePath();
  for (const QString& better : {QDir::currentPath(), text(documents_->folder())})
    if (!better.isEmpty() && QFileInfo(better).isWritable() && !isAmongSamples(better)) folder = better;
  QString name = base + QStringLiteral(".sluice");
  for (int number = 2; QDir(folder).exists(name); ++number)
    name = QStringLiteral("%1-%2.sluice").arg(base).arg(number);
  return QDir(folder).filePath(name);
}

void FileCommands::start(const Document& document) {
  documents_->openNew(document, pathOf(freeFile(QStringLiteral("untitled"))));
  emit reported({});
}

bool FileCommands::saveAsWithDialog() {
  QString suggested = text(documents_->file());
  if (isAmongSamples(suggested)) suggested = freeFile(QFileInfo(suggested).completeBaseName());
  const QString file =
      chooseFileToSave(window_, tr("Save the program"), suggested, tr("Sluice programs (*.sluice)"));
  return !file.isEmpty() && saveAs(file);
}

void FileCommands::exportWithDialog() {
  ExportDialog dialog(*views_, window_);
  if (dialog.exec() != QDialog::Accepted) return;
  ExportChoice choice = dialog.choice();
  const QString suggested = text(documents_->folder() / pathOf(choice.suggestedName()));
  const QString file =
      chooseFileToSave(window_, tr("Export"), suggested, QStringLiteral("*.") + choice.extension());
  if (file.isEmpty()) return;
  choice.format = formatOf(pathOf(file)).value_or(choice.format);  // a suffix that was typed counts
  exportTo(file, choice);
}

void FileCommands::projectWithDialog(const Emitter& emitter) {
  const std::shared_ptr<const Workload> loaded = context_.session->workload();
  if (!documents_->hasDocument() || !loaded) return;  // inputs that cannot be had; the diagnostics say so
  const QString name =
      QFileInfo(documents_->fileName()).completeBaseName() + QLatin1Char('_') + qt(emitter.name);
  const std::shared_ptr<const WorkloadSet> traces = context_.session->traces();
  auto* dialog = new ProjectDialog(emitter,
                                   {.document = documents_->document(),
                                    .inputs = loaded->inputs,
                                    .knobs = documents_->knobs(),
                                    .trace = traces ? traces->chosenName() : std::nullopt,
                                    .suggested = text(documents_->folder() / pathOf(name))},
                                   window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &ProjectDialog::written, this, &FileCommands::succeeded);
  dialog->open();
}

void FileCommands::composeWithDialog() {
  if (!composer_) composer_ = new FigureComposer(context_, window_);
  composer_->show();
  composer_->raise();
  composer_->activateWindow();
}

ReproduceDialog* FileCommands::reproduceWithDialog() {
  if (!reproduce_) reproduce_ = new ReproduceDialog(window_);
  reproduce_->show();
  reproduce_->raise();
  reproduce_->activateWindow();
  return reproduce_;
}

bool FileCommands::mayDiscard() {
  if (!documents_->isModified()) return true;
  QMessageBox box(QMessageBox::Question, tr("Unsaved changes"),
                  tr("%1 has changes that are not saved.").arg(documents_->fileName()),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, window_);
  LettersNeedAlt letters;
  box.installEventFilter(&letters);
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return save();
  return answer == QMessageBox::Discard;
}

}  // namespace sluice::ui
