#pragma once
// DimensionsDialog: asks for the extents that a model leaves open.

#include <QDialog>
#include <map>
#include <string>
#include <vector>

class QSpinBox;

namespace sluice::ui {

class DimensionsDialog : public QDialog {
  Q_OBJECT

 public:
  DimensionsDialog(const QString& file, const std::vector<std::string>& names, QWidget* parent);

  std::map<std::string, std::int64_t> extents() const;

 private:
  std::map<std::string, QSpinBox*> fields_;
};

}  // namespace sluice::ui
