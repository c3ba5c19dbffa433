#include "app/window/document_summary.h"

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString html(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

QString section(const QString& title, const QString& rows) {
  return QStringLiteral(
             "<p style='margin:10px 0 2px 0'><b>%1</b></p><table cellspacing='0' cellpadding='1' "
             "width='100%'>%2</table>")
      .arg(title, rows);
}

QString row(const QString& left, const QString& right) {
  return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td></tr>").arg(left, right);
}

QString machineRows(const Machine& machine) {
  const auto value = [](const Value& written) { return html(text(written)); };
  const bool unlimited = machine.on_chip_capacity == Value(0);
  return row(QObject::tr("FIFO depth"), value(machine.fifo_depth) + QObject::tr(" tokens")) +
         row(QObject::tr("On-chip"), value(machine.on_chip_bandwidth) + QObject::tr(" B/cycle")) +
         row(QObject::tr("Capacity"),
             unlimited ? QObject::tr("unlimited") : value(machine.on_chip_capacity) + QObject::tr(" B")) +
         row(QObject::tr("HBM channels"), value(machine.hbm_channels)) +
         row(QObject::tr("HBM request"), value(machine.hbm_request_bytes) + QObject::tr(" B")) +
         (machine.scratchpads == Value(0)
              ? QString()
              : row(QObject::tr("Shared on-chip units"), value(machine.scratchpads))) +
         row(QObject::tr("HBM start-up"), value(machine.hbm_start_up) + QObject::tr(" cycles"));
}

QString sourceOf(const Input& input) {
  if (!input.file.empty()) return html(input.file);
  if (input.data) return QObject::tr("%1 values in the file").arg(input.data->data.size());
  return QObject::tr("%1 tokens, %2 experts, top %3").arg(input.tokens).arg(input.experts).arg(input.top_k);
}

}  // namespace

DocumentSummary::DocumentSummary(QWidget* parent) : QLabel(parent) {
  setObjectName(QStringLiteral("documentSummary"));
  setTextFormat(Qt::RichText);
  setWordWrap(true);
  setAlignment(Qt::AlignTop | Qt::AlignLeft);
  setContentsMargins(12, 4, 12, 10);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
}

void DocumentSummary::setDocument(const Document& document) {
  QString inputs, constants;
  for (const Input& input : document.inputs) inputs += row(html(input.name), sourceOf(input));
  for (const auto& [name, value] : document.constants)
    constants += row(html(name), html(sluice::text(value)));
  QString all;
  if (!constants.isEmpty()) all += section(tr("Constants"), constants);
  if (!inputs.isEmpty()) all += section(tr("Inputs"), inputs);
  all += section(tr("Machine: %1").arg(html(document.machine.name)), machineRows(document.machine));
  setText(all);
}

}  // namespace sluice::ui
