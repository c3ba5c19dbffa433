#include "app/window/explore/selection_links.h"

#include <QItemSelectionModel>
#include <QMainWindow>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>

#include "app/window/document/places.h"
#include "app/window/explore/exploration_notes.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/panels.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/inspector/inspector.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {

SelectionLinks::SelectionLinks(const WindowContext& context) : QObject(context.window), context_(context) {
  GraphCanvas* canvas = context_.canvas;
  connect(canvas, &GraphCanvas::nodeSelected, &place_, &PlaceSelection::selectNode);
  connect(canvas, &GraphCanvas::streamSelected, &place_, &PlaceSelection::selectStream);
  const auto forward = [panels = context_.panels](const char* view) {
    return [panels, view] { panels->bringForward(QLatin1String(view)); };
  };
  connect(canvas, &GraphCanvas::nodeSelected, context_.panels, forward("inspector"));
  connect(canvas, &GraphCanvas::streamSelected, context_.panels, forward("inspector"));
  connect(canvas, &GraphCanvas::streamSelected, context_.panels, forward("occupancy"));
  connect(context_.diagnostics, &DiagnosticsList::jumpRequested, context_.panels, forward("inspector"));
  connect(canvas, &GraphCanvas::selectionCleared, &place_, &PlaceSelection::clear);
  connect(context_.diagnostics, &DiagnosticsList::jumpRequested, this, &SelectionLinks::jumpTo);
  connect(&place_, &PlaceSelection::changed, this, &SelectionLinks::showPlace);
  connect(context_.explorer->selection(), &PointSelection::selectionChanged, this, [this] {
    if (selecting_) return;
    points_are_ours_ = false;
    showPlaceOfPoints();
    showPointsDiagnostic();
  });
}

void SelectionLinks::jumpTo(const Location& place) {
  if (const auto state = stateOfNote(place)) {
    const std::vector<DesignPoint>& points = context_.explorer->points()->points();
    std::vector<int> those;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].state == *state) those.push_back(static_cast<int>(i));
    return context_.explorer->selection()->select(std::move(those));
  }
  const auto found = context_.results->placeOf(place);
  if (!found) return showInput(place);
  if (!found->node.empty()) {
    place_.selectNode(QString::fromStdString(found->node));
  } else {
    place_.selectStream(QString::fromStdString(found->stream));
  }
}

/// Where its source is chosen.
void SelectionLinks::showInput(const Location& place) {
  const LocationPart* const input = place.find(Where::Input);
  if (!input) return;
  context_.panels->bringForward(QStringLiteral("design"));
  const QString name = QStringLiteral("input.") + QString::fromStdString(input->name);
  // A view that was not seen before has its places after the next layout.
  QTimer::singleShot(0, this, [window = context_.window, name] {
    auto* box = window->findChild<QWidget*>(name);
    for (QWidget* around = box; around; around = around->parentWidget())
      if (auto* scrolled = qobject_cast<QScrollArea*>(around)) return scrolled->ensureWidgetVisible(box);
  });
}

void SelectionLinks::showPlace() {
  GraphCanvas* canvas = context_.canvas;
  if (!place_.node().isEmpty()) {
    if (canvas->selectedNode() != place_.node()) canvas->selectNode(place_.node());
    context_.inspector->selectNode(place_.node());
    context_.results->selectNode(place_.node());
  } else if (!place_.stream().isEmpty()) {
    if (canvas->selectedStream() != place_.stream()) canvas->selectStream(place_.stream());
    context_.inspector->selectStream(place_.stream());
    context_.results->selectStream(place_.stream());
  } else {
    if (!canvas->selectedNode().isEmpty() || !canvas->selectedStream().isEmpty()) canvas->clearSelection();
    context_.inspector->clearSelection();
    context_.results->selectNode({});
  }
  const Diagnostics& all = context_.diagnostics->diagnostics();
  const auto told = std::find_if(all.begin(), all.end(), [this](const Diagnostic& each) {
    const auto found = context_.results->placeOf(each.place);
    if (!found || place_.isEmpty()) return false;
    return place_.node().isEmpty() ? found->stream == place_.stream().toStdString()
                                   : found->node == place_.node().toStdString();
  });
  selectDiagnostic(told == all.end() ? -1 : static_cast<int>(told - all.begin()));
  showPointsOfPlace();
}

void SelectionLinks::selectDiagnostic(int row) {
  QItemSelectionModel* rows = context_.diagnostics->selectionModel();
  if (row < 0) return rows->clearSelection();
  const QModelIndex index = context_.diagnostics->model()->index(row, 0);
  rows->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  context_.diagnostics->scrollTo(index);
}

/// The nodes of the document that the cause of a point is about, in whichever instance: of "expert[3].gate"
/// the node "expert.gate". That at which it begins first.
std::vector<std::string> SelectionLinks::nodesOfCause(const DesignPoint& point) const {
  std::vector<std::string> nodes;
  for (const std::string& name : operatorsOfCause(point)) {
    const auto place = resolvePlace(context_.canvas->document(), Location(Where::Operator, name));
    if (place) nodes.push_back(place->node);
  }
  return nodes;
}

/// Whether it is about a node, or about one in that region.
bool SelectionLinks::isAbout(const DesignPoint& point, const std::string& node) const {
  const std::vector<std::string> nodes = nodesOfCause(point);
  return std::ranges::any_of(nodes, [&](const std::string& each) {
    return each == node || (each.starts_with(node) && each[node.size()] == '.');
  });
}

/// Points that did not run to their end because of the selected node - unless the user has chosen points
/// himself.
void SelectionLinks::showPointsOfPlace() {
  PointSelection* selection = context_.explorer->selection();
  if (!points_are_ours_ && !selection->selected().empty()) return;
  std::vector<int> named;
  const std::string node = place_.node().toStdString();
  const std::vector<DesignPoint>& points = selection->points();
  for (std::size_t i = 0; i < points.size() && !node.empty(); ++i)
    if (isAbout(points[i], node)) named.push_back(static_cast<int>(i));
  points_are_ours_ = !named.empty();
  selecting_ = true;
  selection->select(std::move(named));
  selecting_ = false;
}

/// The first node that the causes of all selected points are about, if there is one.
void SelectionLinks::showPlaceOfPoints() {
  const PointSelection* selection = context_.explorer->selection();
  if (selection->selected().empty()) return;
  const auto point = [selection](int at) -> const DesignPoint& {
    return selection->points()[static_cast<std::size_t>(at)];
  };
  for (const std::string& node : nodesOfCause(point(selection->selected().front()))) {
    const auto about_it = [&](int at) { return isAbout(point(at), node); };
    if (std::ranges::all_of(selection->selected(), about_it))
      return place_.selectNode(QString::fromStdString(node));
  }
}

void SelectionLinks::showPointsDiagnostic() {
  const PointSelection* selection = context_.explorer->selection();
  if (selection->selected().empty()) return;
  const auto state_of = [selection](int point) {
    return selection->points()[static_cast<std::size_t>(point)].state;
  };
  const PointState state = state_of(selection->selected().front());
  const bool same = std::all_of(selection->selected().begin(), selection->selected().end(),
                                [&](int point) { return state_of(point) == state; });
  const Diagnostics& all = context_.diagnostics->diagnostics();
  const auto told = std::find_if(all.begin(), all.end(),
                                 [&](const Diagnostic& each) { return stateOfNote(each.place) == state; });
  if (same && told != all.end()) selectDiagnostic(static_cast<int>(told - all.begin()));
}

}  // namespace sluice::ui
