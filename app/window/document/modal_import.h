#pragma once
// Importing a file from the window: the file is read by another thread; if that takes long, a box says so and
// offers to cancel it.

#include <QString>

#include "engine/importers/registry.h"

class QWidget;

namespace sluice::ui {

class BackgroundWork;

/// importFile() in `work`, after which the window goes on. Errors: as importFile() has them; a click on
/// Cancel is a cancelled diagnostic, at once, without waiting for the reader to stop.
Result<Imported> importModally(const QString& file, const ImportOptions& options, BackgroundWork& work,
                               QWidget* window);

}  // namespace sluice::ui
