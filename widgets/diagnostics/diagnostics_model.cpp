#include "widgets/diagnostics/diagnostics_model.h"

#include <QApplication>
#include <QStyle>
#include <array>

#include "engine/program/fix_edit.h"

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

// An entry's index has the id 0, that of a related place the number of its entry, from 1.

QModelIndex DiagnosticsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex DiagnosticsModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == 0) return {};
  return createIndex(static_cast<int>(index.internalId()) - 1, 0, quintptr{0});
}

int DiagnosticsModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(diagnostics_.size());
  if (parent.internalId() != 0 || parent.column() != 0) return 0;
  const Diagnostic& entry = diagnostics_[static_cast<std::size_t>(parent.row())];
  return static_cast<int>(entry.fixes.size() + entry.related.size());
}

int DiagnosticsModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

const Diagnostic& DiagnosticsModel::diagnosticAt(const QModelIndex& index) const {
  const QModelIndex around = index.parent();
  return diagnostics_[static_cast<std::size_t>(around.isValid() ? around.row() : index.row())];
}

const Location& DiagnosticsModel::placeAt(const QModelIndex& index) const {
  const Diagnostic& diagnostic = diagnosticAt(index);
  if (!index.parent().isValid() || fixAt(index)) return diagnostic.place;
  return diagnostic.related[static_cast<std::size_t>(index.row()) - diagnostic.fixes.size()];
}

const FixEdit* DiagnosticsModel::fixAt(const QModelIndex& index) const {
  if (!index.parent().isValid()) return nullptr;
  const std::vector<FixEdit>& fixes = diagnosticAt(index).fixes;
  const auto row = static_cast<std::size_t>(index.row());
  return row < fixes.size() ? &fixes[row] : nullptr;
}

int DiagnosticsModel::rowOf(const Diagnostic& entry) const {
  int found = -1;
  for (std::size_t row = 0; row < diagnostics_.size(); ++row) {
    const Diagnostic& each = diagnostics_[row];
    if (each.code != entry.code || each.place != entry.place) continue;
    if (each.cause == entry.cause) return static_cast<int>(row);
    if (found < 0) found = static_cast<int>(row);  // its numbers are others now
  }
  return found;
}

QModelIndex DiagnosticsModel::sameAs(const DiagnosticsModel& other, const QModelIndex& there) const {
  const int row = there.isValid() ? rowOf(other.diagnosticAt(there)) : -1;
  if (row < 0 || !there.parent().isValid()) return index(row, there.column());
  const QModelIndex entry = index(row, 0);
  for (int below = 0; below < rowCount(entry); ++below) {
    const QModelIndex each = index(below, there.column(), entry);
    const FixEdit *fix = fixAt(each), *wanted = other.fixAt(there);
    const bool is_it =
        fix && wanted ? *fix == *wanted : !fix && !wanted && placeAt(each) == other.placeAt(there);
    if (is_it) return each;
  }
  return entry;
}

QVariant DiagnosticsModel::fixData(const FixEdit& fix, const QModelIndex& index, int role) const {
  if (index.column() != Fix) return {};
  const QString text = QString::fromStdString(sluice::text(fix));
  if (role == Qt::DisplayRole) return QStringLiteral("\u25B8 ") + text;
  if (role == Qt::ForegroundRole) return QApplication::palette().link();
  if (role == Qt::ToolTipRole) return tr("Click or press Enter to do this; undo takes it back");
  if (role == Qt::AccessibleTextRole) return tr("Fix: %1").arg(text);
  return {};
}

QVariant DiagnosticsModel::relatedData(const QModelIndex& index, int role) const {
  const QString place = QString::fromStdString(sluice::text(placeAt(index)));
  if (role == Qt::DisplayRole) return index.column() == Place ? place : QString();
  if (role == Qt::AccessibleTextRole && index.column() == Place) return tr("Related: %1").arg(place);
  return {};
}

QVariant DiagnosticsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (const FixEdit* fix = fixAt(index)) return fixData(*fix, index, role);
  if (index.parent().isValid()) return relatedData(index, role);
  const Diagnostic& diagnostic = diagnosticAt(index);
  const std::array<std::string, ColumnCount> cells = {sluice::text(diagnostic.place), diagnostic.cause,
                                                      diagnostic.fix, diagnostic.code};
  const QString cell = QString::fromStdString(cells[static_cast<std::size_t>(index.column())]);
  switch (role) {
    case Qt::DisplayRole:
      return cell;
    case Qt::ToolTipRole:
      return QString::fromStdString(sluice::text(diagnostic));
    case Qt::ForegroundRole:
      return index.column() == Code ? QVariant(QApplication::palette().link()) : QVariant();
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
  const std::array<QString, ColumnCount> titles = {tr("Place"), tr("What is wrong"), tr("How to fix it"),
                                                   tr("Code")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace sluice::ui
