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
/// Whether the file or folder is that folder, or lies in it.
bool isAmongSamples(const QString& path);
QList<Sample> samples();

}  // namespace sluice::ui
