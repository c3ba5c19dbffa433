#pragma once
// The only place that includes QCustomPlot (its header needs Qt's keywords, and must stay out of the engine),
// and Plot: a QCustomPlot that follows the window's palette, can be painted with a print theme, and gives its
// data as CSV.

#include <qcustomplot.h>

#include <functional>

#include "widgets/plots/plot_theme.h"

namespace sluice::ui {

/// What a plot on paper has of its own instead of what it shows by itself.
struct PaperFrame {
  enum class Legend { Above, Inside, None };
  std::optional<QCPRange> x, y;
  double x_unit = 0, y_unit = 0;  ///< 1e6: labels are in millions of the unit; 0: as the numbers are
  QString x_label, y_label;       ///< empty: the plot's
  QStringList hidden;             ///< series, by name
  Legend legend = Legend::Above;
};

class Plot : public QCustomPlot {
  Q_OBJECT

 public:
  explicit Plot(QWidget* parent = nullptr);

  const PlotTheme& theme() const { return theme_; }
  void setTheme(const PlotTheme& theme);

  /// What is plotted, as a table with a header line.
  virtual QString csv() const = 0;
  /// The series that the legend names.
  QStringList seriesNames() const;
  /// For a plot that is only ever printed: from now on it is printed so.
  void setPaperFrame(const PaperFrame& frame);
  /// Paints the plot in the style of print into `size` (points). Vector output as long as the painter's
  /// device is one.
  void paintForPrint(QCPPainter& painter, QSize size, const PrintStyle& style = {});
  /// Calls `look` while the plot is laid out and coloured as it is printed.
  void asPrinted(QSize size, const PrintStyle& style, const std::function<void()>& look);
  /// How high a print of that width must be: `aspect` of it, or more where legend and title would leave the
  /// axes too little.
  double printHeight(const PrintStyle& style, double aspect);
  /// Small: a plot must never force the window to grow; legends are shortened instead.
  QSize minimumSizeHint() const override { return {160, 120}; }
  /// Draws again when the event loop is idle; many calls cost one replot.
  void replotLater() { replot(QCustomPlot::rpQueuedReplot); }

 protected:
  /// Colours and pens of the plot's own elements; called on every change of theme, never from the constructor
  /// of Plot.
  virtual void restyle() = 0;
  /// A message in the middle of the first axis rect, in as many lines as it needs; empty hides it.
  void setNotice(const QString& notice);
  /// Arranges the legend in so many columns, also what stands in it already.
  void setLegendColumns(int columns);
  /// Above the axes, below as many rows as stand there already: never over a point.
  void addAbove(QCPLayoutElement* element);
  void addLegendAbove(const QMargins& margins = {});
  /// How many columns of entries with such a name have room beside each other.
  int legendColumns(int widest_name) const;
  /// As many columns as have room, and padLegend().
  void fitLegend(int most);
  /// Room around the entries of the legend: without it their glyphs and descenders are cut off.
  void padLegend();
  /// The axis is of `title` in `unit` (as for axisUnit()). Its title names the unit with the prefix that fits
  /// what it shows, its ticks are plain numbers. A null unit: there is none, its ticks have prefixes.
  void nameAxis(QCPAxis* axis, const QString& title, const QString& unit);
  /// Of what is being painted now: the widget, or the paper.
  int drawingWidth() const { return paper_width_ > 0 ? paper_width_ : width(); }
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  /// The legend has given way: the plot is too low for it.
  bool isWithoutLegend() const { return legend_above_ && !legend->layout(); }

 private:
  void applyTheme();
  void applyFrame();
  int coveredBy(const QRectF& area) const;
  void placeLegendInside();
  void fitAxes();  ///< after a layout: to the room that it left them
  void fitLabels();
  void fitNotice();
  void makeWay();
  int legendSide() const { return theme_.on_paper ? 3 : 8; }

  PlotTheme theme_;
  std::optional<PaperFrame> frame_;
  bool refitting_ = false, relabelling_ = false;
  bool legend_above_ = false;  ///< where there is room
  int most_columns_ = 0;       ///< of the legend, where fitLegend() arranges it
  int paper_width_ = 0;        ///< while painting for print
  QCPItemText* notice_ = nullptr;
  QString notice_text_;  ///< as it was given
};

/// A range with room around the data; a sensible one where there are none or all are the same.
QCPRange padded(double low, double high, bool logarithmic);

/// What an axis that nameAxis() has named is called where no prefix is meant.
QString plainAxisLabel(const QCPAxis& axis);

/// What the labels of an axis are in: the unit that its title names, or each has its own SI prefix.
class ScaledTicker {
 public:
  virtual ~ScaledTicker() = default;
  /// 0: each label has its own prefix.
  void setDivisor(double divisor) { divisor_ = divisor; }
  double divisor() const { return divisor_; }

 private:
  double divisor_ = 0;
};

/// "15", "20" of an axis in MB; else with SI prefixes ("250k"), fractions as percentages.
class QuantityTicker : public QCPAxisTicker, public ScaledTicker {
 public:
  explicit QuantityTicker(bool percent = false) : percent_(percent) {}

 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  bool percent_;
  double step_ = 0;  ///< between the ticks that are labelled
};

/// Powers of ten, and as many round numbers between as have room.
class LogQuantityTicker : public QCPAxisTickerLog, public ScaledTicker {
 protected:
  QVector<double> createTickVector(double step, const QCPRange& range) override;
  QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Whole numbers only: tokens, points.
class IntegerTicker : public QuantityTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
};

}  // namespace sluice::ui
