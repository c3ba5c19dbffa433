// The window `sluice`. See engine/ for what computes, widgets/ for what is drawn, main_window.h for how they
// meet.

#include <QApplication>
#include <QCommandLineParser>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <clocale>
#include <iostream>

#include "app/process/plugin_arguments.h"
#include "app/process/standard_output.h"
#include "app/window/document/crash_recovery.h"
#include "app/window/export/batch.h"
#include "app/window/export/perspective_pictures.h"
#include "app/window/manual/picture_taker.h"
#include "app/window/shell/end_signals.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/view_plugin.h"
#include "engine/importers/registry.h"

namespace {

struct Options {
  QStringList files;
  QString screenshot, charts, views, select, theme, manual, pictures, notes;
};

Options parse(const QApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Explores the design space of streaming tensor programs."));
  parser.addHelpOption();
  parser.addVersionOption();
  QStringList importable;
  for (const std::string& suffix : sluice::importSuffixes())
    importable << QLatin1Char('.') + QString::fromStdString(suffix);
  parser.addPositionalArgument(
      QStringLiteral("files"),
      QStringLiteral("Programs to open, each in a window of its own: .sluice, or what "
                     "`sluice-cli import` takes (%1).")
          .arg(importable.join(QLatin1String(", "))),
      QStringLiteral("[files...]"));
  const QCommandLineOption screenshot(QStringLiteral("screenshot"),
                                      QStringLiteral("Explore, write a picture of the window, and quit."),
                                      QStringLiteral("file.png"));
  const QCommandLineOption charts(QStringLiteral("charts"),
                                  QStringLiteral("Explore, write both plots as PDF and CSV, and quit."),
                                  QStringLiteral("folder"));
  const QCommandLineOption views(
      QStringLiteral("views"),
      QStringLiteral(
          "The views that --charts writes instead, separated by commas: any that can be exported."),
      QStringLiteral("names"));
  const QCommandLineOption select(QStringLiteral("select"), QStringLiteral("A node or stream to select."),
                                  QStringLiteral("name"));
  const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("system, light or dark."),
                                 QStringLiteral("theme"));
  const QCommandLineOption manual(
      QStringLiteral("manual"),
      QStringLiteral("Write the manual as HTML, with pictures of the window taken now, and quit."),
      QStringLiteral("folder"));
  const QCommandLineOption pictures(
      QStringLiteral("pictures"),
      QStringLiteral(
          "Explore the files, write pictures of every perspective in both themes at three sizes, and quit."),
      QStringLiteral("folder"));
  // For the help: main() has taken it out of the arguments.
  const QCommandLineOption plugin(
      QStringLiteral("plugin"),
      QStringLiteral(
          "A plug-in to load; may be given again. $SLUICE_PLUGINS lists more, separated by colons."),
      QStringLiteral("file"));
  // A window of the last session, which another one brings back.
  QCommandLineOption notes(QStringLiteral("restore"), {}, QStringLiteral("notes"));
  notes.setFlags(QCommandLineOption::HiddenFromHelp);
  parser.addOptions({screenshot, charts, views, select, theme, manual, pictures, plugin, notes});
  parser.process(application);
  return {parser.positionalArguments(), parser.value(screenshot), parser.value(charts),
          parser.value(views),          parser.value(select),     parser.value(theme),
          parser.value(manual),         parser.value(pictures),   parser.value(notes)};
}

/// A run without a user needs no display.
void goOffscreenIfBatch(int argc, char** argv) {
  const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  if (display || qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return;
  for (int index = 1; index < argc; ++index) {
    const QByteArray argument(argv[index]);
    for (const char* option : {"--screenshot", "--charts", "--pictures"})
      if (argument.startsWith(option)) qputenv("QT_QPA_PLATFORM", "offscreen");
  }
}

/// Text alone: it needs no display, whatever the environment says of one.
void goOffscreenIfText(int argc, char** argv) {
  for (int index = 1; index < argc; ++index) {
    const QByteArray argument(argv[index]);
    if (argument == "--") return;  // what follows are names of files
    for (const char* option : {"-h", "--help", "--help-all", "-v", "--version"})
      if (argument == option) qputenv("QT_QPA_PLATFORM", "offscreen");
  }
}

/// Pictures of the manual are the same wherever they are taken: offscreen, and twice as large, for fine
/// screens.
void goOffscreenIfManual(int argc, char** argv) {
  for (int index = 1; index < argc; ++index) {
    if (!QByteArray(argv[index]).startsWith("--manual")) continue;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "2");
  }
}

