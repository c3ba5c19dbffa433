#include "widgets/export/tikz_device.h"

#include <QPaintEngine>
#include <QPainterPath>
#include <QTransform>
#include <cmath>
#include <optional>
#include <utility>

#include "widgets/common/latex.h"

namespace sluice::ui {
namespace {

constexpr double smallest_font = 5;  // points

QString point(QPointF at) {
  return QStringLiteral("(%1,%2)").arg(latexNumber(at.x()), latexNumber(at.y()));
}

QString pathText(const QPainterPath& path) {
  QString text;
  for (int i = 0; i < path.elementCount(); ++i) {
    const QPainterPath::Element element = path.elementAt(i);
    switch (element.type) {
      case QPainterPath::MoveToElement:
        text += point(element);
        break;
      case QPainterPath::LineToElement:
        text += QStringLiteral("--") + point(element);
        break;
      case QPainterPath::CurveToElement:  // two data elements follow
        text += QStringLiteral("..controls") + point(element) + QStringLiteral("and") +
                point(path.elementAt(i + 1)) + QStringLiteral("..") + point(path.elementAt(i + 2));
        i += 2;
        break;
      case QPainterPath::CurveToDataElement:
        break;
    }
  }
  return text;
}

QString capText(Qt::PenCapStyle cap) {
  if (cap == Qt::RoundCap) return QStringLiteral(",line cap=round");
  return cap == Qt::SquareCap ? QStringLiteral(",line cap=rect") : QString();
}

}  // namespace

class TikzDevice::Engine : public QPaintEngine {
 public:
  Engine()
      : QPaintEngine(PaintEngineFeatures(AllFeatures) &
                     ~(PaintEngineFeatures(PatternBrush) | PerspectiveTransform | ConicalGradientFill |
                       LinearGradientFill | RadialGradientFill | PorterDuff | RasterOpModes)) {}

  bool begin(QPaintDevice*) override {
    body_.clear();
    in_scope_ = false;
    return true;
  }
  bool end() override {
    leaveScope();
    return true;
  }
  Type type() const override { return User; }

  void updateState(const QPaintEngineState& now) override {
    const DirtyFlags dirty = now.state();
    if (dirty & DirtyTransform) transform_ = now.transform();
    if (dirty & DirtyPen) pen_ = now.pen();
    if (dirty & DirtyBrush) brush_ = now.brush();
    if (dirty & DirtyOpacity) opacity_ = now.opacity();
    if (dirty & DirtyClipEnabled && !now.isClipEnabled()) clip_.reset();
    if (dirty & DirtyClipPath) clip(now.clipOperation(), now.clipPath());
    if (dirty & DirtyClipRegion) {
      QPainterPath region;
      region.addRegion(now.clipRegion());
      clip(now.clipOperation(), region);
    }
  }

