#include "widgets/canvas/wrapped_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::ui {
namespace {

constexpr double mark_radius = 8;    // of the number at a cut, in scene units
constexpr double row_distance = 10;  // points

struct Cut {
  double x;
  std::vector<CutMark> marks;
};

/// Where the picture can be cut without cutting a box, at most one for each gap, and there through as few
/// labels as can be.
std::vector<double> possibleCuts(const Picture& picture) {
  std::vector<std::pair<double, double>> spans;
  for (std::size_t box = 0; box < picture.boxes.size(); ++box)
    spans.emplace_back(picture.rect(box).left(), picture.rect(box).right());
  std::sort(spans.begin(), spans.end());
  std::vector<QRectF> labels;
  for (std::size_t link = 0; link < picture.links.size(); ++link) labels.push_back(picture.labelRect(link));
  const auto crossed = [&labels](double x) {
    return std::count_if(labels.begin(), labels.end(), [x](const QRectF& label) {
      return !label.isEmpty() && label.left() - mark_radius < x && x < label.right() + mark_radius;
    });
  };
  constexpr double room = 2 * mark_radius, step = 4;
  std::vector<double> cuts;
  double end = spans.empty() ? 0 : spans.front().second;
  for (const auto& [left, right] : spans) {
    auto least = std::numeric_limits<std::ptrdiff_t>::max();
    double best = 0;
    for (double x = left - room; x >= end + room; x -= step) {
      const auto labels_there = crossed(x);
      if (labels_there >= least) continue;
      least = labels_there;
      best = x;
    }
    if (least < std::numeric_limits<std::ptrdiff_t>::max()) cuts.push_back(best);
    end = std::max(end, right);
  }
  return cuts;
}

/// Rows as wide as they may be, filled from the left.
std::vector<double> chosenCuts(const std::vector<double>& possible, const QRectF& content, double most) {
  std::vector<double> chosen;
  double start = content.left(), last = start;
  const auto reach = [&](double x) {
    if (x - start > most && last > start) {
      chosen.push_back(last);
      start = last;
    }
    last = x;
  };
  for (const double cut : possible) reach(cut);
  reach(content.right());
  return chosen;
}

/// What of the path lies between two places. `whole_end`: its end does.
QPainterPath between(const QPainterPath& path, double left, double right, bool& whole_end) {
  QPainterPath part;
  whole_end = false;
  const QList<QPolygonF> polygons = path.toSubpathPolygons();
  if (path.boundingRect().left() >= left && path.boundingRect().right() <= right) {
    whole_end = true;
    return path;
  }
  for (const QPolygonF& line : polygons) {
    bool drawing = false;
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
      const QPointF a = line[i], b = line[i + 1];
      const double run = b.x() - a.x();
      double from = 0, to = 1;
      if (std::abs(run) < 1e-9) {
        if (a.x() < left || a.x() > right) from = 2;
      } else {
        const double enter = ((run > 0 ? left : right) - a.x()) / run,
                     leave = ((run > 0 ? right : left) - a.x()) / run;
        from = std::max(from, enter);
        to = std::min(to, leave);
      }
      if (from > to) {
        drawing = false;
        continue;
      }
      if (!drawing || from > 0) part.moveTo(a + (b - a) * from);
      part.lineTo(a + (b - a) * to);
      drawing = to >= 1;
      whole_end = drawing && i + 2 == line.size();
    }
  }
  return part;
}

/// Streams that cross so close to each other that their numbers would touch have one.
Cut cutAt(const Picture& picture, double x, int& number) {
  std::vector<double> heights;
  for (const LinkLook& link : picture.links)
    for (const QPolygonF& line : link.path.toSubpathPolygons())
      for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const QPointF a = line[i], b = line[i + 1];
        if ((a.x() < x) == (b.x() < x)) continue;
        heights.push_back(a.y() + (b.y() - a.y()) * (x - a.x()) / (b.x() - a.x()));
      }
  std::sort(heights.begin(), heights.end());
  Cut cut{x, {}};
  for (const double y : heights)
    if (cut.marks.empty() || y - cut.marks.back().at.y() > 2.2 * mark_radius)
      cut.marks.push_back({QPointF(x, y), number++});
  return cut;
}

