#pragma once
// OperatorPalette: the operators of a catalog by their groups, with a search. One drags an operator onto the
// canvas, or presses Return to add it.

#include <QWidget>

#include "engine/program/operator_spec.h"

class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace sluice::ui {

/// What an operator is, as rich text: summary, ports, parameters, and where the paper tells of it.
QString operatorHelp(const OperatorSpec& spec);

class OperatorPalette : public QWidget {
  Q_OBJECT

 public:
  /// `mime`: the format in which the name of a kind is dragged.
  OperatorPalette(const Catalog& catalog, const QString& mime, QWidget* parent = nullptr);

  /// What is dragged and added beside the operators: "Region".
  void addKind(const QString& kind, const QString& group, const QString& help);
  QTreeWidget* list() const { return list_; }
  QLineEdit* search() const { return search_; }
  QString currentKind() const;  ///< empty on the title of a group
  void startSearch();

 signals:
  void kindActivated(const QString& kind);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void filter(const QString& text);
  QTreeWidgetItem* group(const QString& title);

  QLineEdit* search_;
  QLabel* none_;  ///< nothing was found
  QTreeWidget* list_;
};

}  // namespace sluice::ui
