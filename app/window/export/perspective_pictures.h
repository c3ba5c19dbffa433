#pragma once
// Pictures of every perspective, light and dark, at common sizes of screens: to be looked at before a change
// of what the window looks like is done. `sluice --pictures FOLDER FILE...` takes them.

#include <QStringList>

#include "engine/core/result.h"

namespace sluice::ui {

/// Of every program, explored, in a window of its own: PROGRAM_PERSPECTIVE_THEME_SIZE.png. The sizes are
/// those of windows, before the scale of the screen.
Result<Done> takePerspectivePictures(const QStringList& files, const QString& folder);

}  // namespace sluice::ui
