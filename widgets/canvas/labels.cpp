#include "widgets/canvas/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "widgets/canvas/curve.h"
#include "widgets/canvas/picture.h"

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;

/// Rectangles, found by the cells of a grid that they touch.
class Occupied {
 public:
  explicit Occupied(double cell) : cell_(cell) {}

  void add(const QRectF& rect) {
    visit(rect, [&](std::int64_t key) {
      cells_[key].push_back(rect);
      return true;
    });
  }

  bool isFree(const QRectF& rect) const {
    return visit(rect, [&](std::int64_t key) {
      const auto cell = cells_.find(key);
      return cell == cells_.end() ||
             std::none_of(cell->second.begin(), cell->second.end(),
                          [&](const QRectF& other) { return other.intersects(rect); });
    });
  }

 private:
  template <class Each>
  bool visit(const QRectF& rect, Each each) const {
    const auto index = [this](double at) { return static_cast<std::int64_t>(std::floor(at / cell_)); };
    for (std::int64_t x = index(rect.left()); x <= index(rect.right()); ++x)
      for (std::int64_t y = index(rect.top()); y <= index(rect.bottom()); ++y)
        if (!each((x << 32) ^ (y & 0xFFFFFFFF))) return false;
    return true;
  }

  const double cell_;
  std::unordered_map<std::int64_t, std::vector<QRectF>> cells_;
};

/// The lines of all links, in short pieces; each is asked about by the others.
class Lines {
 public:
  void add(std::size_t link, const QPainterPath& path) {
    for (const QPolygonF& line : path.toSubpathPolygons())
      for (qsizetype i = 0; i + 1 < line.size(); ++i) addPiece(link, line[i], line[i + 1]);
  }

  bool crossedByOthers(std::size_t link, const QRectF& area) const {
    for (std::int64_t x = cellOf(area.left()); x <= cellOf(area.right()); ++x)
      for (std::int64_t y = cellOf(area.top()); y <= cellOf(area.bottom()); ++y) {
        const auto cell = cells_.find(keyOf(x, y));
        if (cell == cells_.end()) continue;
        for (const auto& [owner, at] : cell->second)
          if (owner != link && area.contains(at)) return true;
      }
    return false;
  }

 private:
  static constexpr double step = 6, size = 64;  // points

  static std::int64_t cellOf(double at) { return static_cast<std::int64_t>(std::floor(at / size)); }
  static std::int64_t keyOf(std::int64_t x, std::int64_t y) { return (x << 32) ^ (y & 0xFFFFFFFF); }

  void addPiece(std::size_t link, QPointF from, QPointF to) {
    const double length = std::hypot(to.x() - from.x(), to.y() - from.y());
    const int pieces = std::max(1, static_cast<int>(std::ceil(length / step)));
    for (int piece = 0; piece < pieces; ++piece) {
      const QPointF at = from + (to - from) * piece / pieces;
      cells_[keyOf(cellOf(at.x()), cellOf(at.y()))].emplace_back(link, at);
    }
  }

  std::unordered_map<std::int64_t, std::vector<std::pair<std::size_t, QPointF>>> cells_;
};

constexpr std::size_t most_clear_links = 1000;  // in a larger graph labels may lie on lines

class LabelPlacer {
 public:
  explicit LabelPlacer(Picture& picture)
      : picture_(picture),
        metrics_(canvasFont(picture.theme.family, TextRole::Port, picture.text_size)),
        taken_(16.0 * picture.text_size) {}

