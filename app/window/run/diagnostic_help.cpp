#include "app/window/run/diagnostic_help.h"

#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "engine/core/diagnostic_pages.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

QString fenced(const std::string& text) {
  return QStringLiteral("```\n%1\n```\n\n").arg(qt(text).trimmed());
}

}  // namespace

QString markdownOf(const DiagnosticPage& page) {
  QString text = QStringLiteral("# %1\n\n%2\n\n## %3\n\n")
                     .arg(qt(page.code), qt(page.meaning), DiagnosticHelp::tr("Example"));
  for (const DiagnosticPage::File& file : page.files)
    text += QStringLiteral("`%1`:\n\n").arg(qt(file.name)) + fenced(file.text);
  if (!page.command.empty()) text += fenced(page.command);
  if (!page.example.empty()) text += qt(page.example) + QStringLiteral("\n\n");
  return text + QStringLiteral("## %1\n\n%2\n").arg(DiagnosticHelp::tr("Fix"), qt(page.fix));
}

DiagnosticHelp::DiagnosticHelp(QWidget* parent) : QDialog(parent), page_(new QTextBrowser) {
  setObjectName(QStringLiteral("diagnosticHelp"));
  page_->setAccessibleName(tr("What the code means"));
  page_->setFrameShape(QFrame::NoFrame);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(page_);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resize(640, 480);
}

void DiagnosticHelp::show(const QString& code) {
  setWindowTitle(code);
  const DiagnosticPage* page = diagnosticPage(code.toStdString());
  page_->setMarkdown(page ? markdownOf(*page)
                          : tr("Sluice has no page on `%1`: a plug-in may have made the code.").arg(code));
  QDialog::show();
  raise();
}

}  // namespace sluice::ui
