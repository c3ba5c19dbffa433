#include "widgets/palette/operator_palette.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "widgets/canvas/canvas_theme.h"

namespace sluice::ui {
namespace {

constexpr int kind_role = Qt::UserRole, words_role = Qt::UserRole + 1, category_role = Qt::UserRole + 2;

QString html(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

/// Drags the name of a kind.
class KindList : public QTreeWidget {
 public:
  explicit KindList(QString mime) : mime_(std::move(mime)) {}

 protected:
  QStringList mimeTypes() const override { return {mime_}; }
  QMimeData* mimeData(const QList<QTreeWidgetItem*>& items) const override {
    if (items.isEmpty()) return nullptr;
    auto* dragged = new QMimeData;
    dragged->setData(mime_, items.first()->data(0, kind_role).toString().toUtf8());
    return dragged;
  }

 private:
  const QString mime_;
};

QString portRows(const std::vector<PortSpec>& ports, const QString& arrow) {
  QString rows;
  for (const PortSpec& port : ports) {
    const QString many = port.width.empty() ? QString() : QStringLiteral(" \u00D7 ") + html(port.width);
    rows += QStringLiteral("<tr><td>%1&nbsp;<i>%2</i>%3&nbsp;&nbsp;</td><td>%4</td></tr>")
                .arg(arrow, html(port.name), many, html(port.help));
  }
  return rows;
}

QString rules(const OperatorRules& rules) {
  const QString line = QStringLiteral("<p><b>%1</b> %2</p>");
  return line.arg(QObject::tr("Shape:"), html(rules.shape)) +
         line.arg(QObject::tr("Cost:"), html(rules.cost)) +
         line.arg(QObject::tr("Timing:"), html(rules.timing));
}

/// A square in the colour that the group has on the canvas.
QIcon categoryIcon(const QString& category, const QPalette& palette, const QFont& font) {
  QPixmap picture(12, 12);
  picture.fill(CanvasTheme::of(palette, font).category(category.toStdString()));
  return picture;
}

}  // namespace

QString operatorHelp(const OperatorSpec& spec) {
  QString rows;
  for (const ParameterSpec& parameter : spec.parameters) {
    const QString initial = parameter.initial && !sluice::text(*parameter.initial).empty()
                                ? QObject::tr(" (default %1)").arg(html(sluice::text(*parameter.initial)))
                                : QString();
    rows += QStringLiteral("<tr><td><i>%1</i>&nbsp;&nbsp;</td><td>%2%3</td></tr>")
                .arg(html(parameter.name), html(helpWithRange(parameter)), initial);
  }
  const QString ports =
      portRows(spec.inputs, QStringLiteral("\u2192")) + portRows(spec.outputs, QStringLiteral("\u2190"));
  return QStringLiteral("<b>%1</b> <i>%2</i><p>%3</p><table>%4%5</table>%6")
      .arg(html(spec.kind), html(spec.paper), html(spec.summary), ports, rows, rules(spec.rules));
}

OperatorPalette::OperatorPalette(const Catalog& catalog, const QString& mime, QWidget* parent)
    : QWidget(parent), search_(new QLineEdit), none_(new QLabel), list_(new KindList(mime)) {
  setObjectName(QStringLiteral("operatorPalette"));
  setFocusProxy(search_);
  search_->setObjectName(QStringLiteral("paletteSearch"));
  search_->setPlaceholderText(tr("Search operators"));
  search_->setAccessibleName(tr("Search operators"));
  search_->setClearButtonEnabled(true);
  search_->installEventFilter(this);
  none_->setObjectName(QStringLiteral("paletteNone"));
  none_->setText(tr("No operator has such a name or does that."));
  none_->setWordWrap(true);
  none_->setEnabled(false);  // muted
  none_->hide();
  list_->setObjectName(QStringLiteral("paletteList"));
  list_->setAccessibleName(tr("Operators by group"));
  list_->setHeaderHidden(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformRowHeights(true);
  list_->setDragEnabled(true);
  list_->setDragDropMode(QAbstractItemView::DragOnly);
  list_->setIndentation(14);
  for (const OperatorSpec* spec : catalog.all()) {
    addKind(QString::fromStdString(spec->kind), QString::fromStdString(spec->category), operatorHelp(*spec));
    QTreeWidgetItem* item = group(QString::fromStdString(spec->category));
    item->child(item->childCount() - 1)
        ->setData(0, words_role,
                  QString::fromStdString(spec->kind + " " + spec->category + " " + spec->summary));
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 0);
  layout->setSpacing(4);
  layout->addWidget(search_);
  layout->addWidget(none_);
  layout->addWidget(list_, 1);
  connect(search_, &QLineEdit::textChanged, this, &OperatorPalette::filter);
  connect(list_, &QTreeWidget::itemActivated, this, [this] {
    if (!currentKind().isEmpty()) emit kindActivated(currentKind());
  });
}

QTreeWidgetItem* OperatorPalette::group(const QString& title) {
  for (int i = 0; i < list_->topLevelItemCount(); ++i)
    if (list_->topLevelItem(i)->text(0) == title) return list_->topLevelItem(i);
  auto* made = new QTreeWidgetItem(list_, {title});
  made->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  made->setData(0, category_role, title);
  made->setIcon(0, categoryIcon(title, palette(), font()));
  made->setExpanded(true);
  return made;
}

void OperatorPalette::addKind(const QString& kind, const QString& title, const QString& help) {
  auto* item = new QTreeWidgetItem(group(title), {kind});
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
  item->setData(0, kind_role, kind);
  item->setData(0, words_role, kind + QLatin1Char(' ') + title);
  item->setToolTip(0, help);
}

QString OperatorPalette::currentKind() const {
  return list_->currentItem() ? list_->currentItem()->data(0, kind_role).toString() : QString();
}

void OperatorPalette::startSearch() {
  search_->setFocus();
  search_->selectAll();
}

/// Every word must be somewhere; the first operator that remains becomes the current one.
void OperatorPalette::filter(const QString& text) {
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QTreeWidgetItem* first = nullptr;
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* title = list_->topLevelItem(i);
    bool any = false;
    for (int k = 0; k < title->childCount(); ++k) {
      QTreeWidgetItem* item = title->child(k);
      const QString all = item->data(0, words_role).toString();
      const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return all.contains(word, Qt::CaseInsensitive);
      });
      item->setHidden(!fits);
      any = any || fits;
      // The name counts more than what the summary says.
      const bool named = !words.isEmpty() && item->text(0).startsWith(words.first(), Qt::CaseInsensitive);
      if (fits && (!first || (named && !first->text(0).startsWith(words.first(), Qt::CaseInsensitive))))
        first = item;
    }
    title->setHidden(!any);
    if (any) title->setExpanded(true);
  }
  list_->setCurrentItem(first);
  none_->setVisible(!first && !words.isEmpty());
}

bool OperatorPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
    list_->setFocus();
    return true;
  }
  if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) return false;
  if (!currentKind().isEmpty()) emit kindActivated(currentKind());
  search_->selectAll();  // the next name takes its place
  return true;
}

void OperatorPalette::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (int i = 0; i < list_->topLevelItemCount(); ++i)
    list_->topLevelItem(i)->setIcon(
        0, categoryIcon(list_->topLevelItem(i)->data(0, category_role).toString(), palette(), font()));
}

}  // namespace sluice::ui
