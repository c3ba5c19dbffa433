#pragma once
// DiagnosticHelp: the page of a diagnostic's code - what it means, an example, how to get rid of it.

#include <QDialog>

class QTextBrowser;

namespace sluice {
struct DiagnosticPage;
}

namespace sluice::ui {

/// A page as Markdown.
QString markdownOf(const DiagnosticPage& page);

class DiagnosticHelp : public QDialog {
  Q_OBJECT

 public:
  explicit DiagnosticHelp(QWidget* parent);

  void show(const QString& code);
  QTextBrowser* page() const { return page_; }

 private:
  QTextBrowser* page_;
};

}  // namespace sluice::ui
