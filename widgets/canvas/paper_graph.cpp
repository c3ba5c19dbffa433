#include "widgets/canvas/paper_graph.h"

#include <QObject>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/canvas/paper_model.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

constexpr double most_scale = 1;        // a program of few boxes does not fill the page with them
constexpr double largest_names = 0.75;  // text is 9 points high
constexpr double row_gain = 1.03;       // a chain of single boxes below each other is hard to follow
constexpr std::size_t usual_rows = LayoutRoom().rows, column_rows = 40;  // of a column
constexpr double kept_of_a_name = 2.0 / 3;

/// Names that were cut say too little of what they name.
bool namesAreCut(const Picture& picture) {
  for (std::size_t box = 0; box < picture.boxes.size(); ++box) {
    const QString &shown = picture.boxes[box].name, whole = qt(picture.model.boxes[box].name);
    if (shown == whole) continue;
    if (static_cast<double>(shown.size() - 1) < kept_of_a_name * static_cast<double>(whole.size()))
      return true;
  }
  return false;
}

class Maker {
 public:
  Maker(const PaperSource& source, QSizeF room)
      : source_(source),
        room_(room),
        fonts_(source.shown.theme.family),
        theme_(paperTheme()),
        name_font_(canvasFont(theme_.family, TextRole::Port)),
        name_metrics_(name_font_) {
    for (const SceneBox& box : source.shown.model.boxes) placed_ = placed_ || box.at;
    for (const BoxLook& box : source.shown.boxes) noted_ = noted_ || box.note;
  }

  PaperGraph make() {
    const double usual = std::min(room_.height(), pageHeight(room_.width()));
    PaperGraph best = source_.whole({room_.width(), usual}, usual_rows);
    const auto take = [&](PaperGraph made) {
      if (!best.readable() && made.scale > best.scale) best = std::move(made);
      return best.readable();
    };
    if (!best.readable()) take(source_.whole({room_.width(), usual}, column_rows));
    if (best.readable() && (best.pieces || !namesAreCut(best.picture))) return best;
    const PaperGraph whole = best;
    if (whole.readable()) best.scale *= 0.5;  // anything with whole names is better
    for (const double height : {usual, std::min(room_.height(), highest_page)}) {
      for (const PaperStep step : {PaperStep::Shapes, PaperStep::Parameters})
        if (take(inSteps(step, source_.document, source_.folding, height))) return best;
      if (height >= room_.height()) break;
    }
    const Document closed = withRegionsClosed(source_.document);
    const double most = std::min(room_.height(), highest_page);
    SceneFolding folding{{}, source_.groups};
    if (take(inSteps(PaperStep::Groups, closed, folding, most))) return best;
    folding.groups = chainsOf(sceneModelOf(closed, folding), folding.groups);
    if (take(inSteps(PaperStep::Chains, closed, folding, most))) return best;
    for (const std::size_t boxes : {32, 24, 16, 12, 8, 6, 4}) {
      const SceneFolding runs{{}, runsOf(sceneModelOf(closed, folding), folding.groups, boxes)};
      if (take(inSteps(PaperStep::Runs, closed, runs, most))) return best;
    }
    return whole.readable() ? whole : best;
  }

 private:
  static CanvasTheme paperTheme() {
    CanvasTheme theme = CanvasTheme::light(QStringLiteral("DejaVu Sans"));
    theme.on_paper = true;
    return theme;
  }

  SceneModel sceneModelOf(const Document& document, const SceneFolding& folding) const {
    return sceneModel(
        document, source_.catalog,
        [this](const std::string& text, TextRole role) { return fonts_.width(qt(text), role); }, folding);
  }

  /// The largest of what is seen when regions that are open are laid out for so much of the width.
  PaperGraph inSteps(PaperStep step, const Document& document, const SceneFolding& folding,
                     double height) const {
    SceneModel model = sceneModelOf(document, folding);
    release(model);
    if (step == PaperStep::Shapes)
      closeUp(model);
    else
      keepNames(model, name_metrics_, noted_);
    PaperGraph best;
    best.scale = 0;
    if (model.boxes.empty() || model.boxes.size() > most_boxes_in_rows) return best;
    const bool nested = model.groups.size() > 1;
    for (const double share : {1.0, 0.88, 0.75}) {
      PaperGraph made = arranged(step, model, {room_.width() * share, height}, height);
      if (made.scale > best.scale) best = std::move(made);
      if (!nested || best.readable()) break;
    }
    if (step == PaperStep::Shapes && best.readable() && namesAreCut(best.picture)) best.scale = 0;
    return best;
  }

  PaperGraph arranged(PaperStep step, const SceneModel& model, QSizeF inner, double height) const {
    PaperGraph made;
    made.scale = 0;
    const LayoutRoom room{inner.width(), inner.height(), row_gain, column_rows};
    std::optional<Arrangement> places = source_.arrange(model, room);
    if (!places) return made;
    Picture& picture = made.picture;
    picture.theme = theme_;
    picture.plates_of = source_.shown.plates_of;
    picture.set(model, *std::move(places));
    source_.dress(picture);
    for (LinkLook& link : picture.links) link.label.clear();
    if (step >= PaperStep::Parameters) picture.detail = Detail::Names;
    picture.placeLabels();
    made.step = step;
    made.moved = placed_;
    made.area = source_.painted(picture);
    const double largest = step == PaperStep::Shapes ? most_scale : largest_names;
    made.scale = std::min({room_.width() / made.area.width(), height / made.area.height(), largest});
    made.height = std::max(1.0, std::ceil(made.area.height() * made.scale));
    return made;
  }

  const PaperSource& source_;
  const QSizeF room_;
  const CanvasFonts fonts_;
  const CanvasTheme theme_;
  const QFont name_font_;
  const QFontMetricsF name_metrics_;
  bool placed_ = false, noted_ = false;
};

}  // namespace

QString PaperGraph::note() const {
  const std::array<QString, 6> steps = {QString(),
                                        QObject::tr("no shapes of streams"),
                                        QObject::tr("names only"),
                                        QObject::tr("names only, regions and groups folded"),
                                        QObject::tr("names only, chains of operators folded"),
                                        QObject::tr("names only, runs of operators folded")};
  const QString what = steps[static_cast<std::size_t>(step)];
  return moved && !what.isEmpty() ? what + QObject::tr(", laid out anew") : what;
}

PaperGraph paperGraph(const PaperSource& source, QSizeF room) {
  return Maker(source, room).make();
}

}  // namespace sluice::ui