  void drawPath(const QPainterPath& path) override {
    if (path.isEmpty()) return;
    const QString options = fill() + stroke();
    if (options.isEmpty()) return;
    enterScope();
    body_ += QStringLiteral("\\path[%1]%2;\n").arg(options.mid(1), pathText(transform_.map(path)));
  }

  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    if (count < 2) return;
    QPainterPath path(points[0]);
    for (int i = 1; i < count; ++i) path.lineTo(points[i]);
    if (mode == PolylineMode) {
      const QBrush kept = std::exchange(brush_, QBrush(Qt::NoBrush));
      drawPath(path);
      brush_ = kept;
    } else {
      path.closeSubpath();
      drawPath(path);
    }
  }

  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    // Set by its middle: the document's font is of another width than ours.
    const QPointF middle = transform_.map(at + QPointF(item.width() / 2, 0));
    const double size = item.font().pixelSize() > 0 ? item.font().pixelSize() : item.font().pointSizeF();
    const double scale = std::sqrt(std::abs(transform_.determinant()));
    // Fonts of some documents end at 5 points: what is smaller is drawn so and made smaller.
    const double set = std::max(size * scale, smallest_font);
    const double shrunk = size * scale / set;
    const double turn = -std::atan2(transform_.m12(), transform_.m11()) * 180 / M_PI;
    enterScope();
    body_ += QStringLiteral(
                 "\\node[inner sep=0,outer sep=0,anchor=base,text=%1%2,font=\\fontsize{%3bp}{%4bp}"
                 "\\selectfont%5]at%6{%7};\n")
                 .arg(latexColour(pen_.color()),
                      (std::abs(turn) > 0.01 ? QStringLiteral(",rotate=") + latexNumber(turn) : QString()) +
                          (shrunk < 1 ? QStringLiteral(",scale=") + latexNumber(shrunk) : QString()),
                      latexNumber(set), latexNumber(set * 1.2),
                      item.font().bold() ? QStringLiteral("\\bfseries") : QString(), point(middle),
                      latexText(item.text()));
  }

  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override { ++pictures_; }
  void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {
    ++pictures_;
  }

  const QString& body() const { return body_; }
  int pictures() const { return pictures_; }

 private:
  void clip(Qt::ClipOperation operation, const QPainterPath& logical) {
    const QPainterPath path = transform_.map(logical);
    if (operation == Qt::NoClip) {
      clip_.reset();
    } else if (operation == Qt::IntersectClip && clip_) {
      clip_ = clip_->intersected(path);
    } else {
      clip_ = path;
    }
  }

  /// Everything is drawn in a scope with the clip that holds now.
  void enterScope() {
    if (in_scope_ && clip_ == scope_clip_) return;
    leaveScope();
    body_ += QStringLiteral("\\begin{scope}\n");
    if (clip_) {
      const QString path = pathText(*clip_);
      body_ += QStringLiteral("\\clip%1;\n").arg(path.isEmpty() ? QStringLiteral("(0,0)") : path);
    }
    scope_clip_ = clip_;
    in_scope_ = true;
  }
  void leaveScope() {
    if (std::exchange(in_scope_, false)) body_ += QStringLiteral("\\end{scope}\n");
  }

  QString fill() const {
    if (brush_.style() == Qt::NoBrush || brush_.color().alpha() == 0) return {};
    return QStringLiteral(",fill=%1%2").arg(latexColour(brush_.color()), opacity("fill", brush_.color()));
  }

  QString stroke() const {
    if (pen_.style() == Qt::NoPen || pen_.color().alpha() == 0) return {};
    const double scale = pen_.isCosmetic() ? 1 : std::sqrt(std::abs(transform_.determinant()));
    const double width = pen_.widthF() > 0 ? pen_.widthF() : 0.5;
    QString text =
        QStringLiteral(",draw=%1%2,line width=%3bp")
            .arg(latexColour(pen_.color()), opacity("draw", pen_.color()), latexNumber(width * scale));
    text += capText(pen_.capStyle());
    if (pen_.joinStyle() == Qt::RoundJoin) text += QStringLiteral(",line join=round");
    if (pen_.style() == Qt::SolidLine) return text;
    QStringList dashes;
    const QList<qreal> pattern = pen_.dashPattern();
    for (qsizetype i = 0; i < pattern.size(); ++i) {
      dashes << QStringLiteral("%1 %2bp").arg(i % 2 ? QStringLiteral("off") : QStringLiteral("on"),
                                              latexNumber(pattern[i] * width * scale));
    }
    return text + QStringLiteral(",dash pattern=") + dashes.join(QLatin1Char(' '));
  }

  QString opacity(const char* what, const QColor& colour) const {
    const double value = opacity_ * colour.alphaF();
    return value > 0.999 ? QString()
                         : QStringLiteral(",%1 opacity=%2").arg(QLatin1String(what), latexNumber(value));
  }

  QString body_;
  QTransform transform_;
  QPen pen_;
  QBrush brush_;
  double opacity_ = 1;
  std::optional<QPainterPath> clip_, scope_clip_;
  bool in_scope_ = false;
  int pictures_ = 0;
};

TikzDevice::TikzDevice(QSizeF size) : size_(size), engine_(std::make_unique<Engine>()) {}
TikzDevice::~TikzDevice() = default;

QPaintEngine* TikzDevice::paintEngine() const {
  return engine_.get();
}
int TikzDevice::pictures() const {
  return engine_->pictures();
}

QString TikzDevice::text() const {
  return QStringLiteral(
             "% Needs \\usepackage{tikz,xcolor} and \\usepackage[T1]{fontenc}.\n"
             "\\begin{tikzpicture}[x=1bp,y=-1bp]\n\\useasboundingbox(0,0)rectangle(%1,%2);\n%3"
             "\\end{tikzpicture}%\n")
      .arg(latexNumber(size_.width()), latexNumber(size_.height()), engine_->body());
}

int TikzDevice::metric(PaintDeviceMetric metric) const {
  switch (metric) {
    case PdmWidth:
      return static_cast<int>(std::ceil(size_.width()));
    case PdmHeight:
      return static_cast<int>(std::ceil(size_.height()));
    case PdmWidthMM:
      return static_cast<int>(size_.width() * 25.4 / 72);
    case PdmHeightMM:
      return static_cast<int>(size_.height() * 25.4 / 72);
    case PdmNumColors:
      return 1 << 24;
    case PdmDepth:
      return 24;
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY:
      return 72;
    case PdmDevicePixelRatio:
      return 1;
    default:
      return QPaintDevice::metric(metric);
  }
}

}  // namespace sluice::ui
