#pragma once
// FigurePreview: the page of a figure at its true size. A click selects a panel; dragging it moves it to
// another place, dragging its right or lower edge resizes it. The keyboard does all of it: Left and Right
// choose a panel, Ctrl with them moves it, Shift with an arrow resizes it, Delete removes it.

#include <QImage>
#include <QWidget>
#include <optional>
#include <vector>

namespace sluice::ui {

class FigurePreview : public QWidget {
  Q_OBJECT

 public:
  explicit FigurePreview(QWidget* parent = nullptr);

  /// `places` of the panels, in points.
  void setPicture(const QImage& picture, QSizeF size, std::vector<QRectF> places);
  void select(int panel);  ///< -1: none
  int selected() const { return selected_; }
  /// Of the screen; what pictures are to be painted with.
  double pixelsPerPoint() const;
  /// Where a panel stands, in widget pixels.
  QRectF panelRect(int panel) const;
  QSize sizeHint() const override;

 signals:
  void panelSelected(int panel);
  void panelMoved(int from, int to);
  /// By so many points; one of both is 0.
  void panelStretched(int panel, QSizeF by);
  void panelSpanned(int panel, int columns);  ///< by so many columns
  void panelRemoved(int panel);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Hold { Nothing, Panel, Right, Bottom };
  int panelAt(QPointF position) const;
  Hold holdAt(QPointF position) const;
  int count() const { return static_cast<int>(places_.size()); }
  void choose(int panel);

  QImage picture_;
  QSizeF size_;
  std::vector<QRectF> places_;
  int selected_ = -1;
  Hold hold_ = Hold::Nothing;
  QPointF pressed_, at_;
};

}  // namespace sluice::ui
