#include "app/window/shell/reference_help.h"

#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>

#include "engine/operators/registry.h"
#include "engine/schedule/transformation.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {
namespace {

constexpr int page_role = Qt::UserRole;

QString html(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

QString transformationHelp(const TransformationSpec& spec) {
  QString rows;
  for (const ArgumentSpec& argument : spec.arguments) {
    QStringList choices;
    for (const std::string& choice : argument.choices) choices << html(choice);
    const QString among =
        choices.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(choices.join(QStringLiteral(", ")));
    const QString initial = argument.initial && !text(*argument.initial).empty()
                                ? QObject::tr(" default %1").arg(html(text(*argument.initial)))
                                : QString();
    rows += QStringLiteral("<tr><td><i>%1</i>&nbsp;&nbsp;</td><td>%2%3%4</td></tr>")
                .arg(html(argument.name), html(argument.help), among, initial);
  }
  return QStringLiteral("<b>%1</b> <i>%2</i><p>%3</p><table>%4</table><p><b>%5</b> %6</p>")
      .arg(html(spec.name), html(spec.paper), html(spec.summary), rows, QObject::tr("Effect:"),
           html(spec.effect));
}

}  // namespace

ReferenceHelp::ReferenceHelp(QWidget* parent)
    : QDialog(parent), search_(new QLineEdit), list_(new QListWidget), page_(new QTextBrowser) {
  setObjectName(QStringLiteral("referenceHelp"));
  setWindowTitle(tr("Operators and Transformations"));
  search_->setPlaceholderText(tr("Search"));
  search_->setAccessibleName(tr("Search operators and transformations"));
  list_->setAccessibleName(tr("Operators and transformations"));
  page_->setAccessibleName(tr("Description"));
  page_->setFrameShape(QFrame::NoFrame);
  auto* grid = new QGridLayout(this);
  grid->addWidget(search_, 0, 0);
  grid->addWidget(list_, 1, 0);
  grid->addWidget(page_, 0, 1, 2, 1);
  grid->setColumnStretch(1, 1);
  list_->setFixedWidth(230);
  for (const OperatorSpec* spec : registeredSpecs())
    add(QString::fromStdString(spec->kind), operatorHelp(*spec));
  for (const Transformation* known : registeredTransformations())
    add(QString::fromStdString(known->spec.name), transformationHelp(known->spec));
  connect(list_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    page_->setHtml(item ? item->data(page_role).toString() : QString());
  });
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    QListWidgetItem* first = nullptr;
    for (int i = 0; i < list_->count(); ++i) {
      QListWidgetItem* item = list_->item(i);
      item->setHidden(!item->text().contains(text, Qt::CaseInsensitive) &&
                      !item->data(page_role).toString().contains(text, Qt::CaseInsensitive));
      if (!first && !item->isHidden()) first = item;
    }
    list_->setCurrentItem(first);
  });
  list_->setCurrentRow(0);
  resize(820, 560);
}

void ReferenceHelp::add(const QString& name, const QString& html) {
  auto* item = new QListWidgetItem(name, list_);
  item->setData(page_role, html);
}

void ReferenceHelp::show(const QString& subject) {
  const QList<QListWidgetItem*> found = list_->findItems(subject, Qt::MatchExactly);
  if (!found.isEmpty()) list_->setCurrentItem(found.first());
  QDialog::show();
  raise();
}

}  // namespace sluice::ui
