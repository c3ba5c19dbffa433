// A view is added to the window from outside of it, by one file and one registration, and is then found
// wherever views are: in menus, command palette, export and session. A program of its own, as the registry is
// open only until the first window is made.

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/export/export_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/workspace.h"
#include "tests/app/command_line.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/app/toy_view.h"
#include "tests/widgets/test_program.h"
#include "widgets/commands/command_palette.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {

class ToyViewTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("toy_view_test"), folder_.path());
    QVERIFY(addViews({toyDock(), toyTab()}, "toys"));
    const Result<Done> taken = addViews({toyDock()}, "toys");
    QVERIFY(!taken);
    QCOMPARE(taken.diagnostics().front().code, std::string("name-taken"));
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
  }
  void cleanup() { window_.reset(); }

  void isInMenuAndPalette() {
    const QAction* show = window_->commands()->action(QStringLiteral("panel.toyDock"));
    QVERIFY(window_->commands()
                ->submenu(QStringLiteral("&View"), QStringLiteral("Pa&nels"))
                ->actions()
                .contains(show));
    QCOMPARE(window_->commands()->menuOf(*show), QStringLiteral("View"));
    QCOMPARE(show->shortcut(), QKeySequence(QStringLiteral("Ctrl+Alt+T")));
    QVERIFY(window_->commands()->shortcutsHtml().contains(QStringLiteral("Toy")));
    auto* dock = window_->findChild<QDockWidget*>(QStringLiteral("toyDock"));
    QVERIFY(dock && dock->isVisible());
    window_->commands()->action(QStringLiteral("panel.toyDock"))->trigger();
    QVERIFY(!dock->isVisible());

    window_->commands()->action(QStringLiteral("view.commands"))->trigger();
    const auto* palette = window_->findChild<CommandPalette*>();
    QVERIFY(palette);
    QVERIFY(!palette->list()->findItems(QStringLiteral("Toy"), Qt::MatchExactly).isEmpty());
    QVERIFY(!palette->list()->findItems(QStringLiteral("Toy Tab"), Qt::MatchExactly).isEmpty());
  }

  void aTabOfTheMiddleComesToTheFront() {
    auto* tabs = window_->findChild<QTabWidget*>(QStringLiteral("middleTabs"));
    QVERIFY(tabs);
    QCOMPARE(tabs->count(), 2);
    QCOMPARE(tabs->currentIndex(), 0);
    window_->commands()->action(QStringLiteral("panel.toyTab"))->trigger();
    QCOMPARE(tabs->currentIndex(), 1);
    window_->commands()->action(QStringLiteral("panel.canvas"))->trigger();
    QCOMPARE(tabs->currentIndex(), 0);
  }

  void everyBuiltInTabHasACommand() {
    for (const char* id :
         {"pareto", "points", "parallel", "sensitivity", "hypervolume", "choose", "occupancy", "diagnostics"})
      window_->commands()->action(QStringLiteral("panel.") + QLatin1String(id))->trigger();
    QVERIFY(window_->workspace()->diagnostics()->isVisible());
  }

  void isExported() {
    QVERIFY(window_->openFile(sample("simple_moe")));
    ExportDialog dialog(window_->views());
    const auto* subjects = dialog.findChild<QListWidget*>(QStringLiteral("exportSubject"));
    QCOMPARE(subjects->findItems(QStringLiteral("Toy"), Qt::MatchExactly).size(), qsizetype{1});
    for (const ExportFormat format : {ExportFormat::Pdf, ExportFormat::Svg, ExportFormat::Csv}) {
      const ExportChoice choice{{QStringLiteral("toy")}, format, single_column};
      const QString file = folder_.filePath(choice.suggestedName());
      QVERIFY(window_->exportFile(file, choice));
      QVERIFY(QFileInfo(file).size() > 10);
    }
  }

  void comesBackAsItWas() {
    window_->findChild<QDockWidget*>(QStringLiteral("toyDock"))->hide();
    window_->commands()->action(QStringLiteral("panel.toyTab"))->trigger();
    QVERIFY(window_->close());
    const auto next = makeWindow();
    QVERIFY(next->findChild<QDockWidget*>(QStringLiteral("toyDock"))->isHidden());
    QCOMPARE(next->findChild<QTabWidget*>(QStringLiteral("middleTabs"))->currentIndex(), 1);
    next->commands()->action(QStringLiteral("view.resetPanels"))->trigger();
    QVERIFY(!next->findChild<QDockWidget*>(QStringLiteral("toyDock"))->isHidden());
  }

  void aPlugInBringsOne() {
    const QString plugin = QStringLiteral(SLUICE_TOY_VIEW_PLUGIN);
    QCOMPARE(runProgram("sluice-cli",
                        {QStringLiteral("check"), sample("simple_moe"), QStringLiteral("--plugin"), plugin}),
             0);
    const QString charts = folder_.filePath(QStringLiteral("charts"));
    QCOMPARE(
        runProgram("sluice", {QStringLiteral("--plugin"), plugin, QStringLiteral("--charts"), charts,
                              QStringLiteral("--views"), QStringLiteral("toy,pareto"), sample("simple_moe")}),
        0);
    for (const char* name : {"toy.pdf", "toy.csv", "pareto.pdf"})
      QVERIFY2(QFile::exists(charts + QLatin1Char('/') + QLatin1String(name)), name);
    QCOMPARE(runProgram("sluice", {QStringLiteral("--charts"), charts, QStringLiteral("--views"),
                                   QStringLiteral("toy"), sample("simple_moe")}),
             1);
  }

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ToyViewTest)
#include "toy_view_test.moc"
