#include "widgets/diagnostics/diagnostics_list.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <vector>

#include "widgets/common/breakable.h"

namespace sluice::ui {
namespace {

constexpr int most_expanded = 6;       // edits and related places that are shown unasked
constexpr int room_for_codes = 560;    // pixels: below it words need the width; F1 and the menu explain, too
constexpr int room_for_columns = 400;  // below it a column would have three words a line

/// Rows as high as their longest cell needs at the width its column has.
class WrappingDelegate : public QStyledItemDelegate {
 public:
  explicit WrappingDelegate(QTreeView* view) : QStyledItemDelegate(view), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int level = index.parent().isValid() ? 2 : 1;
    const int before = index.column() == DiagnosticsModel::Place
                           ? option.decorationSize.width() + 8 + level * view_->indentation()
                           : 0;
    const int width = view_->columnWidth(index.column()) - before - 10;
    const QRect text =
        option.fontMetrics.boundingRect(0, 0, width, 10000, Qt::TextWordWrap | Qt::AlignTop, textOf(index));
    return {width, text.height() + 8};
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->displayAlignment = Qt::AlignLeft | Qt::AlignTop;
    option->decorationAlignment = Qt::AlignLeft | Qt::AlignTop;
    option->textElideMode = Qt::ElideNone;
    option->text = textOf(index).replace(u'\n', QChar(QChar::LineSeparator));
    const QVariant below = index.siblingAtColumn(DiagnosticsModel::Fix).data(Qt::ForegroundRole);
    if (view_->isColumnHidden(DiagnosticsModel::Fix) && below.isValid())
      option->palette.setBrush(QPalette::Text, below.value<QBrush>());
  }

 private:
  /// In the first column with what stands in columns that are hidden, below each other.
  QString textOf(const QModelIndex& index) const {
    QStringList texts = {index.data().toString()};
    if (index.column() == DiagnosticsModel::Place && view_->isColumnHidden(DiagnosticsModel::Cause))
      for (const int column : {DiagnosticsModel::Cause, DiagnosticsModel::Fix})
        texts << index.siblingAtColumn(column).data().toString();
    texts.removeAll(QString());
    return breakable(texts.join(QLatin1Char('\n')));
  }

  QTreeView* view_;
};

}  // namespace

DiagnosticsList::DiagnosticsList(QWidget* parent) : QTreeView(parent), list_(new DiagnosticsModel(this)) {
  setObjectName(QStringLiteral("diagnosticsList"));
  setAccessibleName(tr("Diagnostics"));
  setModel(list_);
  setWordWrap(true);
  setUniformRowHeights(false);
  setIndentation(12);                     // half the usual: a narrow dock needs the room for text
  setVerticalScrollMode(ScrollPerPixel);  // a row may be higher than the view
  setAlternatingRowColors(true);
  setFrameShape(QFrame::NoFrame);
  setItemDelegate(new WrappingDelegate(this));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setToolTip(tr("Press Enter or click to jump to the place, F1 or click the code to have it explained"));
  header()->setStretchLastSection(true);
  header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    if (!list_->fixAt(index) && index.column() == DiagnosticsModel::Code &&
        !index.data().toString().isEmpty())
      emit explanationRequested(index.data().toString());
    else
      jump(index);
  });
  connect(this, &QTreeView::activated, this, &DiagnosticsList::jump);
}

void DiagnosticsList::jump(const QModelIndex& index) {
  if (const FixEdit* fix = list_->fixAt(index)) {
    const FixEdit made = *fix;  // the list changes while it is made
    emit fixRequested(made);
    return;
  }
  // A copy: what jumps may change the list.
  const Diagnostic entry = list_->diagnosticAt(index);
  emit jumpRequested(list_->placeAt(index));
  emit chosen(entry);
}

void DiagnosticsList::explain() {
  const QModelIndex entry = currentIndex().isValid() ? currentIndex() : list_->index(0, 0);
  if (!entry.isValid()) return;
  const std::string& code = list_->diagnosticAt(entry).code;
  if (!code.empty()) emit explanationRequested(QString::fromStdString(code));
}

void DiagnosticsList::setDiagnostics(const Diagnostics& diagnostics) {
  if (diagnostics == list_->diagnostics()) return;
  DiagnosticsModel before;
  before.setDiagnostics(list_->diagnostics());
  const auto asBefore = [&](const QModelIndex& index) {
    const QModelIndex entry = before.index(index.parent().isValid() ? index.parent().row() : index.row(), 0);
    return index.parent().isValid() ? before.index(index.row(), index.column(), entry)
                                    : entry.siblingAtColumn(index.column());
  };
  const QModelIndex current = currentIndex().isValid() ? asBefore(currentIndex()) : QModelIndex();
  std::vector<bool> expanded;
  for (int row = 0; row < list_->rowCount(); ++row) expanded.push_back(isExpanded(list_->index(row, 0)));
  const int scrolled = verticalScrollBar()->value();
  list_->setDiagnostics(diagnostics);
  for (int row = 0; row < list_->rowCount(); ++row) {
    const QModelIndex entry = list_->index(row, 0), earlier = before.sameAs(*list_, entry);
    const bool as_it_was = earlier.isValid() && before.rowCount(earlier) > 0;
    setExpanded(entry, as_it_was ? expanded[static_cast<std::size_t>(earlier.row())]
                                 : list_->rowCount(entry) <= most_expanded);
  }
  fitColumns();
  if (const QModelIndex same = list_->sameAs(before, current); same.isValid()) setCurrentIndex(same);
  executeDelayedItemsLayout();  // what there is to scroll follows from the rows
  verticalScrollBar()->setValue(scrolled);
}

void DiagnosticsList::fitColumns() {
  const int width = viewport()->width();
  const bool narrow = width < room_for_codes;
  const bool stacked = width < room_for_columns;
  setColumnHidden(DiagnosticsModel::Code, narrow);
  for (const int column : {DiagnosticsModel::Cause, DiagnosticsModel::Fix}) setColumnHidden(column, stacked);
  setHeaderHidden(stacked);
  if (stacked) {
    header()->resizeSection(DiagnosticsModel::Place, width);
    return scheduleDelayedItemsLayout();
  }
  const int place = narrow ? width * 7 / 20 : width / 4, cause = narrow ? width * 7 / 20 : width * 3 / 8;
  header()->resizeSection(DiagnosticsModel::Place, place);
  header()->resizeSection(DiagnosticsModel::Cause, cause);
  // The header stretches its last section, but not at once where that is another than before.
  header()->resizeSection(DiagnosticsModel::Fix, narrow ? width - place - cause : width / 4);
  scheduleDelayedItemsLayout();
}

void DiagnosticsList::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitColumns();
}

void DiagnosticsList::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex index = indexAt(event->pos());
  if (!index.isValid()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("&Go There"), this, [this, entry = QPersistentModelIndex(index)] {
    if (entry.isValid()) jump(entry);
  });
  const QString code = QString::fromStdString(list_->diagnosticAt(index).code);
  menu->addAction(tr("&Explain This"), this, [this, code] { emit explanationRequested(code); })
      ->setEnabled(!code.isEmpty());
  menu->popup(event->globalPos());
}

void DiagnosticsList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F1) return explain();
  QTreeView::keyPressEvent(event);
}

bool DiagnosticsList::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F1 &&
      list_->rowCount() > 0)
    event->accept();
  return QTreeView::event(event);
}

void DiagnosticsList::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (list_->rowCount() > 0) return;
  QPainter painter(viewport());
  painter.setPen(palette().color(QPalette::Disabled, QPalette::Text));
  painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Nothing to report."));
}

}  // namespace sluice::ui
