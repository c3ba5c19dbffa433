#pragma once
// The manual as files: its pictures, taken from windows that do what a reader is told to do, and its pages as
// HTML. `sluice --manual FOLDER` writes them, so that no picture can be out of date.

#include <QString>

#include "engine/core/result.h"

namespace sluice::ui {

class Manual;
struct ManualPicture;

/// Opens a window, does what the picture asks for, waits until everything is computed and drawn, and grabs
/// it.
Result<Done> takePicture(const ManualPicture& picture, const QString& file);
/// Takes every picture.
Result<Done> takePictures(const Manual& manual, const QString& folder);
/// Every page as HTML; "index.html" is the first.
Result<Done> writePages(const Manual& manual, const QString& folder);
/// Both.
Result<Done> writeManual(const QString& folder);

}  // namespace sluice::ui
