#pragma once
// LineageTree: the steps that lead to a design, one behind the other, with what each changed; and once it is
// told of them, below each step what bound the run behind it and the steps that were tried in its place.

#include <QTreeWidget>

#include "engine/designer/design_report.h"

namespace sluice::ui {

class LineageTree : public QTreeWidget {
  Q_OBJECT

 public:
  explicit LineageTree(QWidget* parent = nullptr);

  /// What the designs are made of.
  struct Source {
    const Document* document = nullptr;  ///< with the steps that the program had
    const KnobValues* knobs = nullptr;
    const std::vector<const MetricSpec*>* objectives = nullptr;
    const std::vector<Design>* designs = nullptr;
  };
  /// Without a `report` stages have the numbers of designs of the search with that schedule, if there are.
  void showDesign(const Source& source, std::size_t design, const DesignReport* report);
  void showNothing(const std::vector<const MetricSpec*>& objectives);

 private:
  QTreeWidgetItem* addStage(const Source& source, const QString& text, const DesignPoint* point,
                            const DesignPoint* before);
  void addRivals(const Source& source, QTreeWidgetItem& stage, const LineageStep& step);
  void setTitles(const std::vector<const MetricSpec*>& objectives);
};

/// A run has told its metrics.
bool isEvaluated(const Design& design);

}  // namespace sluice::ui
