#pragma once
// What hovering over a node or a stream of the canvas tells, as rich text.

#include "widgets/canvas/picture.h"

namespace sluice::ui {

QString nodeTip(const Picture& picture, const Catalog& catalog, std::size_t box);
QString linkTip(const Picture& picture, std::size_t link);

}  // namespace sluice::ui
