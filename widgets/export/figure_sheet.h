#pragma once
// FigureSheet: a figure of the document as it goes on paper - panels in the rows of a grid, with titles,
// letters and captions. Every panel has a view of its own, filled with the points and runs that it is handed,
// so that window and command line draw the same, and what the window's views show does not matter.

#include <QRectF>
#include <QStringList>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "widgets/distributions/distribution_data.h"
#include "widgets/export/exportable.h"

namespace sluice::ui {

class PointColumns;
class PointSelection;
class PointsModel;

/// What a figure is drawn from. All of it must outlive the sheet.
struct FigureData {
  PointsModel* points = nullptr;                                       ///< explored; null: none
  std::map<KnobValues, std::shared_ptr<const PointResult>> runs = {};  ///< by pointOf()
  std::map<KnobValues, Diagnostic> refused = {};                       ///< why there is no run
  const GraphCanvas* canvas = nullptr;                                 ///< of the program, laid out
  PointsModel* designs = nullptr;                                      ///< found by the designer; null: none
  std::vector<std::string> sought = {};              ///< the two objectives that they were found for
  std::array<std::optional<double>, 2> bounds = {};  ///< what no design can be beyond in them
  std::shared_ptr<const WorkloadSet> traces = {};    ///< null or empty: no input is a set of them
  /// Designs under every trace: those of panels by pointOf(), and the explored ones.
  std::map<KnobValues, std::shared_ptr<const PointSamples>> samples = {};
  std::vector<SampledDesign> explored = {};
};

bool showsPoints(PanelView view);
bool showsRun(PanelView view);
bool showsDesign(PanelView view);  ///< a run, or a design under every trace
/// The design point of a panel: the defaults, but for its own knobs.
KnobValues pointOf(const Document& document, const FigurePanel& panel);
/// The runs that the panels show, each recorded as far as they need it.
std::map<KnobValues, RecordMode> runsOf(const Document& document, const Figure& figure);
/// The designs that panels show under every trace.
std::set<KnobValues> sampledOf(const Document& document, const Figure& figure);

class FigureSheet {
 public:
  FigureSheet(const Document& document, const Figure& figure, FigureData data);
  ~FigureSheet();
  FigureSheet(const FigureSheet&) = delete;
  FigureSheet& operator=(const FigureSheet&) = delete;

  const PrintStyle& style() const { return style_; }
  /// In the style of the figure, whichever is asked for. The sheet must outlive it.
  Exportable exportable() const;
  QSizeF size() const { return {static_cast<double>(style_.width), height_}; }
  /// Of every panel, with its title and caption.
  std::vector<QRectF> places() const;
  /// Of a panel, without title and caption.
  double pictureHeight(std::size_t panel) const;
  /// What FigurePanel::hidden or FigurePanel::rows of a panel may name.
  const QStringList& offered(std::size_t panel) const;
  /// Why the first panel that cannot be drawn cannot be; nothing: all can. On the page it says so instead.
  std::optional<Diagnostic> missing() const;

 private:
  struct Panel;
  void makePanels(const Document& document, const FigureData& data);
  void arrange();
  static void refuseIfUnreadable(Panel& panel);
  double textHeight(const QString& text, double width, bool bold) const;
  QString label(std::size_t panel) const;
  void paint(QCPPainter& painter) const;
  QString csv() const;

  const Figure figure_;
  PrintStyle style_;
  /// What a plot of points selects in.
  struct Points {
    explicit Points(PointsModel* model);
    ~Points();
    std::unique_ptr<PointColumns> columns;
    std::unique_ptr<PointSelection> selection;
  };
  std::unique_ptr<Points> points_, designs_;
  std::vector<std::unique_ptr<Panel>> panels_;
  double height_ = 0;
};

/// How all of the figure looks.
PrintStyle styleOf(const Figure& figure);

}  // namespace sluice::ui
