#pragma once
// Node groups: nodes that belong together though no region holds them - kernels that are on the device at the
// same time, equal layers, equal regions. Each has a line of the legend. Groups of kernels are a coloured
// ground behind their nodes, with the name on it; equal layers, and equal regions where they are many, begin
// as one box.

#include <QColor>
#include <QList>
#include <QSet>
#include <QStringList>
#include <QWidget>

#include "widgets/canvas/canvas_layer.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/scene_model.h"

namespace sluice::ui {

struct NodeGroup {
  QString name;       ///< "group 1"
  QString note;       ///< for the legend: "12 kernels, 1.2 MB"
  QStringList nodes;  ///< paths
  GroupKind kind = GroupKind::Fusion;
  int count = 1;  ///< of the equal layers or regions that it consists of

  bool operator==(const NodeGroup&) const = default;
};

QColor groupColour(int group, const CanvasTheme& theme);

class NodeGroupLayer : public CanvasLayer {
 public:
  Level level() const override { return Level::Below; }
  bool empty() const override { return groups.isEmpty(); }
  void paint(QPainter& painter, const Picture& picture) const override;
  /// From so far away that nodes have no names: the names of their groups.
  std::vector<Plate> plates(const Picture& picture) const override;

  QList<NodeGroup> groups;

 private:
  /// The boxes that its nodes are, but for those in layers that are folded to another.
  std::vector<std::size_t> boxesOf(const NodeGroup& group, const Picture& picture) const;
};

/// Stays in the lower left corner of its parent. Each line is a button that folds its group into one box, or
/// unfolds it.
class GroupLegend : public QWidget {
  Q_OBJECT

 public:
  explicit GroupLegend(QWidget* parent);

  void setGroups(const QList<NodeGroup>& groups, const QSet<int>& folded, const CanvasTheme& theme);
  QRect row(int row) const;

 signals:
  void pressed(int group);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void chooseRows();
  int groupAt(const QPoint& position) const;  ///< or -1
  void paintSign(QPainter& painter, const QRectF& square, int group) const;

  QList<NodeGroup> groups_;
  QList<int> rows_;  ///< indices of groups; what stands in folded layers has none
  QSet<int> folded_;
  CanvasTheme theme_;
};

}  // namespace sluice::ui
