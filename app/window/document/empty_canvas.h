#pragma once
// EmptyCanvas: stands on the canvas while the program has no operators, and says what to do.

#include <QFrame>

namespace sluice::ui {

class DocumentController;
class FileCommands;
class GraphCanvas;

class EmptyCanvas : public QFrame {
  Q_OBJECT

 public:
  EmptyCanvas(GraphCanvas* canvas, const DocumentController* documents, FileCommands* files);

 private:
  void follow();
  void place();
  bool eventFilter(QObject* watched, QEvent* event) override;

  GraphCanvas* canvas_;
  const DocumentController* documents_;
};

}  // namespace sluice::ui
