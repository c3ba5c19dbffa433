#pragma once
// KnobDialog: makes a knob or edits one - its name, values, default and help. Numbers may be expressions over
// the constants; they are kept as what they come to. What cannot be stands below its field, and while typing
// the number of combinations of all knobs is shown.

#include <QDialog>
#include <functional>
#include <map>
#include <optional>

#include "engine/core/range.h"
#include "engine/core/result.h"
#include "engine/program/document.h"

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace sluice::ui {

struct KnobSurroundings {
  std::vector<Knob> others;                                                   ///< with which it is combined
  std::map<std::string, std::int64_t> constants;                              ///< what expressions may use
  std::function<std::optional<Diagnostic>(const std::string& name)> refused;  ///< why a name cannot be
  Range range = {};  ///< of the values that are proposed
};

class KnobDialog : public QDialog {
  Q_OBJECT

 public:
  KnobDialog(const Knob& knob, KnobSurroundings surroundings, QWidget* parent = nullptr);

  /// As it is typed. The place of a diagnostic is the field: "name", "values" ...
  Result<Knob> knob() const;

 private:
  struct Field {
    QWidget* box;
    QLineEdit* line;
    QLabel* message;
  };

  void addField(QFormLayout& form, const char* key, const QString& label, const QString& hint);
  QString text(const char* key) const;
  KnobKind kind() const;
  void showKind();
  void fill(const char* key, const QString& text);
  void check();
  std::vector<std::int64_t> numbers(const char* key, bool list, Diagnostics& wrong) const;
  void readValues(Knob& knob, Diagnostics& wrong) const;
  void readDefault(Knob& knob, Diagnostics& wrong) const;

  Knob knob_;
  KnobSurroundings surroundings_;
  QComboBox* kind_;
  QFormLayout* form_;
  std::map<std::string, Field> fields_;
  QLabel* count_;
  QDialogButtonBox* buttons_;
};

}  // namespace sluice::ui
