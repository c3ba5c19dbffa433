#pragma once
// The command line of the build, run by a test of the window.

#include <QProcess>
#include <QString>
#include <QStringList>

namespace sluice::ui {

/// The exit code of sluice-cli, -1 if it does not end in two minutes; `told`: what it wrote as errors.
inline int cli(const QStringList& arguments, QString* told = nullptr) {
  constexpr int longest = 120000;  // ms: generous, for sanitizers and busy machines
  QProcess process;
  process.start(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-cli"), arguments);
  if (!process.waitForFinished(longest)) return -1;
  if (told) *told = QString::fromUtf8(process.readAllStandardError());
  return process.exitCode();
}

}  // namespace sluice::ui
