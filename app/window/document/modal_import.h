#pragma once
// Importing a file from the window: the file is read by another thread; if that takes long, a box says so and
// offers to cancel it.

#include <QString>

#include "engine/importers/registry.h"

class QWidget;

namespace sluice::ui {

/// importFile(), after which the window goes on. Errors: as importFile() has them; a click on Cancel is a
/// cancelled diagnostic.
Result<Imported> importModally(const QString& file, ImportOptions options, QWidget* window);

}  // namespace sluice::ui
