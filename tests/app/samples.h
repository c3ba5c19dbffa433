#pragma once
// What tests of the window share: the programs that come with Sluice, and how long to wait for the engine.

#include <QString>

namespace sluice::ui {

/// ms: generous, for sanitizers and busy machines.
inline constexpr int engine_time = 240000;

/// "simple_moe" -> the file.
inline QString sample(const char* name) {
  return QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/%1.sluice").arg(QString::fromLatin1(name));
}

}  // namespace sluice::ui
