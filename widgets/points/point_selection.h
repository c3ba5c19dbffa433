#pragma once
// PointSelection: which explored points are looked at, once for every view - the stack of filters, the
// selected points and the baseline to compare with. Filters and baseline have an undo stack of their own:
// they belong to the view, not to the document.

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <vector>

#include "widgets/points/point_columns.h"

namespace sluice::ui {

/// A condition that points must meet to be shown.
struct PointFilter {
  enum class Kind { Range, State, Keep, Hide };
  Kind kind = Kind::Range;
  QString column;                       ///< Range
  double low = 0, high = 0;             ///< Range, both included; infinite where it is open
  PointState state = PointState::Done;  ///< State: only these
  std::vector<int> points;              ///< Keep, Hide: sorted
  bool operator==(const PointFilter&) const = default;
};

class PointSelection : public QObject {
  Q_OBJECT

 public:
  explicit PointSelection(PointColumns* columns, QObject* parent = nullptr);

  PointColumns* columns() const { return columns_; }
  const std::vector<DesignPoint>& points() const { return columns_->model()->points(); }

  const std::vector<PointFilter>& filters() const { return state_.filters; }
  bool isShown(std::size_t point) const { return point < shown_.size() && shown_[point] != 0; }
  std::size_t shownCount() const { return shown_count_; }
  const PointFilter* rangeOf(const QString& column) const;
  /// One range a column: a second one takes the place of the first. Calls with the same `drag` (not 0) are
  /// one step for undo.
  void setRange(const QString& column, double low, double high, int drag = 0);
  void clearRange(const QString& column);
  void showOnly(PointState state);
  void keepSelected();
  void hideSelected();
  void removeFilter(std::size_t filter);
  void clearFilters();

  const std::vector<int>& selected() const { return selected_; }  ///< sorted
  bool isSelected(int point) const;
  void select(std::vector<int> points);
  void toggle(int point);

  const std::vector<int>& baseline() const { return state_.baseline; }
  void makeSelectedBaseline();
  void clearBaseline();

  QUndoStack* undoStack() { return &undo_; }

 signals:
  void reset();           ///< other points
  void added(int first);  ///< more points, from this one on
  void filtersChanged();
  void selectionChanged();
  void baselineChanged();

 private:
  struct State {
    std::vector<PointFilter> filters;
    std::vector<int> baseline;
    bool operator==(const State&) const = default;
  };
  class Change;
  void push(const QString& label, State after, int drag = 0);
  void become(const State& state);
  void applyFrom(std::size_t first);
  void rememberKnobs();
  void followKnobs();

  PointColumns* columns_;
  State state_;
  std::vector<char> shown_;  ///< parallel to the points
  std::size_t shown_count_ = 0;
  std::vector<int> selected_;
  std::vector<KnobValues> kept_selected_, kept_baseline_;  ///< while the points are replaced
  bool undo_names_points_ = false;  ///< by their places, which other points do not have
  QUndoStack undo_;
};

/// "On-chip memory \u2264 8 MB", "only deadlocked", "12 points kept".
QString filterText(const PointFilter& filter, const PointColumns& columns);
/// A limit as typed: "on_chip_bytes < 8 MB", "8 MB >= on-chip memory", "100 <= cycles <= 2k", "tile = 16".
/// Names are those of columns or their titles. Errors say what is wrong and what is there.
Result<PointFilter> parseFilter(const QString& text, const PointColumns& columns);

}  // namespace sluice::ui
