#pragma once
// KnobPanel: the knobs of a document, one row each. It shows values and reports what the user wants; it keeps
// no document.

#include <QScrollArea>
#include <vector>

#include "widgets/knobs/knob_row.h"

class QLabel;
class QVBoxLayout;

namespace sluice::ui {

class KnobPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit KnobPanel(QWidget* parent = nullptr);

  /// Rows are built anew only if the knobs changed; so a document edit leaves a knob being dragged alone.
  void setKnobs(const std::vector<Knob>& knobs);
  /// Shows values; emits nothing.
  void setValues(const KnobValues& values);
  KnobValues values() const;

 signals:
  /// The user turned `knob`, and still does while `dragging`; `values` are those of all knobs.
  void knobsChanged(const sluice::KnobValues& values, const QString& knob, bool dragging);
  /// The end of a drag: what was changed until now is one step for undo.
  void dragFinished();
  void newKnobWanted();
  void newConstantWanted();
  void editWanted(const QString& knob);
  void removeWanted(const QString& knob);
  void moveWanted(const QString& knob, int by);

 private:
  void addActions(KnobRow* row);

  std::vector<Knob> knobs_;
  std::vector<KnobRow*> rows_;
  QVBoxLayout* list_;
  QLabel* summary_;
};

}  // namespace sluice::ui
