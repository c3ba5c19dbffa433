#pragma once
// Picture: a scene model, its arrangement and what is said about it (labels, heat, marks, selection) - all
// that painting needs. paintGraph() is the one paint routine: the screen calls its parts item by item,
// exports call it for everything.

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QPainterPath>
#include <array>
#include <optional>
#include <vector>

#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/scene_model.h"

namespace sluice::ui {

/// How much is drawn. Text smaller than a few pixels costs time and says nothing: from afar a box shows its
/// name alone, as large as it must be to be read, and then only its colour.
enum class Detail { Blocks, Plain, Names, Full };
constexpr double plain_zoom = 0.1, names_zoom = 0.35, full_zoom = 0.72;
Detail detailFor(double zoom);
constexpr double largest_label = 1.7;  ///< of its usual size, where it stands for itself from afar

struct BoxLook {
  QString name, title, detail, badge;  ///< as they fit
  double badge_width = 0;
  double heat = -1;  ///< -1: none
  std::optional<Mark> mark;
  bool selected = false, hovered = false;
};

struct LinkLook {
  QPainterPath path;
  QPointF middle;
  double slope = 0;  ///< in the middle; where the line is flat its label stands above it, else on it
  double length = 0;
  QStringList label;
  double heat = -1;
  std::optional<Mark> mark;
  bool selected = false, hovered = false;
  bool tip = true;  ///< its end is drawn; else it goes on in another row
};

double lineWidth(const LinkLook& look);  ///< as it is drawn, without halo and label

struct Picture {
  SceneModel model;
  Arrangement arrangement;
  std::vector<BoxLook> boxes;  ///< parallel to the model's
  std::vector<LinkLook> links;
  CanvasTheme theme;

  /// Takes model and arrangement, cuts the texts to fit, makes the paths.
  void set(SceneModel new_model, Arrangement new_arrangement);
  void trace(std::size_t link);  ///< makes a link's path again after its curve has changed

  void setLabels(const QHash<QString, QString>& by_origin);
  void setHeat(const QHash<QString, double>& of_streams, const QHash<QString, double>& of_nodes);
  void setMarks(const QHash<QString, Mark>& marks);

  QRectF rect(std::size_t box) const;
  QRectF titleRect(std::size_t box) const;  ///< a frame's title bar; else the whole box
  QRectF button(std::size_t box) const;     ///< the + or - of a region; empty for operators
  QRectF bounds(std::size_t box) const;     ///< with ports, badges and selection ring
  QRectF linkBounds(std::size_t link) const;
  QRectF labelRect(std::size_t link) const;  ///< with the mark's word; empty where there is neither
  QRectF contentRect() const;
  QColor ground(std::size_t group) const;  ///< what a group is drawn on
  double layer(std::size_t group) const { return 10.0 * static_cast<double>(model.depth(group)); }
};

inline QPointF toPoint(const LayoutPoint& point) {
  return {point.x, point.y};
}
inline LayoutPoint toLayout(const QPointF& point) {
  return {point.x(), point.y()};
}
QPainterPath curvePath(const std::vector<LayoutPoint>& curve);

QFont canvasFont(const QString& family, TextRole role);
/// Fonts and their measures, made once for many texts.
class CanvasFonts {
 public:
  explicit CanvasFonts(const QString& family);
  double width(const QString& text, TextRole role) const { return metrics(role).horizontalAdvance(text) + 1; }
  QString elided(const std::string& text, TextRole role, double room) const;

 private:
  const QFontMetricsF& metrics(TextRole role) const { return metrics_[static_cast<std::size_t>(role)]; }
  std::array<QFontMetricsF, 4> metrics_;
};

void paintBox(QPainter& painter, const Picture& picture, std::size_t box, Detail detail);
void paintLink(QPainter& painter, const Picture& picture, std::size_t link, Detail detail);
void paintLabel(QPainter& painter, const Picture& picture, std::size_t link, Detail detail);
void paintGraph(QPainter& painter, const Picture& picture, Detail detail);

}  // namespace sluice::ui
