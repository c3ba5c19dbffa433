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
#include <functional>
#include <optional>
#include <vector>

#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/note.h"
#include "widgets/canvas/plate.h"
#include "widgets/canvas/scene_model.h"

namespace sluice::ui {

/// How much is drawn. All text of a level is of one size, and none smaller than `smallest_text` on the
/// screen: in full detail it grows with the boxes, from afar the names alone are written, then only colours.
enum class Detail { Blocks, Plain, Names, Full };
constexpr double plain_zoom = 0.1, names_zoom = 0.2, small_text_zoom = 0.45, full_zoom = 0.85;
constexpr int usual_text = 12;                     ///< pixels in the scene, in full detail
constexpr int small_text = 10, smallest_text = 9;  ///< pixels on the screen: of names, and from further away
constexpr double mark_rows = 1.5;                  ///< lines that the word of a mark takes in a label
Detail detailFor(double zoom);
int textSizeFor(double zoom);  ///< pixels of the scene

struct BoxLook {
  QString name, title, detail, badge;  ///< as they fit
  double badge_width = 0;
  double heat = -1;  ///< -1: none
  std::optional<Mark> mark;
  std::optional<Note> note;  ///< instead of the title
  bool selected = false, hovered = false;
};

struct LinkLook {
  QPainterPath path;
  QPointF middle;
  double length = 0;
  QStringList label;
  double heat = -1;
  std::optional<Mark> mark;
  std::optional<Note> note;  ///< instead of the label
  QRectF label_area;         ///< where label, mark and note stand; empty where there is no room
  bool shows_label = false;  ///< false: there is room for the mark only
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
  Detail detail = Detail::Full;
  int text_size = usual_text;  ///< the size of all text, in pixels of the scene
  bool small_text = false;     ///< names are set narrow
  QRectF labelled;             ///< no label reaches out of it; null: anywhere
  std::vector<Plate> plates;   ///< of the layers, as they were asked when labels were placed
  std::function<std::vector<Plate>(const Picture&)> plates_of;

  /// Takes model and arrangement, cuts the texts to fit, makes the paths.
  void set(SceneModel new_model, Arrangement new_arrangement);
  void trace(std::size_t link);  ///< makes a link's path again after its curve has changed

  void setLabels(const QHash<QString, QString>& by_origin);
  void setHeat(const QHash<QString, double>& of_streams, const QHash<QString, double>& of_nodes);
  void setMarks(const QHash<QString, Mark>& marks);
  void setNotes(const Notes& notes);
  /// Whether the level of detail or the size of text has changed.
  bool setZoom(double zoom);
  void placesChanged() { content_.reset(); }
  /// After a change of labels, marks, notes, plates, places or text size.
  void placeLabels();
  /// The same with boxes and links at other places; labels have to be placed.
  Picture rearranged(Arrangement places) const;
  /// As it goes on paper: in every detail, with nothing selected.
  Picture onPaper(const CanvasTheme& paper) const;

  QRectF rect(std::size_t box) const;
  QRectF titleRect(std::size_t box) const;  ///< a frame's title bar; else the whole box
  QRectF button(std::size_t box) const;     ///< the + or - of a region; empty for operators
  QRectF bounds(std::size_t box) const;     ///< with ports, badges and selection ring
  QRectF linkBounds(std::size_t link) const;
  /// With the mark's word; empty where there is neither, or no room.
  QRectF labelRect(std::size_t link) const { return links[link].label_area; }
  const QRectF& contentRect() const;       ///< of boxes and lines
  QColor ground(std::size_t group) const;  ///< what a group is drawn on
  double layer(std::size_t group) const { return 10.0 * static_cast<double>(model.depth(group)); }

 private:
  mutable std::optional<QRectF> content_;  ///< as far as it is known
};

inline QPointF toPoint(const LayoutPoint& point) {
  return {point.x, point.y};
}
inline LayoutPoint toLayout(const QPointF& point) {
  return {point.x(), point.y()};
}
QPainterPath curvePath(const std::vector<LayoutPoint>& curve);

QFont canvasFont(const QString& family, TextRole role, int pixel_size = usual_text);
/// Of names where they are all that is written: not bold, as nothing is to be told from them.
QFont distantFont(const Picture& picture);
QFont plateFont(const Picture& picture, const Plate& plate);
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

void paintBox(QPainter& painter, const Picture& picture, std::size_t box);
void paintLink(QPainter& painter, const Picture& picture, std::size_t link);
void paintLabel(QPainter& painter, const Picture& picture, std::size_t link);
void paintPlates(QPainter& painter, const Picture& picture);
void paintGraph(QPainter& painter, const Picture& picture);

}  // namespace sluice::ui
