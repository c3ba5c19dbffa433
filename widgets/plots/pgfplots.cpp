#include "widgets/plots/pgfplots.h"

#include <cmath>

#include "engine/core/csv.h"
#include "widgets/common/latex.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {
namespace {

QString number(double value) {
  return QString::fromStdString(csvNumber(value));
}

/// A plottable's values belong to its own axes; what is written belongs to the visible ones of the rect.
QPointF inAxes(const QCPAxisRect& rect, const QCPAbstractPlottable& plottable, double key, double value) {
  const QCPAxis* x = rect.axis(QCPAxis::atBottom);
  const QCPAxis* y = rect.axis(QCPAxis::atLeft);
  if (plottable.keyAxis() == x && plottable.valueAxis() == y) return {key, value};
  return {x->pixelToCoord(plottable.keyAxis()->coordToPixel(key)),
          y->pixelToCoord(plottable.valueAxis()->coordToPixel(value))};
}

QString dashText(Qt::PenStyle style) {
  switch (style) {
    case Qt::DashLine:
      return QStringLiteral("dashed");
    case Qt::DotLine:
      return QStringLiteral("dotted");
    case Qt::DashDotLine:
    case Qt::DashDotDotLine:
      return QStringLiteral("dash dot");
    default:
      return QStringLiteral("solid");
  }
}

QString markText(const QCPScatterStyle& style) {
  switch (style.shape()) {
    case QCPScatterStyle::ssNone:
      return QStringLiteral("none");
    case QCPScatterStyle::ssDot:
    case QCPScatterStyle::ssDisc:
      return QStringLiteral("*");
    case QCPScatterStyle::ssSquare:
      return style.brush().style() == Qt::NoBrush ? QStringLiteral("square") : QStringLiteral("square*");
    case QCPScatterStyle::ssDiamond:
      return style.brush().style() == Qt::NoBrush ? QStringLiteral("diamond") : QStringLiteral("diamond*");
    case QCPScatterStyle::ssTriangle:
      return style.brush().style() == Qt::NoBrush ? QStringLiteral("triangle") : QStringLiteral("triangle*");
    case QCPScatterStyle::ssCross:
      return QStringLiteral("x");
    case QCPScatterStyle::ssPlus:
      return QStringLiteral("+");
    case QCPScatterStyle::ssStar:
      return QStringLiteral("star");
    case QCPScatterStyle::ssCircle:
      return style.brush().style() == Qt::NoBrush ? QStringLiteral("o") : QStringLiteral("*");
    default:
      return QStringLiteral("otimes");  // boxes and hatched ones
  }
}

QString markOptions(const QCPScatterStyle& style) {
  if (style.isNone()) return QStringLiteral("mark=none");
  QString text = QStringLiteral("mark=%1,mark size=%2bp")
                     .arg(markText(style), latexNumber(std::max(0.6, style.size() / 2)));
  QString look = QStringLiteral("solid,draw=") + latexColour(style.pen().color());
  if (style.brush().style() != Qt::NoBrush)
    look += QStringLiteral(",fill=") + latexColour(style.brush().color());
  return text + QStringLiteral(",mark options={%1}").arg(look);
}

/// One \addplot with its values; what is no number is a gap. Without any: its place in the legend, if it has
/// one.
class Addplot {
 public:
  Addplot(const QCPAxisRect& rect, const QCPAbstractPlottable& plottable)
      : rect_(rect), plottable_(plottable) {}

  void add(double key, double value) {
    const QPointF at = inAxes(rect_, plottable_, key, value);
    if (!std::isfinite(at.x()) || !std::isfinite(at.y())) {
      if (!rows_.isEmpty() && !rows_.endsWith(QStringLiteral("\n\n"))) rows_ += QLatin1Char('\n');
      return;
    }
    rows_ += QStringLiteral("%1 %2\n").arg(number(at.x()), number(at.y()));
  }

