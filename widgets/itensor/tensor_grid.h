#pragma once
// TensorGrid: draws an AccessPicture - tiles coloured and numbered in the order in which they are sent, the
// path between them, hatches where the stream leaves elements out, sends them twice or leaves the tensor.
// Clicking a tile chooses its next token.

#include <QWidget>

#include "widgets/itensor/access_picture.h"
#include "widgets/plots/plot_theme.h"

namespace sluice::ui {

/// Dark to bright, even in brightness and the same for people with any colour vision (after cividis).
QColor orderColour(double share);

class TensorGrid : public QWidget {
  Q_OBJECT

 public:
  explicit TensorGrid(QWidget* parent = nullptr);

  void setPicture(AccessPicture picture, const QString& row_title, const QString& column_title);
  /// Nothing to draw, and why.
  void clear(const QString& notice);
  /// The stream has sent the tokens up to this one.
  void setPosition(std::int64_t token);
  /// Marked as the first in which another stream differs.
  void setMarked(std::optional<std::int64_t> token);

  const AccessPicture& picture() const { return picture_; }
  std::int64_t position() const { return position_; }
  std::optional<std::int64_t> marked() const { return marked_; }
  /// Where a drawn token's tile is, in pixels; empty for one that is not drawn.
  QRectF tileRect(std::int64_t token) const;
  QRectF elementRect(const ElementRect& elements) const;
  /// The drawing at another size and in another theme, as for paper.
  void paintForPrint(QPainter& painter, QSizeF size, const PlotTheme& theme) const;
  /// Every drawn token: its number, where its tile begins and how large it is.
  QString csv() const;
  QSize minimumSizeHint() const override { return {180, 160}; }
  QSize sizeHint() const override { return {380, 320}; }

 signals:
  void tokenChosen(qint64 token);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Scale {
    QPointF origin;
    double x = 1, y = 1;  ///< pixels an element
  };
  struct Look;

  void paintWith(QPainter& painter, const PlotTheme& theme) const;
  Scale scale() const;
  std::optional<std::size_t> placeAt(const QPointF& point) const;
  double share(std::int64_t token) const;
  std::size_t drawnUntil() const;
  void paintTiles(QPainter& painter, const Look& look) const;
  void paintNumbers(QPainter& painter, const Look& look) const;
  void paintPath(QPainter& painter, const Look& look) const;
  void paintFlaws(QPainter& painter, const Look& look) const;
  void paintMarks(QPainter& painter, const Look& look) const;
  void paintAxes(QPainter& painter, const Look& look) const;
  void paintLegend(QPainter& painter, const Look& look) const;
  void describe();

  AccessPicture picture_;
  QString row_title_, column_title_, notice_;
  std::int64_t position_ = 0;
  std::optional<std::int64_t> marked_;
};

}  // namespace sluice::ui
