#pragma once
// ConnectDialog: a stream without the mouse - an output and an input from two lists, with the reason where
// the two do not fit.

#include <QDialog>
#include <optional>
#include <vector>

#include "widgets/canvas/graph_canvas.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace sluice::ui {

class ConnectDialog : public QDialog {
  Q_OBJECT

 public:
  /// Offers the ports of the graph that the selected node stands in, its own outputs first.
  ConnectDialog(const GraphCanvas& canvas, GraphCanvas::LinkRule rule, QWidget* parent);

  std::optional<LinkWish> wish() const;
  QComboBox* source() const { return source_; }
  QComboBox* target() const { return target_; }
  QPushButton* connectButton() const { return connect_; }
  QString reason() const;

 private:
  void check();

  const GraphCanvas::LinkRule rule_;
  std::string graph_;
  QComboBox *source_, *target_;
  QLabel* reason_;
  QPushButton* connect_;
};

}  // namespace sluice::ui
