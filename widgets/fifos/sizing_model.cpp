#include "widgets/fifos/sizing_model.h"

#include <QFont>
#include <algorithm>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

const QString dash = QStringLiteral("\u2013");

/// Columns of a method.
int widthOf(const ComparedSizing& sizing) {
  return sizing.has_delays ? SizingModel::QuantityCount : SizingModel::QuantityCount - SizingModel::Depth;
}

QString simulatedText(const ComparedSizing& sizing) {
  if (!sizing.simulated) return dash;
  if (sizing.simulated->deadlock) return QObject::tr("deadlock");
  return exactNumber(sizing.simulated->cycles);
}

QString stallsText(const ComparedSizing& sizing) {
  return sizing.stalls && !sizing.simulated->deadlock ? exactNumber(*sizing.stalls) : dash;
}

QVariant simulatedPeak(const ComparedSizing& sizing, std::size_t fifo) {
  if (!sizing.simulated || fifo >= sizing.simulated->peak.size()) return dash;
  return static_cast<qlonglong>(sizing.simulated->peak[fifo]);
}

QVariant quantityOf(const SizedFifo& fifo, SizingModel::Quantity quantity) {
  switch (quantity) {
    case SizingModel::Delay:
      return static_cast<qlonglong>(fifo.delay);
    case SizingModel::Published:
      return static_cast<qlonglong>(fifo.published.tokens);
    case SizingModel::Peak:
      return static_cast<qlonglong>(fifo.peak);
    case SizingModel::Depth:
      return static_cast<qlonglong>(fifo.depth);
    default:
      return bytesText(fifo.bytes);
  }
}

QString titleOf(SizingModel::Quantity quantity) {
  return QStringList{QObject::tr("delay"), QObject::tr("paper"), QObject::tr("peak"),
                     QObject::tr("run"),   QObject::tr("depth"), QObject::tr("bytes")}
      .value(quantity);
}

QString tipOf(SizingModel::Quantity quantity) {
  return QStringList{QObject::tr("Cycles from the producer's start to the consumer's"),
                     QObject::tr("The most tokens waiting, after the published Equations 1 and 2"),
                     QObject::tr("The most tokens waiting, exactly"),
                     QObject::tr("The most tokens waiting in a simulated run with these depths"),
                     QObject::tr("What the FIFO gets: one more than the larger of both, at least 2"),
                     QObject::tr("Memory of the FIFO")}
      .value(quantity);
}

}  // namespace

void SizingModel::show(const TimedGraph& graph, const std::vector<ComparedSizing>& sizings) {
  const bool same_shape =
      graph.streams.size() == graph_.streams.size() &&
      std::ranges::equal(sizings, sizings_, {}, &ComparedSizing::has_delays, &ComparedSizing::has_delays);
  if (!same_shape) beginResetModel();
  graph_ = graph;
  sizings_ = sizings;
  if (!same_shape) return endResetModel();
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int SizingModel::columnOf(std::size_t sizing, Quantity quantity) const {
  int begin = 1;
  for (std::size_t before = 0; before < sizing; ++before) begin += widthOf(sizings_[before]);
  return sizings_[sizing].has_delays ? begin + quantity : begin + quantity - Depth;
}

std::optional<SizingModel::Cell> SizingModel::cellOf(int column) const {
  int quantity = column - 1;
  for (std::size_t sizing = 0; sizing < sizings_.size() && quantity >= 0; ++sizing) {
    const int width = widthOf(sizings_[sizing]);
    if (quantity < width) return Cell{sizing, static_cast<Quantity>(quantity + QuantityCount - width)};
    quantity -= width;
  }
  return std::nullopt;
}

int SizingModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(graph_.streams.size());
}

int SizingModel::columnCount(const QModelIndex& parent) const {
  if (parent.isValid() || sizings_.empty()) return 0;
  return columnOf(sizings_.size() - 1, SizeInBytes) + 1;
}

QVariant SizingModel::data(const QModelIndex& index, int role) const {
  const auto row = static_cast<std::size_t>(index.row());
  const auto cell = cellOf(index.column());
  if (!cell)
    return role == Qt::DisplayRole ? QString::fromStdString(nameOf(graph_, graph_.streams[row])) : QVariant();
  const ComparedSizing& sizing = sizings_[cell->sizing];
  switch (role) {
    case Qt::DisplayRole:
      if (cell->quantity == SimulatedPeak) return simulatedPeak(sizing, row);
      return row < sizing.fifos.size() ? quantityOf(sizing.fifos[row], cell->quantity) : dash;
    case Qt::EditRole:
      return row < sizing.fifos.size() ? static_cast<qlonglong>(sizing.fifos[row].depth) : 0;
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case GroupRole:
      return cell->quantity == (sizing.has_delays ? Delay : Depth);
    case Qt::FontRole: {
      QFont font;
      font.setBold(cell->quantity == Depth);
      return font;
    }
    default:
      return {};
  }
}

