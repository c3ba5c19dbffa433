#pragma once
// ConstantDialog: makes a constant or edits one - its name and its value, a number or an expression. What
// cannot be stands below its field.

#include <QDialog>
#include <functional>
#include <optional>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/value.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace sluice::ui {

struct ConstantSurroundings {
  std::vector<std::string> names;                                             ///< what expressions may use
  std::function<std::optional<Diagnostic>(const std::string& name)> refused;  ///< why a name cannot be
};

class ConstantDialog : public QDialog {
  Q_OBJECT

 public:
  ConstantDialog(const QString& name, const Value& value, ConstantSurroundings surroundings,
                 QWidget* parent = nullptr);

  QString name() const;
  Result<Value> value() const;

 private:
  void check();

  ConstantSurroundings surroundings_;
  QLineEdit *name_, *value_;
  QLabel* message_;
  QDialogButtonBox* buttons_;
};

}  // namespace sluice::ui
