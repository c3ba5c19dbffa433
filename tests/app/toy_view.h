#pragma once
// A view from outside of the window, in one file: a label. Used by
// toy_view_test.cpp in its own window, and by toy_view_plugin.cpp in that of `sluice`.

#include <QLabel>

#include "app/window/shell/view_spec.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

inline Printable toyPaper(const QLabel* label) {
  Printable paper;
  paper.name = QStringLiteral("toy");
  paper.title = QStringLiteral("Toy");
  paper.height = [](const PrintStyle& style) { return style.width / 4.0; };
  paper.paint = [label](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    QFont font = painter.font();
    font.setPointSizeF(style.text);
    painter.setFont(font);
    painter.drawText(QRectF(QPointF(), size), Qt::AlignCenter, label->text());
  };
  paper.csv = [label] { return QStringLiteral("text\n") + label->text() + QLatin1Char('\n'); };
  return paper;
}

inline MadeView makeToy(const WindowContext& context) {
  auto* label = new QLabel(QStringLiteral("nothing to see"), context.window);
  label->setObjectName(QStringLiteral("toyLabel"));
  return {label,
          {{.id = QStringLiteral("toy"),
            .title = QStringLiteral("Toy"),
            .widget = label,
            .printable = [label](const View&) { return toyPaper(label); }}}};
}

/// A dock, and the same as a tab of the canvas.
inline ViewSpec toyDock() {
  return {.id = "toy", .title = "Toy", .area = Area::Right, .make = makeToy, .keys = "Ctrl+Alt+T"};
}
inline ViewSpec toyTab() {
  return {.id = "toyTab",
          .title = "Toy Tab",
          .area = Area::Middle,
          .make = [](const WindowContext& context) -> MadeView {
            return {new QLabel(QStringLiteral("a tab"), context.window)};
          }};
}

}  // namespace sluice::ui
