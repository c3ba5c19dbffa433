#pragma once
// SensitivityView: which knob moves which metric, over the points that the filters show. One row a knob, one
// column a metric; a bar for the share of the metric's variance that the knob's main effect explains, an
// arrow for its direction. Choosing a cell shows that metric over that knob.

#include <QTimer>
#include <QWidget>
#include <optional>

#include "engine/explorer/decision.h"
#include "widgets/plots/plot_theme.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {

/// Up, down or neither, for the correlation of a metric with a knob.
QString arrowOf(double trend);

class SensitivityView : public QWidget {
  Q_OBJECT

 public:
  explicit SensitivityView(PointSelection* selection, QWidget* parent = nullptr);

  struct Row {
    QString knob;
    std::vector<KnobEffect> effects;  ///< parallel to metrics()
  };
  /// Knobs that vary, the one that explains most first.
  const std::vector<Row>& rows();
  const std::vector<QString>& metrics() const { return metrics_; }
  QRectF cellRect(std::size_t row, std::size_t metric);
  /// Where the titles of the columns would have to stand upright: as a heat map, with the metrics below each
  /// other.
  void paintForPrint(QPainter& painter, QSizeF size, const PrintStyle& style);
  /// That shows every row, in points.
  double paperHeight(const PrintStyle& style);
  QString csv();
  QSize minimumSizeHint() const override { return {220, 120}; }

 signals:
  void cellChosen(const QString& knob, const QString& metric);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Layout {
    double left = 0, top = 0, column = 0, row = 0;
    bool narrow = false;   ///< titles stand upright
    bool stacked = false;  ///< figures stand without their unit, arrows beside the bars
  };
  void measure();
  Layout layoutFor(QSizeF size, const PlotTheme& theme) const;
  double titleHeight(const Layout& layout, const QFontMetricsF& metrics) const;
  void paint(QPainter& painter, QSizeF size, const PlotTheme& theme);
  double widestWord(const QFontMetricsF& metrics) const;
  void paintTitles(QPainter& painter, const Layout& layout, const PlotTheme& theme) const;
  void paintCell(QPainter& painter, const QRectF& cell, const KnobEffect& effect, const PlotTheme& theme,
                 bool stacked) const;
  std::optional<std::pair<std::size_t, std::size_t>> cellAt(QPointF position);
  QString tooltip(std::size_t row, std::size_t metric) const;

  PointSelection* selection_;
  PlotTheme theme_;
  std::vector<QString> metrics_;
  std::vector<Row> rows_;
  std::size_t row_ = 0, metric_ = 0;  ///< where the keyboard is
  bool stale_ = true;
  QTimer refresh_;  ///< while an exploration streams in
};

}  // namespace sluice::ui
