#pragma once
// The window's views as they go on paper.

#include <optional>

#include "app/window/export/export_dialog.h"
#include "engine/core/diagnostic.h"

namespace sluice::ui {

class Workspace;

Printable printableOf(ExportSubject subject, const Workspace& workspace);
/// Why there is nothing of it to export; none: there is.
std::optional<Diagnostic> missing(ExportSubject subject, const Workspace& workspace);
/// All that was chosen, as one figure.
Printable printableOf(const ExportChoice& choice, const Workspace& workspace);
/// The view that the keyboard is in; else the one in front of the explored points.
ExportSubject focusedSubject(const Workspace& workspace);

}  // namespace sluice::ui