bool SizingModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  bool number = false;
  const qlonglong depth = value.toLongLong(&number);
  if (role != Qt::EditRole || !number || !flags(index).testFlag(Qt::ItemIsEditable)) return false;
  if (depth != data(index, Qt::EditRole).toLongLong()) emit depthEdited(index.row(), depth);
  return true;
}

Qt::ItemFlags SizingModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  const auto cell = cellOf(index.column());
  if (cell && sizings_[cell->sizing].by_hand && cell->quantity == Depth) flags |= Qt::ItemIsEditable;
  return flags;
}

QVariant SizingModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const auto cell = cellOf(section);
  if (!cell) return role == Qt::DisplayRole ? QVariant(tr("FIFO")) : QVariant();
  const ComparedSizing& sizing = sizings_[cell->sizing];
  if (role == Qt::ToolTipRole) return QStringLiteral("%1: %2").arg(sizing.name, tipOf(cell->quantity));
  if (role != Qt::DisplayRole) return {};
  const bool first = cell->quantity == (sizing.has_delays ? Delay : Depth);
  return (first ? sizing.short_name : QString()) + QLatin1Char('\n') + titleOf(cell->quantity);
}

void SummaryModel::show(const std::vector<ComparedSizing>& sizings) {
  const bool same_shape = sizings.size() == sizings_.size();
  if (!same_shape) beginResetModel();
  sizings_ = sizings;
  if (!same_shape) return endResetModel();
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int SummaryModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(sizings_.size());
}

int SummaryModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant SummaryModel::data(const QModelIndex& index, int role) const {
  const ComparedSizing& sizing = sizings_[static_cast<std::size_t>(index.row())];
  const bool number = index.column() >= Delays && index.column() <= Stalls;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  if (sizing.fifos.empty() && index.column() != Method && index.column() != Verdict) return dash;
  switch (index.column()) {
    case Method:
      return sizing.name;
    case Delays:
      return sizing.has_delays ? QVariant(static_cast<qlonglong>(sizing.totalDelay())) : QVariant(dash);
    case Depths:
      return static_cast<qlonglong>(sizing.totalDepth());
    case Memory:
      return bytesText(sizing.totalBytes());
    case Constraints:
      return sizing.constraints > 0 ? QVariant(static_cast<qulonglong>(sizing.constraints)) : QVariant(dash);
    case SimulatedCycles:
      return simulatedText(sizing);
    case Stalls:
      return stallsText(sizing);
    default: {
      const bool hidden = sizing.delay_conflict && !sizing.verdict.stall && !sizing.verdict.deadlock;
      const bool good = sizing.failed.empty() && !sizing.verdict.stall && !sizing.verdict.deadlock;
      const QString sign =
          good ? hidden ? QStringLiteral("\u26a0") : QStringLiteral("\u2713") : QStringLiteral("\u2717");
      return QStringLiteral("%1 %2%3").arg(sign, verdictWord(sizing),
                                           hidden ? tr(", its delays alone: stalls") : QString());
    }
  }
}

QVariant SummaryModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole) {
    if (section == Delays) return tr("The sum over all FIFOs, in cycles");
    if (section == Depths) return tr("The sum over all FIFOs, in tokens");
    if (section == Constraints) return tr("Rows of the published program, one a path");
    if (section == SimulatedCycles)
      return tr(
          "Cycles of one execution with these depths, simulated: registered FIFOs, pipelines as they are");
    if (section == Stalls)
      return tr("Cycles in that run in which a kernel found a FIFO full, over all kernels");
    if (section == Verdict) return tr("What the check of delays and tokens says to these depths");
  }
  if (role != Qt::DisplayRole) return {};
  return QStringList{tr("Method"), tr("Delays"),    tr("Depths"), tr("Memory"),
                     tr("Paths"),  tr("Simulated"), tr("Stalls"), tr("Predicted")}
      .value(section);
}

}  // namespace sluice::ui
