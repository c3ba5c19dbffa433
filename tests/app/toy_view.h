#pragma once
// A view from outside of the window, in one file: a label. Used by
// toy_view_test.cpp in its own window, and by toy_view_plugin.cpp in that of `sluice`.

#include <QLabel>

#include "app/window/shell/view_spec.h"
#include "widgets/export/exportable.h"

namespace sluice::ui {

inline Exportable toyPaper(const QLabel* label) {
  Exportable paper;
  paper.name = QStringLiteral("toy");
  paper.title = QStringLiteral("Toy");
  paper.height = [](const PrintStyle& style) { return style.width / 4.0; };
  paper.paint = [](QCPPainter&, QSizeF, const PrintStyle&) {};  // an empty page
  paper.csv = [label] { return QStringLiteral("text\n") + label->text() + QLatin1Char('\n'); };
  return paper;
}

inline MadeView makeToy(const WindowContext&) {
  auto* label = new QLabel(QStringLiteral("nothing to see"));
  label->setObjectName(QStringLiteral("toyLabel"));
  return {label,
          {{.id = QStringLiteral("toy"),
            .title = QStringLiteral("Toy"),
            .widget = label,
            .exportable = [label](const View&) { return toyPaper(label); }}}};
}

/// A dock, and the same as a tab of the canvas.
inline ViewSpec toyDock() {
  return {.id = "toy", .title = "Toy", .area = Area::Right, .make = makeToy, .keys = "Ctrl+Alt+T"};
}
inline ViewSpec toyTab() {
  return {
      .id = "toyTab", .title = "Toy Tab", .area = Area::Middle, .make = [](const WindowContext&) -> MadeView {
        return {new QLabel(QStringLiteral("a tab"))};
      }};
}

}  // namespace sluice::ui
