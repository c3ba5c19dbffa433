#pragma once
// The programs that come with Sluice, for the tests of its window.

#include <QString>

namespace sluice::ui {

/// "simple_moe" -> the file.
inline QString sample(const char* name) {
  return QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/%1.sluice").arg(QString::fromLatin1(name));
}

}  // namespace sluice::ui
