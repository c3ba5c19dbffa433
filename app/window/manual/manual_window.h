#pragma once
// ManualWindow: the manual beside the window - contents with a search, the page, back and forward.

#include <QDialog>
#include <QHash>

#include "app/window/manual/manual.h"
#include "app/window/shell/window_context.h"

class QLineEdit;
class QTextBrowser;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;
class QUrl;

namespace sluice::ui {

class ManualWindow : public QDialog {
  Q_OBJECT

 public:
  explicit ManualWindow(const WindowContext& context);

  const Manual& manual() const { return manual_; }
  /// Opens at a page; an id that there is no page for opens the first.
  void showPage(const QString& id);
  /// What a click on a link does: another page, something in the window, or the desktop's browser.
  void follow(const QString& link);
  QString current() const { return current_; }

  QTextBrowser* page() const { return page_; }
  QTreeWidget* contents() const { return contents_; }
  QLineEdit* search() const { return search_; }
  QToolButton* backButton() const { return back_button_; }
  QToolButton* forwardButton() const { return forward_button_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void buildContents();
  QToolButton* button(const QString& name, const QString& text, const QString& tip, const QString& keys);
  void go(const QString& id);
  void step(QStringList& from, QStringList& to);
  void fill();
  void filter(const QString& words);

  const WindowContext context_;
  const Manual manual_;
  QHash<QString, QTreeWidgetItem*> items_;  ///< of the pages
  QHash<QString, QString> words_;           ///< of the pages, once something was searched for
  QStringList back_, forward_;
  QString current_;
  QLineEdit* search_;
  QTreeWidget* contents_;
  QTextBrowser* page_;
  QToolButton *back_button_, *forward_button_;
};

}  // namespace sluice::ui
