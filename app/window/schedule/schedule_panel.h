#pragma once
// SchedulePanel: the steps of the schedule in order. It shows and reports what the user wants; it keeps no
// document.

#include <QWidget>

#include "app/window/schedule/schedule_trace.h"

class QLabel;
class QListWidget;
class QToolButton;

namespace sluice::ui {

class SchedulePanel : public QWidget {
  Q_OBJECT

 public:
  explicit SchedulePanel(QWidget* parent = nullptr);

  void setDocument(const Document& document, const KnobValues& knobs);
  /// What the steps did; null while it is being found out: what is known of older steps stays.
  void setTrace(const std::shared_ptr<const ScheduleTrace>& trace);
  void select(int step);
  int selected() const;  ///< -1: none
  QListWidget* list() const { return list_; }

 signals:
  void addRequested();
  void editRequested(int step);
  void removeRequested(int step);
  void enableRequested(int step, bool enabled);
  void moveRequested(int from, int to);  ///< `to`: where it stands afterwards

 private:
  void buildButtons();
  QToolButton* button(const char* name, const QString& text, const QString& tip, const QKeySequence& key);
  void connectList();
  void moveBy(int distance);
  void show(int row);
  void updateButtons();

  Document document_;
  KnobValues knobs_;
  std::shared_ptr<const ScheduleTrace> trace_;
  QListWidget* list_;
  QLabel* hint_;
  QWidget* buttons_;
  QToolButton *add_, *edit_, *up_, *down_, *remove_;
  bool filling_ = false;
};

}  // namespace sluice::ui
