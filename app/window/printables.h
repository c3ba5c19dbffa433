#pragma once
// The window's views as they go on paper.

#include "app/window/export_dialog.h"

namespace sluice::ui {

class Workspace;

Printable printableOf(ExportSubject subject, const Workspace& workspace);
/// All that was chosen, as one figure.
Printable printableOf(const ExportChoice& choice, const Workspace& workspace);
/// The view that the keyboard is in; else the one in front of the explored points.
ExportSubject focusedSubject(const Workspace& workspace);

}  // namespace sluice::ui
