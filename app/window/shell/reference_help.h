#pragma once
// ReferenceHelp: every operator and every transformation, as their registries describe them.

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace sluice::ui {

class ReferenceHelp : public QDialog {
  Q_OBJECT

 public:
  explicit ReferenceHelp(QWidget* parent);

  /// An operator's kind or a transformation's name.
  void show(const QString& subject);
  QListWidget* list() const { return list_; }
  QTextBrowser* page() const { return page_; }

 private:
  void add(const QString& name, const QString& html);

  QLineEdit* search_;
  QListWidget* list_;
  QTextBrowser* page_;
};

}  // namespace sluice::ui
