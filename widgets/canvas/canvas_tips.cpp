#include "widgets/canvas/canvas_tips.h"

#include <QObject>

#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

QString html(const std::string& text) {
  return qt(text).toHtmlEscaped();
}

}  // namespace

QString nodeTip(const Picture& picture, const Catalog& catalog, std::size_t box) {
  const SceneBox& node = picture.model.boxes[box];
  QString tip = "<b>" + html(node.path) + "</b> " + html(node.title + " " + node.badge);
  if (const OperatorSpec* spec = catalog.find(node.title)) tip += "<br>" + html(spec->summary);
  if (!node.detail.empty()) tip += "<br>" + html(node.detail);
  for (const ScenePort& port : node.inputs) tip += "<br><i>→ " + html(port.name) + "</i> " + html(port.help);
  for (const ScenePort& port : node.outputs) tip += "<br><i>" + html(port.name) + " →</i> " + html(port.help);
  if (const auto& mark = picture.boxes[box].mark) tip += "<br><b>" + mark->tooltip.toHtmlEscaped() + "</b>";
  return tip;
}

QString linkTip(const Picture& picture, std::size_t link) {
  const SceneLink& stream = picture.model.links[link];
  const LinkLook& look = picture.links[link];
  QString tip = "<b>" + html(stream.name) + "</b><br>";
  tip += stream.depth.empty() ? QObject::tr("FIFO as deep as the machine says")
                              : QObject::tr("FIFO of %1 tokens").arg(qt(stream.depth)).toHtmlEscaped();
  for (const QString& line : look.label) tip += "<br>" + line.toHtmlEscaped();
  if (look.mark)
    tip += "<br><b>" + (look.mark->word + " " + look.mark->tooltip).trimmed().toHtmlEscaped() + "</b>";
  return tip;
}

}  // namespace sluice::ui
