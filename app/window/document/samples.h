#pragma once
// The sample programs that come with Sluice.

#include <QList>
#include <QString>

namespace sluice::ui {

struct Sample {
  QString file, title, description;
};

/// Beside the application: where it is installed, or in the source folder it was built in. Empty: not found.
QString samplesFolder();
QList<Sample> samples();

}  // namespace sluice::ui