  void run() {
    for (std::size_t box = 0; box < picture_.boxes.size(); ++box) takeBox(box);
    if (picture_.links.size() <= most_clear_links)
      for (std::size_t link = 0; link < picture_.links.size(); ++link)
        lines_.add(link, picture_.links[link].path);
    std::vector<std::size_t> order(picture_.links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto rank = [this](std::size_t link) {
      const LinkLook& look = picture_.links[link];
      return look.selected ? 0 : look.mark ? 1 : look.note ? 2 : 3;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    const auto others = std::find_if(order.begin(), order.end(), [&](auto link) { return rank(link) > 1; });
    std::for_each(order.begin(), others, [this](std::size_t link) { place(link); });
    for (const bool needed : {true, false})
      for (Plate& plate : picture_.plates)
        if (plate.needed == needed) place(plate);
    std::for_each(others, order.end(), [this](std::size_t link) { place(link); });
  }

 private:
  void takeBox(std::size_t box) {
    const SceneBox& model = picture_.model.boxes[box];
    const QRectF rect = picture_.rect(box);
    const double around = picture_.boxes[box].mark ? 13 : 6;
    if (model.kind != SceneBox::Kind::Frame) {
      const double deck = model.kind == SceneBox::Kind::Region ? 8 : around;  // its cards
      return taken_.add(rect.adjusted(-around, -around, std::max(around, deck), std::max(around, deck)));
    }
    // What is in a frame is outside of it for the links around it, see fits().
    if (picture_.detail < Detail::Full) return;
    for (const double y : picture_.arrangement.inputs[box])
      taken_.add({rect.left(), rect.top() + y + 2, 82, 16});
    for (const double y : picture_.arrangement.outputs[box])
      taken_.add({rect.right() - 82, rect.top() + y + 2, 82, 16});
  }

  bool fits(const QRectF& area, std::size_t group) const {
    if (!taken_.isFree(area)) return false;
    if (!picture_.labelled.isNull() && !picture_.labelled.contains(area)) return false;
    const SceneGroup& scene = picture_.model.groups[group];
    for (const std::size_t box : scene.boxes)
      if (picture_.model.boxes[box].kind == SceneBox::Kind::Frame &&
          picture_.rect(box).adjusted(-6, -6, 6, 6).intersects(area))
        return false;
    if (scene.frame == nowhere) return true;
    const double title = std::max(Measures::frame_title, 1.3 * picture_.text_size);
    return picture_.rect(scene.frame).adjusted(3, title, -3, -3).contains(area);
  }

  void place(std::size_t link) {
    LinkLook& look = picture_.links[link];
    look.label_area = {};
    const std::size_t group = picture_.model.links[link].group;
    QStringList lines = look.note
                            ? QStringList(look.note->widest.isEmpty() ? look.note->text : look.note->widest)
                            : look.label;
    // A finding is worth more than the shape: it goes alone where both have no room.
    for (;;) {
      const QSizeF size = sizeOf(look, lines);
      if (size.isEmpty()) return;
      if (const auto area = findRoom(link, size, group)) {
        look.label_area = *area;
        look.shows_label = !lines.isEmpty();
        taken_.add(area->adjusted(-2, -1, 2, 1));
        return;
      }
      if (look.note || !look.mark || lines.isEmpty()) return;
      lines.clear();
    }
  }

  void place(Plate& plate) {
    const QFontMetricsF metrics(plateFont(picture_, plate));
    const QSizeF size(std::ceil(metrics.horizontalAdvance(plate.text)) + 12, metrics.height() + 3);
    std::optional<QRectF> area;
    if (plate.link != nowhere) area = findRoom(plate.link, size, plate.group);
    if (!area && !plate.beside.isNull()) area = findRoomBeside(plate, size);
    if (!area) return;
    plate.area = *area;
    taken_.add(area->adjusted(-2, -1, 2, 1));
  }

  /// Above it first, then below. Where it is needed ever further away, at last outside of the frame around.
  std::optional<QRectF> findRoomBeside(const Plate& plate, const QSizeF& size) const {
    constexpr int far = 8;
    QRectF around = plate.beside;
    for (std::size_t group = plate.group;;) {
      const std::size_t frame = picture_.model.groups[group].frame;
      for (int step = 0; step == 0 || (plate.needed && (step < far || frame == nowhere)); ++step) {
        const double away = step * size.height() / 2;
        for (const double y : {around.top() - size.height() - away, around.bottom() + away})
          for (const double x :
               {around.center().x() - size.width() / 2, around.left(), around.right() - size.width()})
            if (const QRectF area(QPointF(x, y), size); fits(area, group)) return area;
      }
      if (!plate.needed) return std::nullopt;
      around = picture_.rect(frame).adjusted(-7, -7, 7, 7);
      group = picture_.model.boxes[frame].group;
    }
  }

  QSizeF sizeOf(const LinkLook& look, const QStringList& lines) const {
    const double most = look.selected ? 1000 : std::max(7.0 * picture_.text_size, look.length - 24);
    double width = 0;
    for (const QString& line : lines)
      width = std::max(width, std::min(most, std::ceil(metrics_.horizontalAdvance(line))));
    auto rows = static_cast<double>(lines.size());
    if (look.mark && !look.note) {
      width = std::max(width, metrics_.horizontalAdvance(look.mark->word) + 26);
      rows += mark_rows;
    }
    return rows == 0 ? QSizeF() : QSizeF(width + 8, rows * metrics_.height() + 2);
  }

  /// Where no other line goes through it; else where nothing else stands.
  std::optional<QRectF> findRoom(std::size_t link, const QSizeF& size, std::size_t group) const {
    std::optional<QRectF> crossed;
    const std::optional<QRectF> clear =
        findRoom(picture_.arrangement.links[link], size, [&](const QRectF& area) {
          if (!fits(area, group)) return false;
          if (!lines_.crossedByOthers(link, area)) return true;
          if (!crossed) crossed = area;
          return false;
        });
    return clear ? clear : crossed;
  }

  /// Near the middle first; where the line is flat above it, then below, else on it, or beside it.
  template <class Fits>
  static std::optional<QRectF> findRoom(const Curve& curve, const QSizeF& size, Fits fits) {
    for (const double share :
         {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.45, 0.55, 0.35, 0.65, 0.25, 0.75, 0.15, 0.85}) {
      const CurvePlace place = placeOn(curve, share);
      const double slope = std::abs(place.along.y) / std::max(0.1, std::abs(place.along.x));
      const double lift = size.height() / 2 + 4 + 0.4 * std::min(slope, 1.0) * size.width();
      QRectF area(QPointF(), size);
      area.moveCenter(toPoint(place.at));
      const double aside = size.width() / 2 + 4;
      const std::array<QRectF, 3> choices =
          slope < 0.3   ? std::array{area.translated(0, -lift), area.translated(0, lift), area}
          : slope < 3.0 ? std::array{area, area.translated(0, -lift), area.translated(0, lift)}
                        : std::array{area, area.translated(aside, 0), area.translated(-aside, 0)};
      for (const QRectF& choice : choices)
        if (fits(choice)) return choice;
    }
    return std::nullopt;
  }

  Picture& picture_;
  const QFontMetricsF metrics_;
  Occupied taken_;
  Lines lines_;
};

constexpr std::array narrow_letters = {85, 75, 66};  // per cent of their width

/// One word of a name from the next: "attn_out", "ln.1".
bool separates(QChar letter) {
  return letter == '_' || letter == '.' || letter == '-' || letter == ' ' || letter == '/';
}

/// Whether a word begins at the letter: behind a separator, at a number, or in camel case.
bool beginsWord(const QString& name, qsizetype at) {
  const QChar before = name[at - 1], letter = name[at];
  if (separates(before)) return !separates(letter);
  if (separates(letter)) return false;
  if (before.isDigit() != letter.isDigit()) return true;
  const bool small_follows = at + 1 < name.size() && name[at + 1].isLower();
  return letter.isUpper() && (before.isLower() || small_follows);  // "softMax", "MLPBlock"
}

/// What a line costs that ends before the letter: little behind a separator, more where a word begins without
/// one, much within a word, and more where next to nothing of it stands alone.
double breakCost(const QString& name, qsizetype at) {
  constexpr qsizetype fewest = 3;  // letters
  if (separates(name[at - 1])) return 0;
  if (beginsWord(name, at)) return 1;
  if (separates(name[at])) return 2;
  qsizetype first = at, last = at + 1;
  while (first > 0 && at - first < fewest && (first == at || !beginsWord(name, first))) --first;
  while (last < name.size() && last - at < fewest && !beginsWord(name, last) && !separates(name[last]))
    ++last;
  return at - first < fewest || last - at < fewest ? 200 : 100;
}

/// The cheapest way to break a name into lines of a width; none: it does not fit.
class LineBreaker {
 public:
  LineBreaker(const QString& name, const QFontMetricsF& metrics, double width, int most_lines)
      : name_(name), width_(width), ends_{0.0}, best_(static_cast<std::size_t>(most_lines) + 1) {
    for (const QChar letter : name) ends_.push_back(ends_.back() + metrics.horizontalAdvance(letter));
  }

  QStringList lines() {
    for (auto& row : best_) row.assign(ends_.size(), {});
    best_[0][0].cost = 0;
    for (std::size_t line = 1; line < best_.size(); ++line)
      for (std::size_t to = 1; to < ends_.size(); ++to) best_[line][to] = bestLine(line, to);
    const auto cheaper = [](const auto& a, const auto& b) { return a.back().cost < b.back().cost; };
    const auto found = std::min_element(best_.begin() + 1, best_.end(), cheaper);
    if (found->back().cost == never) return {};
    QStringList made;
    auto to = ends_.size() - 1;
    for (auto line = static_cast<std::size_t>(found - best_.begin()); line > 0; --line) {
      const std::size_t from = best_[line][to].from;
      made.prepend(name_.mid(static_cast<qsizetype>(from), static_cast<qsizetype>(to - from)).trimmed());
      to = from;
    }
    return made;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr double line_cost = 3;  // more than a break between words

  struct Way {
    double cost = never;
    std::size_t from = 0;  ///< where the last line begins
  };

  /// That so many lines end before the letter.
  Way bestLine(std::size_t line, std::size_t to) const {
    Way best;
    const bool last = to + 1 == ends_.size();
    for (std::size_t from = to; from-- > 0 && ends_[to] - ends_[from] <= width_;) {
      if (best_[line - 1][from].cost == never) continue;
      const double empty = 1 - (ends_[to] - ends_[from]) / width_;
      const double cost = best_[line - 1][from].cost + line_cost + empty * empty +
                          (last ? 0 : breakCost(name_, static_cast<qsizetype>(to)));
      if (cost < best.cost) best = {cost, from};
    }
    return best;
  }

  const QString& name_;
  const double width_;
  std::vector<double> ends_;            ///< of each letter, from the start of the name
  std::vector<std::vector<Way>> best_;  ///< by lines and letters
};

/// So many lines as full as they get, and in the last what is left, without its middle; of a few letters both
/// ends would say nothing.
QStringList shortened(const QString& name, const QFontMetricsF& metrics, double width, int most_lines) {
  constexpr qsizetype most_lost = 3;  // letters of a line, for a word that is kept whole
  QStringList lines;
  QString rest = name;
  while (lines.size() + 1 < most_lines) {
    qsizetype fitting = 0, word = 0;
    while (fitting < rest.size() && metrics.horizontalAdvance(rest.left(fitting + 1)) <= width) {
      ++fitting;
      if (fitting < rest.size() && (separates(rest[fitting - 1]) || beginsWord(rest, fitting)))
        word = fitting;
    }
    if (fitting == 0) return {};
    const qsizetype cut = word > 0 && fitting - word <= most_lost ? word : fitting;
    lines << rest.left(cut).trimmed();
    rest = rest.mid(cut);
  }
  const bool both_ends = metrics.horizontalAdvance(QStringLiteral("1234567")) <= width;
  lines << metrics.elidedText(rest, both_ends ? Qt::ElideMiddle : Qt::ElideRight, width);
  return lines.size() == 1 && lines.front().size() < 2 ? QStringList() : lines;
}

}  // namespace

QStringList nameLines(const QString& name, const QFontMetricsF& metrics, double width, int most_lines) {
  if (most_lines < 1 || name.isEmpty()) return {};
  if (metrics.horizontalAdvance(name) <= width) return {name};
  const QStringList lines = LineBreaker(name, metrics, width, most_lines).lines();
  return lines.isEmpty() ? shortened(name, metrics, width, most_lines) : lines;
}

bool endsWithWords(const QString& name, const QStringList& lines) {
  qsizetype at = 0;
  for (qsizetype line = 0; line + 1 < lines.size(); ++line) {
    at += lines[line].size();
    while (at < name.size() && name[at] == QLatin1Char(' ')) ++at;
    if (at < name.size() && !separates(name[at - 1]) && !separates(name[at]) && !beginsWord(name, at))
      return false;
  }
  return !lines.isEmpty() && (name.contains(QChar(0x2026)) || !lines.back().contains(QChar(0x2026)));
}

SetName setName(const QString& name, const QFont& font, double width, int most_lines) {
  SetName made{font, nameLines(name, QFontMetricsF(font), width, most_lines)};
  if (made.lines.isEmpty() || endsWithWords(name, made.lines)) return made;
  SetName narrow = made;
  for (const int stretch : narrow_letters) {
    narrow.font.setStretch(stretch);
    narrow.lines = nameLines(name, QFontMetricsF(narrow.font), width, most_lines);
    if (endsWithWords(name, narrow.lines)) return narrow;
  }
  return narrow.lines.size() > made.lines.size() ? made : narrow;
}

double wordWidth(const QString& name, const QFontMetricsF& metrics, int most_lines) {
  std::vector<double> words;  // the widths of what cannot be broken
  qsizetype from = 0;
  for (qsizetype at = 1; at <= name.size(); ++at) {
    if (at < name.size() && !(separates(name[at - 1]) && !separates(name[at])) && !beginsWord(name, at))
      continue;
    words.push_back(metrics.horizontalAdvance(name.mid(from, at - from)));
    from = at;
  }
  const auto fits = [&](double width) {
    int lines = 1;
    double filled = 0;
    for (const double word : words) {
      if (filled > 0 && filled + word > width) {
        ++lines;
        filled = 0;
      }
      filled += word;
    }
    return lines <= most_lines;
  };
  double width = words.empty() ? 0 : *std::max_element(words.begin(), words.end());
  while (!fits(width)) width += 1;
  return std::ceil(width) + 1;
}

namespace {

/// What is read from afar, where boxes have no room for names. Over the boxes: what of the layers must be
/// read - groups of nodes, wait cycles - and regions and folded groups that are one box. Above or below
/// theirs, as on a map: names of nodes, as many as there is room for. None lies on another.
class FarNames {
 public:
  explicit FarNames(const Picture& picture)
      : picture_(picture),
        metrics_(plateFont(picture, {})),
        names_nodes_(picture.detail >= Detail::Plain && picture.boxes.size() <= most_named),
        taken_(16.0 * picture.text_size),
        boxes_(16.0 * picture.text_size) {
    for (std::size_t box = 0; box < picture.boxes.size(); ++box)
      if (kindOf(box) == SceneBox::Kind::Frame)
        taken_.add(picture.titleRect(box));
      else if (names_nodes_)
        boxes_.add(picture.rect(box));
  }

  std::vector<Plate> placed(const std::vector<Plate>& wanted) {
    for (const Plate& plate : wanted)
      if (plate.needed && !plate.beside.isNull()) placeOn(plate);
    for (std::size_t box = 0; box < picture_.boxes.size(); ++box)
      if (kindOf(box) == SceneBox::Kind::Region) placeOn(nameOf(box, most_letters));
    for (const int rank : {0, 1, 2})
      for (std::size_t box = 0; names_nodes_ && box < picture_.boxes.size(); ++box)
        if (kindOf(box) == SceneBox::Kind::Operator && rankOf(box) == rank) placeBeside(box);
    return std::move(plates_);
  }

 private:
  static constexpr qsizetype most_letters = 16, few_letters = 9;
  static constexpr std::size_t most_named =
      500;  // of more nodes few would find room, and zooming would be slow

  SceneBox::Kind kindOf(std::size_t box) const { return picture_.model.boxes[box].kind; }

  /// What is selected or marked, what computes, the rest.
  int rankOf(std::size_t box) const {
    if (picture_.boxes[box].selected || picture_.boxes[box].mark) return 0;
    return picture_.model.boxes[box].category.find("memory") == std::string::npos ? 1 : 2;
  }

  /// Without its middle where it is longer.
  Plate nameOf(std::size_t box, qsizetype letters) const {
    QString name = QString::fromStdString(picture_.model.boxes[box].name);
    if (name.size() > letters) name = name.left((letters - 1) / 2) + QChar(0x2026) + name.right(letters / 2);
    return {.text = name,
            .ground = picture_.ground(picture_.model.boxes[box].group),
            .ink = picture_.theme.text,
            .beside = picture_.rect(box)};
  }

  QRectF areaOf(const Plate& plate) const {
    const double width = plate.strong
                             ? QFontMetricsF(plateFont(picture_, plate)).horizontalAdvance(plate.text)
                             : metrics_.horizontalAdvance(plate.text);
    return {0, 0, std::ceil(width) + 6, metrics_.height() + 1};
  }

  bool take(Plate plate, const QRectF& area, bool over_boxes) {
    if (!picture_.labelled.isNull() && !picture_.labelled.contains(area)) return false;
    if (!taken_.isFree(area) || (!over_boxes && !boxes_.isFree(area))) return false;
    taken_.add(area.adjusted(-2, -1, 2, 1));
    plate.area = area;
    plates_.push_back(std::move(plate));
    return true;
  }

  /// On its middle, else at its top or bottom, else not at all.
  void placeOn(const Plate& plate) {
    QRectF area = areaOf(plate);
    const QRectF& on = plate.beside;
    for (const double y : {on.center().y(), on.top(), on.bottom()}) {
      area.moveCenter({on.center().x(), y});
      if (take(plate, area, true)) return;
    }
  }

  void placeBeside(std::size_t box) {
    for (const qsizetype letters : {most_letters, few_letters}) {
      const Plate plate = nameOf(box, letters);
      QRectF area = areaOf(plate);
      const QRectF& on = plate.beside;
      for (const double top : {on.top() - area.height() - 2, on.bottom() + 2})
        for (const double left : {on.center().x() - area.width() / 2, on.left(), on.right() - area.width()}) {
          area.moveTopLeft({left, top});
          if (take(plate, area, false)) return;
        }
    }
  }

  const Picture& picture_;
  const QFontMetricsF metrics_;
  const bool names_nodes_;
  Occupied taken_, boxes_;
  std::vector<Plate> plates_;
};

}  // namespace

void Picture::placeLabels() {
  for (LinkLook& look : links) look.label_area = {};
  plates.clear();
  if (plates_of) plates = plates_of(*this);
  if (detail >= Detail::Names) return LabelPlacer(*this).run();
  plates = FarNames(*this).placed(plates);
}

}  // namespace sluice::ui