PictureRow rowBetween(const Picture& whole, double left, double right) {
  PictureRow row{whole, {}, {}};
  Picture& picture = row.picture;
  for (SceneGroup& group : picture.model.groups) {
    std::erase_if(group.boxes, [&](std::size_t box) {
      const double x = whole.rect(box).center().x();
      return x < left || x >= right;
    });
    for (const std::size_t box : group.boxes) row.area |= whole.bounds(box);
    for (const std::size_t link : group.links) {
      LinkLook& look = picture.links[link];
      look.path = between(look.path, left, right, look.tip);
      const QRectF label = whole.labelRect(link);
      if (label.left() < left + mark_radius || label.right() > right - mark_radius) {
        look.label_area = {};
      }
    }
    std::erase_if(group.links, [&](std::size_t link) { return picture.links[link].path.isEmpty(); });
    for (const std::size_t link : group.links)
      row.area |= picture.links[link].path.boundingRect() | picture.labelRect(link);
  }
  return row;
}

WrappedPicture inRows(const Picture& picture, const std::vector<double>& places, double width) {
  WrappedPicture made;
  std::vector<Cut> cuts;
  int number = 1;
  for (const double x : places) cuts.push_back(cutAt(picture, x, number));
  constexpr double far = std::numeric_limits<double>::infinity();
  double widest = 1;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    PictureRow row = rowBetween(picture, i == 0 ? -far : cuts[i - 1].x, i == cuts.size() ? far : cuts[i].x);
    for (const Cut* cut : {i == 0 ? nullptr : &cuts[i - 1], i == cuts.size() ? nullptr : &cuts[i]})
      if (cut) row.marks.insert(row.marks.end(), cut->marks.begin(), cut->marks.end());
    for (const CutMark& mark : row.marks)
      row.area |=
          QRectF(mark.at, QSizeF(0, 0)).adjusted(-mark_radius, -mark_radius, mark_radius, mark_radius);
    row.area.adjust(-2, -2, 2, 2);
    widest = std::max(widest, row.area.width());
    made.rows.push_back(std::move(row));
  }
  made.scale = width / widest;
  made.height = row_distance * static_cast<double>(made.rows.size() - 1);
  for (const PictureRow& row : made.rows) made.height += row.area.height() * made.scale;
  return made;
}

}  // namespace

double pageHeight(double width) {
  return std::clamp(width * 1.6, 280.0, highest_page);
}

WrappedPicture wrapped(const Picture& picture, double width, double least_scale) {
  WrappedPicture best = inRows(picture, {}, width);
  if (best.scale >= least_scale || picture.boxes.size() > most_boxes_in_rows) return best;
  const double page = pageHeight(width);
  const std::vector<double> possible = possibleCuts(picture);
  const double single = best.scale;
  for (double scale = least_scale; scale > single * 1.2; scale *= 0.85) {
    const double most = width / scale - 2 * mark_radius;
    WrappedPicture made = inRows(picture, chosenCuts(possible, picture.contentRect(), most), width);
    if (made.height <= page && made.scale > best.scale) return made;
  }
  return best;
}

void paintWrapped(QPainter& painter, const WrappedPicture& wrapped) {
  double top = 0;
  for (const PictureRow& row : wrapped.rows) {
    painter.save();
    painter.translate(0, top);
    painter.scale(wrapped.scale, wrapped.scale);
    painter.translate(-row.area.topLeft());
    paintGraph(painter, row.picture);
    const CanvasTheme& theme = row.picture.theme;
    painter.setFont(canvasFont(theme.family, TextRole::Port));
    for (const CutMark& mark : row.marks) {
      painter.setPen(QPen(theme.edge, 1));
      painter.setBrush(theme.box);
      painter.drawEllipse(mark.at, mark_radius, mark_radius);
      painter.setPen(theme.text);
      painter.drawText(QRectF(mark.at, QSizeF(0, 0)).adjusted(-20, -mark_radius, 20, mark_radius),
                       static_cast<int>(Qt::AlignCenter) | Qt::TextSingleLine, QString::number(mark.number));
    }
    painter.restore();
    top += row.area.height() * wrapped.scale + row_distance;
  }
}

}  // namespace sluice::ui
