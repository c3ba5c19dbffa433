#include "widgets/diagnostics/diagnostics_model.h"

#include <QApplication>
#include <QStyle>

namespace sluice::ui {
namespace {

QIcon icon(Severity severity) {
  const QStyle* style = QApplication::style();
  switch (severity) {
    case Severity::Note:
      return style->standardIcon(QStyle::SP_MessageBoxInformation);
    case Severity::Warning:
      return style->standardIcon(QStyle::SP_MessageBoxWarning);
    case Severity::Error:
      return style->standardIcon(QStyle::SP_MessageBoxCritical);
  }
  return {};
}

}  // namespace

QString severityText(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return QStringLiteral("Note");
    case Severity::Warning:
      return QStringLiteral("Warning");
    case Severity::Error:
      return QStringLiteral("Error");
  }
  return {};
}

void DiagnosticsModel::setDiagnostics(Diagnostics diagnostics) {
  if (diagnostics == diagnostics_) return;
  beginResetModel();
  diagnostics_ = std::move(diagnostics);
  endResetModel();
}

int DiagnosticsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(diagnostics_.size());
}

int DiagnosticsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant DiagnosticsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Diagnostic& diagnostic = diagnostics_[static_cast<std::size_t>(index.row())];
  const QString cell = QString::fromStdString(index.column() == Place   ? sluice::text(diagnostic.place)
                                              : index.column() == Cause ? diagnostic.cause
                                                                        : diagnostic.fix);
  switch (role) {
    case Qt::DisplayRole:
      return cell;
    case Qt::ToolTipRole:
      return QString::fromStdString(sluice::text(diagnostic));
    case Qt::DecorationRole:
      return index.column() == Place ? QVariant(icon(diagnostic.severity)) : QVariant();
    case Qt::AccessibleTextRole:
      return index.column() == Place ? severityText(diagnostic.severity) + QStringLiteral(": ") + cell : cell;
    default:
      return {};
  }
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  return section == Place ? tr("Place") : section == Cause ? tr("What is wrong") : tr("How to fix it");
}

}  // namespace sluice::ui
