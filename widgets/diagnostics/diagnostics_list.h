#pragma once
// DiagnosticsList: everything the engine has to say about the document. Choosing an entry jumps to its place.

#include <QTreeView>

#include "widgets/diagnostics/diagnostics_model.h"

namespace sluice::ui {

class DiagnosticsList : public QTreeView {
  Q_OBJECT

 public:
  explicit DiagnosticsList(QWidget* parent = nullptr);

  void setDiagnostics(const Diagnostics& diagnostics);
  const Diagnostics& diagnostics() const { return list_->diagnostics(); }

 signals:
  void jumpRequested(const sluice::Location& place);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitColumns();

  DiagnosticsModel* list_;
};

}  // namespace sluice::ui
