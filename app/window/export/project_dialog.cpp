#include "app/window/export/project_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>

#include "app/window/explore/form_row.h"
#include "app/window/shell/named.h"
#include "engine/core/cancelled.h"
#include "engine/core/project_folder.h"
#include "engine/tensor/placement/platform.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int status_lines = 4;

QString projectKey(const Emitter& emitter, const char* name) {
  return QStringLiteral("project/%1/%2").arg(qt(emitter.name), QString::fromLatin1(name));
}

/// What was written. Errors: those of the emitter, and of writing.
Result<ProjectDialog::Outcome> writeProject(const Emitter& emitter, const EmitRequest& request,
                                            const std::filesystem::path& folder, ChangedFiles changed) {
  SLUICE_TRY(const std::vector<ProjectFile> files, emitter.project(request));
  if (request.stop.stop_requested()) return cancelledDiagnostic();
  SLUICE_TRY(const WrittenFolder written,
             writeProjectFolder(folder, files, projectKind(emitter.name), changed));
  return ProjectDialog::Outcome{files.size(), keptText(written)};
}

}  // namespace

ProjectDialog::ProjectDialog(const Emitter& emitter, ProjectSource source, QWidget* parent)
    : QDialog(parent),
      emitter_(emitter),
      source_(std::make_shared<const ProjectSource>(std::move(source))),
      platform_(named(new QComboBox, "projectPlatform", tr("Card that the design is placed on"))),
      numbers_(named(new QComboBox, "projectNumbers", tr("What its numbers are"))),
      data_(named(new QCheckBox(tr("With what the test &bench reads")), "projectData",
                  tr("With what the test bench reads"))),
      replace_(named(new QCheckBox(tr("&Replace files that were changed since")), "projectReplace",
                     tr("Replace files of an earlier export also where they were changed since"))),
      folder_(named(new QLineEdit, "projectFolder", tr("Folder of the project"))),
      given_(named(new QLineEdit, "projectGiven", tr("Folder that the project is written by"))),
      status_(named(new QLabel, "projectStatus", tr("What is written, or why it cannot be"))) {
  setObjectName(QStringLiteral("projectDialog"));
  setWindowTitle(tr("Export as %1").arg(qt(emitter_.title)));
  buildChoices();
  status_->setWordWrap(true);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  keepHeight(status_, status_lines);
  QFormLayout* form = buildForm();
  form->addRow(status_);
  form->addRow(buildProgress());
  connect(folder_, &QLineEdit::textChanged, this, &ProjectDialog::follow);
  connect(&work_, &BackgroundWork::failed, this,
          [this](const Diagnostic& why) { adopt({}, Diagnostics{why}); });
  recall();
  folder_->setText(source_->suggested);
  resize(620, sizeHint().height());
  follow();
}

void ProjectDialog::buildChoices() {
  platform_->addItem(tr("none: it is not placed"), QString());
  for (const std::string& name : builtinPlatforms()) platform_->addItem(qt(name), qt(name));
  platform_->setToolTip(tr("The card's clock and memory are configured, and kernels assigned to its dies"));
  for (const NumberForm& form : emitter_.numbers) numbers_->addItem(qt(form.title), qt(form.name));
  numbers_->setToolTip(
      tr("float32 is what the program computes in functional mode; narrow numbers cost less "
         "logic and round as hardware does, with scales measured on the inputs"));
  data_->setToolTip(tr("Weights and inputs as files; without them the project compiles, but does not run"));
  if (!emitter_.folder) return;
  given_->setPlaceholderText(qt(emitter_.folder->otherwise));
  given_->setToolTip(qt(emitter_.folder->help));
}

/// Without what the emitter does not heed.
QFormLayout* ProjectDialog::buildForm() {
  auto* browse_folder =
      named(new QPushButton(tr("&Browse…")), "projectBrowse", tr("Choose the folder of the project"));
  auto* browse_given = named(new QPushButton(tr("B&rowse…")), "projectBrowseGiven",
                             tr("Choose the folder that the project is written by"));
  connect(browse_folder, &QPushButton::clicked, this, &ProjectDialog::browseFolder);
  connect(browse_given, &QPushButton::clicked, this, &ProjectDialog::browseGiven);
  for (QPushButton* button : {browse_folder, browse_given}) button->setAutoDefault(false);
  auto* form = new QFormLayout(this);
  form->setSpacing(10);
  addRow(*form, tr("&Folder"), buildFolderField(folder_, browse_folder), folder_);
  addRow(*form, tr("&Card"), platform_, platform_);
  form->setRowVisible(platform_, emitter_.places);
  addRow(*form, tr("&Numbers"), numbers_, numbers_);
  form->setRowVisible(numbers_, emitter_.numbers.size() > 1);
  QWidget* given = buildFolderField(given_, browse_given);
  addRow(*form, emitter_.folder ? QLatin1Char('&') + qt(emitter_.folder->title) : QString(), given, given_);
  form->setRowVisible(given, emitter_.folder.has_value());
  form->addRow(QString(), data_);
  form->setRowVisible(data_, emitter_.has_data);
  form->addRow(QString(), replace_);
  return form;
}

QWidget* ProjectDialog::buildFolderField(QLineEdit* line, QWidget* browse) {
  auto* field = new QWidget;
  auto* row = new QHBoxLayout(field);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(line, 1);
  row->addWidget(browse);
  return field;
}

