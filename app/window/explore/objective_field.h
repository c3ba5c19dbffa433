#pragma once
// ObjectiveField: what a search is for: a metric, and over a set of traces which statistic of it.

#include <QWidget>

#include "engine/program/document.h"

class QComboBox;

namespace sluice::ui {

/// Whether an input of the program is a set of traces.
bool isOverTraces(const Document& document);
/// "p95", "median" ... to choose one of; the first of the given texts stands for none.
void addStatistics(QComboBox& combo, const QString& none);
/// "p95(cycles)", or the metric alone.
QString statisticName(const QComboBox& statistic, const QString& metric);

class ObjectiveField : public QWidget {
  Q_OBJECT

 public:
  /// `name`: of the metric's field, for tests and automation; `optional`: it may be none.
  ObjectiveField(const char* name, const QString& place, bool optional, bool over_traces);

  /// Of a metric or a statistic; empty: none.
  QString objective() const;
  /// What is not known leaves it as it is; false then.
  bool setObjective(const QString& name);
  QComboBox* metric() const { return metric_; }

 signals:
  void changed();

 private:
  const bool over_traces_;
  QComboBox *metric_, *statistic_;
};

}  // namespace sluice::ui
