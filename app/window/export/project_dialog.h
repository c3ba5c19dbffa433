#pragma once
// ProjectDialog: writes the program that is open as a project for hardware (engine/emitters), beside the
// event loop. It stays open when nothing could be written, with the reason and its fix; once the folder is
// there it closes.

#include <QDialog>

#include "app/window/shell/background_work.h"
#include "engine/emitters/emitter.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace sluice::ui {

/// What is written, in copies: the window goes on working.
struct ProjectSource {
  Document document;
  InputSet inputs;
  KnobValues knobs;
  std::optional<TraceName> trace = {};  ///< as in EmitRequest
  QString suggested;                    ///< the folder
};

class ProjectDialog : public QDialog {
  Q_OBJECT

 public:
  /// What was written into the folder.
  struct Outcome {
    std::size_t files = 0;
    std::string kept;  ///< keptText()
  };

  ProjectDialog(const Emitter& emitter, ProjectSource source, QWidget* parent);

  void write();
  bool isRunning() const { return !work_.idle(); }
  /// While it is being written this stops it; otherwise it closes the dialog.
  void reject() override;

 signals:
  /// "Wrote 31 files into ...".
  void written(const QString& message);

 private:
  QFormLayout* buildForm();
  void buildChoices();
  void recall();
  QWidget* buildFolderField(QLineEdit* line, QWidget* browse);
  QWidget* buildProgress();
  void browseFolder();
  void browseGiven();
  void adopt(const QString& folder, const Result<Outcome>& outcome);
  void follow();
  void say(const QString& what, bool wrong);
  void remember() const;

  const Emitter& emitter_;
  const std::shared_ptr<const ProjectSource> source_;
  QComboBox *platform_, *numbers_;
  QCheckBox *data_, *replace_;
  QLineEdit *folder_, *given_;
  QLabel* status_;
  QProgressBar* bar_;
  QPushButton *start_, *stop_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
