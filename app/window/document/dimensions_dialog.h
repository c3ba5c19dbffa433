#pragma once
// DimensionsDialog: asks for the extents that a model leaves open; several of one make it a knob.

#include <QDialog>
#include <map>
#include <string>
#include <vector>

#include "engine/importers/importer.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace sluice::ui {

class DimensionsDialog : public QDialog {
  Q_OBJECT

 public:
  DimensionsDialog(const QString& file, const std::vector<std::string>& names, QWidget* parent);

  /// What is written in the fields, once it was accepted.
  ImportOptions options() const;

 private:
  void check();
  /// Errors: of the first field with what is no extent.
  Result<ImportOptions> read() const;

  std::map<std::string, QLineEdit*> fields_;
  QLabel* problem_;
  QDialogButtonBox* buttons_;
};

}  // namespace sluice::ui
