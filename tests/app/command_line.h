#pragma once
// The command line of the build, run by a test of the window.

#include <QProcess>
#include <QString>
#include <QStringList>

namespace sluice::ui {

/// The exit code of a program of the build, -1 if it does not end in two minutes; `told`: what it wrote as
/// errors.
inline int runProgram(const char* program, const QStringList& arguments, QString* told = nullptr) {
  constexpr int longest = 120000;  // ms: generous, for sanitizers and busy machines
  QProcess process;
  process.start(QStringLiteral(SLUICE_BINARY_DIR "/bin/") + QLatin1String(program), arguments);
  if (!process.waitForFinished(longest) || process.exitStatus() != QProcess::NormalExit) return -1;
  if (told) *told = QString::fromUtf8(process.readAllStandardError());
  return process.exitCode();
}

inline int cli(const QStringList& arguments, QString* told = nullptr) {
  return runProgram("sluice-cli", arguments, told);
}

}  // namespace sluice::ui
