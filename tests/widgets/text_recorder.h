#pragma once
// TextRecorder: a paint device that keeps where every text that is painted on it stands and how large it is,
// and how thin the thinnest stroke is.

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainterPath>
#include <QPen>
#include <QPolygonF>
#include <QSizeF>
#include <QString>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sluice::test {

struct PaintedText {
  QString text;
  QPolygonF area;  ///< without the empty room above and below its letters
  double size;     ///< of its font, in points
};

class TextRecorder : public QPaintDevice {
 public:
  explicit TextRecorder(QSizeF size) : size_(size) {}
  QPaintEngine* paintEngine() const override { return &engine_; }
  const std::vector<PaintedText>& texts() const { return engine_.texts; }
  /// Points; infinite without any stroke.
  double thinnestStroke() const { return engine_.thinnest; }

  /// What no printer makes readable; empty if all is well.
  QString tooSmall() const {
    constexpr double least_text = 6, least_stroke = 0.5, tolerance = 0.01;
    QString found;
    for (const PaintedText& one : texts())
      if (one.size < least_text - tolerance)
        found += QStringLiteral("'%1' is %2 pt high; ").arg(one.text).arg(one.size);
    if (thinnestStroke() < least_stroke - tolerance)
      found += QStringLiteral("a stroke is %1 pt thin; ").arg(thinnestStroke());
    return found;
  }

  /// The pairs that lie on each other, and what leaves the page; empty if all is well.
  QString faults() const {
    QString found;
    const QRectF page = QRectF(QPointF(), size_).adjusted(-1, -1, 1, 1);
    for (std::size_t i = 0; i < texts().size(); ++i) {
      const PaintedText& one = texts()[i];
      if (!page.contains(one.area.boundingRect())) found += "'" + one.text + "' leaves the page; ";
      for (std::size_t j = 0; j < i; ++j)
        if (one.area.intersects(texts()[j].area))
          found += "'" + one.text + "' lies on '" + texts()[j].text + "'; ";
    }
    return found;
  }

 protected:
  int metric(PaintDeviceMetric metric) const override {
    switch (metric) {
      case PdmWidth:
        return qRound(size_.width());
      case PdmHeight:
        return qRound(size_.height());
      case PdmWidthMM:
        return qRound(size_.width() * 25.4 / 72);
      case PdmHeightMM:
        return qRound(size_.height() * 25.4 / 72);
      case PdmDpiX:
      case PdmDpiY:
      case PdmPhysicalDpiX:
      case PdmPhysicalDpiY:
        return 72;
      case PdmDepth:
        return 24;
      case PdmNumColors:
        return 1 << 24;
      case PdmDevicePixelRatio:
        return 1;
      default:
        return QPaintDevice::metric(metric);
    }
  }

 private:
  class Engine : public QPaintEngine {
   public:
    Engine() : QPaintEngine(AllFeatures) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }
    void updateState(const QPaintEngineState& now) override {
      if (now.state() & DirtyTransform) transform_ = now.transform();
      if (now.state() & DirtyPen) pen_ = now.pen();
    }
    void drawPath(const QPainterPath&) override { stroke(); }
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override { stroke(); }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
      if (item.text().trimmed().isEmpty()) return;
      const QRectF area(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
      const QFont font = item.font();
      const double size = font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF();
      texts.push_back(
          {item.text(), transform_.map(QPolygonF(area.adjusted(0.5, 1.5, -0.5, -1.5))), size * scale()});
    }

    std::vector<PaintedText> texts;
    double thinnest = std::numeric_limits<double>::infinity();

   private:
    double scale() const { return std::sqrt(std::abs(transform_.determinant())); }
    void stroke() {
      if (pen_.style() == Qt::NoPen || pen_.widthF() == 0) return;
      thinnest = std::min(thinnest, pen_.widthF() * (pen_.isCosmetic() ? 1 : scale()));
    }

    QTransform transform_;
    QPen pen_;
  };

  QSizeF size_;
  mutable Engine engine_;
};

}  // namespace sluice::test
