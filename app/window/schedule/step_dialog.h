#pragma once
// StepDialog: a step of the schedule as a form made from its transformation's spec, beside a preview of what
// it does to the program - or why it is refused.

#include <QDialog>
#include <QPointer>
#include <QTimer>
#include <optional>
#include <vector>

#include "app/window/edit/step_text.h"
#include "app/window/shell/background_work.h"
#include "engine/explorer/preview.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QTextBrowser;

namespace sluice::ui {

/// Where in a schedule the step stands.
struct StepPlace {
  std::shared_ptr<const Workload> workload;  ///< its schedule ends before the step
  KnobValues knobs;
  Document before;            ///< the program that the step works on
  CompiledPrograms compiled;  ///< and those of its parts that were compiled
};

class StepDialog : public QDialog {
  Q_OBJECT

 public:
  /// A step that is to be added names a transformation, or none yet. `previewer` outlives the dialog, so that
  /// closing waits for nothing.
  StepDialog(StepPlace place, const ScheduleStep& step, bool added, BackgroundWork* previewer,
             QWidget* parent = nullptr);
  ~StepDialog() override;

  ScheduleStep step() const;
  /// Knobs that arguments were turned into and that the step names.
  std::vector<Knob> newKnobs() const;
  /// Turns an integer argument into a knob of these values, the first of them its default. Errors: a name
  /// that is taken or none, no values.
  Result<Done> makeKnob(const std::string& argument, const std::string& name,
                        const std::vector<std::int64_t>& values);
  /// Of step(); absent while it is being computed.
  const std::optional<Result<StepPreview>>& preview() const { return preview_; }
  /// Of step(), where cycles are asked for and the runs have ended.
  const std::optional<StepRuns>& runs() const { return runs_; }

 private:
  struct Field {
    ArgumentSpec spec;
    QComboBox* combo = nullptr;  ///< all but integers
    QLineEdit* line = nullptr;
    QString text() const;
  };
  QWidget* buildForm();
  QWidget* buildPreview();
  void buildFields();
  Field makeField(const ArgumentSpec& spec);
  void fillCombo(Field& field);
  std::vector<std::string> candidatesFor(const ArgumentSpec& spec) const;
  std::string textOf(ArgumentKind kind) const;  ///< of the first field of that kind
  void fieldEdited(const std::string& name);
  const Field* find(const std::string& name) const;
  std::optional<Value> valueOf(const Field& field, Diagnostics& wrong) const;
  void keepArguments();
  void changed();
  void askPreview();
  QStringList missingArguments() const;  ///< those that must be given and are not yet, by their labels
  void askFor(const QStringList& arguments);
  void showPreview(Result<StepPreview> preview);
  void askRuns();
  void showKnown();  ///< what is known by now

  void askForKnob(const std::string& argument);

  StepPlace place_;  ///< with the new knobs
  std::vector<Knob> knobs_;
  ScheduleStep step_;  ///< as last read from the fields; arguments of other transformations are kept
  QPointer<BackgroundWork> previewer_;  ///< gone before the dialog where the window closes
  std::vector<Field> fields_;
  QComboBox* transformation_;
  QLabel* summary_;
  QFormLayout* form_ = nullptr;
  QTextBrowser* shown_;
  QCheckBox* cycles_;
  QDialogButtonBox* buttons_;
  std::optional<Result<StepPreview>> preview_;
  std::optional<StepRuns> runs_;
  QTimer debounce_;
};

}  // namespace sluice::ui