/// The manual, or pictures of the perspectives. Their windows begin without the user's settings, and leave
/// none.
int takePictures(const Options& options) {
  const QTemporaryDir settings;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  const sluice::Result<sluice::Done> written =
      options.manual.isEmpty() ? sluice::ui::takePerspectivePictures(options.files, options.pictures)
                               : sluice::ui::writeManual(options.manual);
  if (!written) std::cerr << sluice::text(written.diagnostics());
  return written ? 0 : 1;
}

/// A window more, in a process of its own, so that none can take another with it.
void openBeside(const Options& options, const QStringList& what) {
  QStringList arguments;
  if (!options.theme.isEmpty()) arguments << QStringLiteral("--theme") << options.theme;
  QProcess::startDetached(QCoreApplication::applicationFilePath(), arguments + what);
}

void openOrRestore(sluice::ui::CrashRecovery& keeping, const Options& options) {
  for (const QString& file : options.files.mid(1)) openBeside(options, {QStringLiteral("--"), file});
  if (!options.notes.isEmpty()) {
    keeping.restoreWindow(options.notes);
  } else if (options.files.isEmpty()) {
    for (const QString& notes : keeping.restoreSession())
      openBeside(options, {QStringLiteral("--restore"), notes});
  }
}

/// Every window is a process, and has its own work put aside.
int runUntilEnded(sluice::ui::MainWindow& window) {
  const sluice::ui::EndSignals ends;
  QObject::connect(&ends, &sluice::ui::EndSignals::came, &window, [&window](int signal) {
    window.session()->cancel();
    window.keeping()->leave();
    QApplication::exit(128 + signal);
  });
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  sluice::StandardOutput output;
  if (const sluice::Result<sluice::Done> loaded = sluice::loadPlugins(argc, argv); !loaded) {
    std::cerr << sluice::text(loaded.diagnostics());
    return 1;
  }
  goOffscreenIfBatch(argc, argv);
  goOffscreenIfText(argc, argv);
  goOffscreenIfManual(argc, argv);
  QApplication application(argc, argv);
  // Qt sets the user's locale; numbers in files and formulas are the same everywhere.
  std::setlocale(LC_NUMERIC, "C");
  QApplication::setOrganizationName(QStringLiteral("Sluice"));
  QApplication::setApplicationName(QStringLiteral("sluice"));
  QGuiApplication::setDesktopFileName(QStringLiteral("sluice"));  // whose icon a Wayland desktop shows
  QApplication::setApplicationVersion(QStringLiteral(SLUICE_VERSION));
  const Options options = parse(application);
  if (const sluice::Result<sluice::Done> added = sluice::ui::addPluginViews(); !added) {
    std::cerr << sluice::text(added.diagnostics());
    return 1;
  }
  if (!options.manual.isEmpty() || !options.pictures.isEmpty()) return takePictures(options);

  sluice::ui::MainWindow window;
  if (!options.theme.isEmpty()) window.setTheme(sluice::ui::themeFromName(options.theme));
  const bool batch = !options.screenshot.isEmpty() || !options.charts.isEmpty();
  window.show();
  const QString file = options.files.value(0);
  if (!batch && !file.isEmpty()) window.keeping()->beginSession();
  const bool opened = file.isEmpty() || window.openFile(file);
  if (!batch) {
    openOrRestore(*window.keeping(), options);
    window.keeping()->offerRecovery();
  }
  if (!batch) return runUntilEnded(window);
  if (!opened || file.isEmpty()) return sluice::ui::reportAndFail(window);
  sluice::ui::Batch run(&window, {options.screenshot, options.charts,
                                  options.views.split(QLatin1Char(','), Qt::SkipEmptyParts), options.select});
  const int exit_code = QApplication::exec();
  const sluice::Result<sluice::Done> arrived = output.finish();
  if (!arrived) std::cerr << sluice::text(arrived.diagnostics());
  return arrived ? exit_code : 1;
}
