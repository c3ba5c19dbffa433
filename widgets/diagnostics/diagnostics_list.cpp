#include "widgets/diagnostics/diagnostics_list.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

namespace sluice::ui {
namespace {

/// Rows as high as their longest cell needs at the width its column has.
class WrappingDelegate : public QStyledItemDelegate {
 public:
  explicit WrappingDelegate(QTreeView* view) : QStyledItemDelegate(view), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int icon = index.column() == DiagnosticsModel::Place ? option.decorationSize.width() + 8 : 0;
    const int width = view_->columnWidth(index.column()) - icon - 10;
    const QRect text = option.fontMetrics.boundingRect(0, 0, width, 10000, Qt::TextWordWrap | Qt::AlignTop,
                                                       index.data(Qt::DisplayRole).toString());
    return {width, text.height() + 8};
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->displayAlignment = Qt::AlignLeft | Qt::AlignTop;
    option->decorationAlignment = Qt::AlignLeft | Qt::AlignTop;
    option->textElideMode = Qt::ElideNone;
  }

 private:
  QTreeView* view_;
};

}  // namespace

DiagnosticsList::DiagnosticsList(QWidget* parent) : QTreeView(parent), list_(new DiagnosticsModel(this)) {
  setObjectName(QStringLiteral("diagnosticsList"));
  setAccessibleName(tr("Diagnostics"));
  setModel(list_);
  setRootIsDecorated(false);
  setWordWrap(true);
  setUniformRowHeights(false);
  setAlternatingRowColors(true);
  setFrameShape(QFrame::NoFrame);
  setItemDelegate(new WrappingDelegate(this));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setToolTip(tr("Press Enter or click to jump to the place"));
  header()->setStretchLastSection(true);
  header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  const auto jump = [this](const QModelIndex& index) {
    emit jumpRequested(diagnostics()[static_cast<std::size_t>(index.row())].place);
  };
  connect(this, &QTreeView::clicked, this, jump);
  connect(this, &QTreeView::activated, this, jump);
}

void DiagnosticsList::setDiagnostics(const Diagnostics& diagnostics) {
  list_->setDiagnostics(diagnostics);
  fitColumns();
}

void DiagnosticsList::fitColumns() {
  const int width = viewport()->width();
  header()->resizeSection(DiagnosticsModel::Place, width / 4);
  header()->resizeSection(DiagnosticsModel::Cause, width * 2 / 5);
  scheduleDelayedItemsLayout();
}

void DiagnosticsList::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitColumns();
}

void DiagnosticsList::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (list_->rowCount() > 0) return;
  QPainter painter(viewport());
  painter.setPen(palette().color(QPalette::Disabled, QPalette::Text));
  painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Nothing to report."));
}

}  // namespace sluice::ui
