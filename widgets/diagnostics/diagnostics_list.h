#pragma once
// DiagnosticsList: everything the engine has to say about the document. Choosing an entry, or a related place
// below it, jumps there; an edit below it is made; its code, F1 or the context menu ask for an explanation.

#include <QTreeView>

#include "widgets/diagnostics/diagnostics_model.h"

namespace sluice::ui {

class DiagnosticsList : public QTreeView {
  Q_OBJECT

 public:
  explicit DiagnosticsList(QWidget* parent = nullptr);

  /// What is still told stays selected, folded and scrolled as it was.
  void setDiagnostics(const Diagnostics& diagnostics);
  const Diagnostics& diagnostics() const { return list_->diagnostics(); }
  /// Asks for the explanation of the current entry, or of the first one.
  void explain();

 signals:
  /// An edit that fixes a diagnostic is to be made.
  void fixRequested(const sluice::FixEdit& fix);
  void jumpRequested(const sluice::Location& place);
  /// After jumpRequested(): the entry whose place, or related place, was chosen.
  void chosen(const sluice::Diagnostic& entry);
  /// What a code means is to be shown.
  void explanationRequested(const QString& code);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  /// In the list F1 is not the window's.
  bool event(QEvent* event) override;

 private:
  void fitColumns();
  void jump(const QModelIndex& index);

  DiagnosticsModel* list_;
};

}  // namespace sluice::ui