  QString text(const QString& options, bool in_legend) const {
    const bool mute = !in_legend || plottable_.name().isEmpty();
    if (rows_.isEmpty() && mute) return {};
    QString made = rows_.isEmpty()
                       ? QStringLiteral("\\addlegendimage{%1}\n").arg(options)
                       : QStringLiteral("\\addplot[%1%2] table {\nx y\n%3};\n")
                             .arg(options, mute ? QStringLiteral(",forget plot") : QString(), rows_);
    if (!mute) made += QStringLiteral("\\addlegendentry{%1}\n").arg(latexText(plottable_.name()));
    return made;
  }

 private:
  const QCPAxisRect& rect_;
  const QCPAbstractPlottable& plottable_;
  QString rows_;
};

QString lineOptions(const QPen& pen, bool line) {
  if (!line || pen.style() == Qt::NoPen) return QStringLiteral("only marks");
  return QStringLiteral("draw=%1,%2,line width=%3bp")
      .arg(latexColour(pen.color()), dashText(pen.style()), latexNumber(std::max(0.4, pen.widthF())));
}

QString graphText(const QCPAxisRect& rect, const QCPGraph& graph, bool in_legend) {
  Addplot plot(rect, graph);
  for (const QCPGraphData& at : *graph.data()) plot.add(at.key, at.value);
  QString options = lineOptions(graph.pen(), graph.lineStyle() != QCPGraph::lsNone);
  if (graph.lineStyle() == QCPGraph::lsStepLeft) options += QStringLiteral(",const plot");
  if (graph.lineStyle() == QCPGraph::lsStepRight) options += QStringLiteral(",const plot mark right");
  return plot.text(options + QLatin1Char(',') + markOptions(graph.scatterStyle()), in_legend);
}

QString curveText(const QCPAxisRect& rect, const QCPCurve& curve, bool in_legend) {
  Addplot plot(rect, curve);
  for (const QCPCurveData& at : *curve.data()) plot.add(at.key, at.value);
  return plot.text(lineOptions(curve.pen(), curve.lineStyle() != QCPCurve::lsNone) + QLatin1Char(',') +
                       markOptions(curve.scatterStyle()),
                   in_legend);
}

QString barsText(const QCPAxisRect& rect, const QCPBars& bars, bool in_legend) {
  Addplot plot(rect, bars);
  for (const QCPBarsData& at : *bars.data()) {
    // Beside each other as drawn: pgfplots is given the place of each bar.
    const double middle =
        bars.barsGroup() ? bars.dataPixelPosition(static_cast<int>(&at - &*bars.data()->constBegin())).x()
                         : bars.keyAxis()->coordToPixel(at.key);
    plot.add(bars.keyAxis()->pixelToCoord(middle), at.value);
  }
  const double groups = bars.barsGroup() ? std::max(1, bars.barsGroup()->size()) : 1;
  return plot.text(
      QStringLiteral("ybar,ybar legend,bar shift=0pt,bar width=%1,draw=%2,fill=%3")
          .arg(latexNumber(bars.width() / (bars.barsGroup() ? 1 : groups)), latexColour(bars.pen().color()),
               bars.brush().style() == Qt::NoBrush ? QStringLiteral("none")
                                                   : latexColour(bars.brush().color())),
      in_legend);
}

/// Names instead of numbers, where the plot has them; nothing where its axis has none.
QString categories(const QCPAxis& axis, QLatin1Char name) {
  if (!axis.tickLabels()) return QStringLiteral("%1ticklabels=\\empty,\n").arg(name);
  const auto ticker = axis.ticker().dynamicCast<QCPAxisTickerText>();
  if (!ticker || ticker->ticks().isEmpty()) return {};
  QStringList places, labels;
  const QMap<double, QString> ticks = ticker->ticks();
  for (auto tick = ticks.begin(); tick != ticks.end(); ++tick) {
    places << number(tick.key());
    labels << QLatin1Char('{') + latexText(tick.value()) + QLatin1Char('}');
  }
  return QStringLiteral("%1tick={%2},%1ticklabels={%3},\n")
      .arg(name)
      .arg(places.join(QLatin1Char(',')), labels.join(QLatin1Char(',')));
}

QString axisOptions(const QCPAxis& axis, QLatin1Char name) {
  const QCPRange range = axis.range();
  const auto* ticker = dynamic_cast<const ScaledTicker*>(axis.ticker().data());
  // Values stay as they are; a linear axis divides those of its ticks.
  const bool logarithmic = axis.scaleType() == QCPAxis::stLogarithmic;
  const bool divided = ticker && ticker->divisor() != 0 && ticker->divisor() != 1 && !logarithmic;
  QString text = QStringLiteral("%1min=%2,%1max=%3,%1label={%4},\n")
                     .arg(name)
                     .arg(number(range.lower), number(range.upper),
                          latexText(divided ? axis.label() : plainAxisLabel(axis)));
  if (logarithmic) text += QStringLiteral("%1mode=log,\n").arg(name);
  if (divided)
    text += QStringLiteral("scaled %1 ticks=base 10:%2,%1tick scale label code/.code={},\n")
                .arg(name)
                .arg(-std::lround(std::log10(ticker->divisor())));
  return text + categories(axis, name);
}

QString rectText(QCustomPlot& plot, const QCPAxisRect& rect, QSizeF size, QPointF corner) {
  const QCPAxis* x = rect.axis(QCPAxis::atBottom);
  const QCPAxis* y = rect.axis(QCPAxis::atLeft);
  QString text = QStringLiteral(
                     "\\begin{axis}[at={(%1bp,%2bp)},width=%3bp,height=%4bp,scale only axis,\n"
                     "clip marker paths=false,unbounded coords=discard,grid=major,\n%5%6"
                     "legend style={at={(0.5,1.02)},anchor=south,draw=none,fill=none,legend columns=%7},\n"
                     "legend cell align=left]\n")
                     .arg(latexNumber(corner.x()), latexNumber(corner.y()), latexNumber(size.width()),
                          latexNumber(size.height()), axisOptions(*x, QLatin1Char('x')),
                          axisOptions(*y, QLatin1Char('y')),
                          QString::number(plot.legend ? std::max(1, plot.legend->columnCount()) : 1));
  for (int i = 0; i < plot.plottableCount(); ++i) {
    const QCPAbstractPlottable* each = plot.plottable(i);
    if (!each->visible() || !each->keyAxis() || each->keyAxis()->axisRect() != &rect) continue;
    const bool in_legend = plot.legend && plot.legend->hasItemWithPlottable(each);
    if (const auto* graph = qobject_cast<const QCPGraph*>(each)) text += graphText(rect, *graph, in_legend);
    if (const auto* curve = qobject_cast<const QCPCurve*>(each)) text += curveText(rect, *curve, in_legend);
    if (const auto* bars = qobject_cast<const QCPBars*>(each)) text += barsText(rect, *bars, in_legend);
  }
  return text + QStringLiteral("\\end{axis}\n");
}

}  // namespace

QString pgfPlot(Plot& plot, QSizeF size, const PrintStyle& style) {
  QString body;
  plot.asPrinted(size.toSize(), style, [&] {
    for (QCPAxisRect* rect : plot.axisRects()) {
      const QPointF corner(rect->left(), size.height() - rect->bottom());
      body += rectText(plot, *rect, QSizeF(rect->size()), corner);
    }
  });
  return QStringLiteral(
             "% Needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16}; %1 by %2 points.\n"
             "\\begin{tikzpicture}[font=\\fontsize{%3bp}{%4bp}\\selectfont]\n"
             "\\useasboundingbox(0,0)rectangle(%1bp,%2bp);\n%5\\end{tikzpicture}%\n")
      .arg(latexNumber(size.width()), latexNumber(size.height()), latexNumber(style.text),
           latexNumber(style.text * 1.2), body);
}

}  // namespace sluice::ui
