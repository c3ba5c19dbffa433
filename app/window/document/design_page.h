#pragma once
// DesignPage: what the program runs on and with - machine, inputs, constants. Each change is one step for
// undo; what it makes wrong stands among the diagnostics.

#include <QWidget>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::ui {

class ConstantsEditor;
class DocumentController;
class InputsEditor;
class MachineEditor;

class DesignPage : public QWidget {
  Q_OBJECT

 public:
  explicit DesignPage(DocumentController* documents, QWidget* parent = nullptr);
  void setDocument(const Document& document);
  /// A NumPy file is referred to, relative to the document where it can be; JSON is taken into the document.
  void useTrace(int input, const QString& file);
  ConstantsEditor* constants() const { return constants_; }
  MachineEditor* machine() const { return machine_; }
  InputsEditor* inputs() const { return inputs_; }

 signals:
  /// A file that is no trace; empty once one is.
  void refused(const sluice::Diagnostics& why);

 private:
  void chooseTrace(int input);
  void rename(const std::string& from, const std::string& to);

  DocumentController* documents_;
  ConstantsEditor* constants_;
  MachineEditor* machine_;
  InputsEditor* inputs_;
};

}  // namespace sluice::ui
