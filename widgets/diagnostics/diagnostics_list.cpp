#include "widgets/diagnostics/diagnostics_list.h"

#include <QHeaderView>
#include <QPainter>

namespace sluice::ui {

DiagnosticsList::DiagnosticsList(QWidget* parent) : QTreeView(parent), list_(new DiagnosticsModel(this)) {
  setObjectName(QStringLiteral("diagnosticsList"));
  setAccessibleName(tr("Diagnostics"));
  setModel(list_);
  setRootIsDecorated(false);
  setWordWrap(true);
  setUniformRowHeights(false);
  setAlternatingRowColors(true);
  setFrameShape(QFrame::NoFrame);
  setTextElideMode(Qt::ElideRight);
  setToolTip(tr("Press Enter or click to jump to the place"));
  header()->setStretchLastSection(true);
  header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  const auto jump = [this](const QModelIndex& index) {
    emit jumpRequested(index.siblingAtColumn(DiagnosticsModel::Place).data().toString());
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