QWidget* ProjectDialog::buildProgress() {
  bar_ = named(new QProgressBar, "projectProgress", tr("It is being written"));
  bar_->setRange(0, 0);
  bar_->setTextVisible(false);
  bar_->setFixedSize(160, 10);
  auto* buttons = new QDialogButtonBox;
  start_ = buttons->addButton(tr("&Write"), QDialogButtonBox::AcceptRole);
  start_->setObjectName(QStringLiteral("projectWrite"));
  start_->setDefault(true);
  stop_ = buttons->addButton(QDialogButtonBox::Cancel);
  stop_->setObjectName(QStringLiteral("projectCancel"));
  connect(start_, &QPushButton::clicked, this, &ProjectDialog::write);
  connect(stop_, &QPushButton::clicked, this, &ProjectDialog::reject);
  auto* foot = new QWidget;
  auto* row = new QHBoxLayout(foot);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(bar_);
  row->addStretch(1);
  row->addWidget(buttons);
  return foot;
}

void ProjectDialog::browseFolder() {
  const QString parent = QFileDialog::getExistingDirectory(this, tr("Where the project's folder is to be"),
                                                           QFileInfo(folder_->text()).path());
  if (parent.isEmpty()) return;
  folder_->setText(parent + QLatin1Char('/') + QFileInfo(folder_->text()).fileName());
}

void ProjectDialog::browseGiven() {
  const QString folder = QFileDialog::getExistingDirectory(this, qt(emitter_.folder->help), given_->text());
  if (!folder.isEmpty()) given_->setText(folder);
}

void ProjectDialog::say(const QString& what, bool wrong) {
  status_->setText(wrong ? QStringLiteral("\u26a0 ") + what : what);
  bar_->setVisible(isRunning());
  for (QWidget* field :
       std::initializer_list<QWidget*>{folder_, platform_, numbers_, given_, data_, replace_})
    field->setEnabled(!isRunning());
  start_->setEnabled(!isRunning() && !folder_->text().trimmed().isEmpty());
}

void ProjectDialog::follow() {
  say(tr("Writes %1. The folder must not be there yet or be empty; of a project that was written there "
         "before the files are replaced, and what else lies in it is kept.")
          .arg(qt(emitter_.summary)),
      false);
}

void ProjectDialog::write() {
  const QString folder = folder_->text().trimmed();
  if (isRunning() || folder.isEmpty()) return;
  remember();
  const EmitRequest asked{
      .document = &source_->document,
      .inputs = &source_->inputs,
      .knobs = source_->knobs,
      .platform = emitter_.places ? platform_->currentData().toString().toStdString() : "",
      .data = data_->isChecked(),
      .numbers = numbers_->currentData().toString().toStdString(),
      .folder = emitter_.folder ? given_->text().trimmed().toStdString() : "",
      .trace = source_->trace};
  const ChangedFiles changed = replace_->isChecked() ? ChangedFiles::Replace : ChangedFiles::Refuse;
  work_.ask([this, folder, asked, changed, source = source_,
             &emitter = emitter_](const std::stop_token& stop) -> BackgroundWork::Answer {
    EmitRequest request = asked;
    request.stop = stop;
    const auto outcome = std::make_shared<const Result<Outcome>>(
        writeProject(emitter, request, folder.toStdString(), changed));
    return [this, folder, outcome] { adopt(folder, *outcome); };
  });
  say(tr("Writing…"), false);
}

void ProjectDialog::adopt(const QString& folder, const Result<Outcome>& outcome) {
  if (!outcome) {
    const Diagnostic& why = outcome.diagnostics().front();
    return say(isCancelled(outcome.diagnostics())
                   ? tr("Stopped: nothing was written.")
                   : qt(text(why.place)) + QStringLiteral(": ") + inlineText(why),
               !isCancelled(outcome.diagnostics()));
  }
  QString message = tr("Wrote %1 files into %2").arg(exactNumber(outcome->files)).arg(folder);
  if (!outcome->kept.empty()) message += QStringLiteral("; ") + qt(outcome->kept);
  if (!emitter_.has_data || data_->isChecked()) message += tr("; '%1' there runs them").arg(qt(emitter_.run));
  emit written(message);
  QDialog::accept();
}

/// What was chosen the last time.
void ProjectDialog::recall() {
  const QSettings kept;
  for (const auto& [box, name] : {std::pair(platform_, "platform"), std::pair(numbers_, "numbers")})
    box->setCurrentIndex(std::max(0, box->findData(kept.value(projectKey(emitter_, name)).toString())));
  data_->setChecked(kept.value(projectKey(emitter_, "data"), true).toBool());
  if (emitter_.folder)
    given_->setText(kept.value(projectKey(emitter_, emitter_.folder->name.c_str())).toString());
}

void ProjectDialog::remember() const {
  QSettings kept;
  kept.setValue(projectKey(emitter_, "platform"), platform_->currentData());
  kept.setValue(projectKey(emitter_, "numbers"), numbers_->currentData());
  kept.setValue(projectKey(emitter_, "data"), data_->isChecked());
  if (emitter_.folder)
    kept.setValue(projectKey(emitter_, emitter_.folder->name.c_str()), given_->text().trimmed());
}

void ProjectDialog::reject() {
  if (isRunning()) return work_.stop();
  QDialog::reject();
}

}  // namespace sluice::ui
