// The list of diagnostics: related places stand below their entry and can be jumped to; a code leads to its
// page by a click, by F1 and by a command.

#include <QAbstractItemModelTester>
#include <QAction>
#include <QFile>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStyledItemDelegate>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include "app/window/run/diagnostic_help.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/private_settings.h"
#include "tests/widgets/test_program.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
namespace {

Diagnostics twoDiagnostics() {
  Diagnostic twice =
      error("duplicate-name", Location(Where::Node, "b"), "the name is given twice", "rename one of them");
  twice.related = {Location(Where::Node, "a"), Location(Where::Stream, "#2")};
  return {twice, warning("unused-name", Location(Where::Knob, "k"), "nothing uses it", "delete it")};
}

}  // namespace

class DiagnosticsListTest : public QObject {
  Q_OBJECT

 private:
  /// As the list paints it.
  static QString textShownIn(const DiagnosticsList& list, const QModelIndex& index) {
    struct Opened : QStyledItemDelegate {
      using QStyledItemDelegate::initStyleOption;
    };
    QStyleOptionViewItem option;
    const auto* delegate = static_cast<const QStyledItemDelegate*>(list.itemDelegateForIndex(index));
    (delegate->*&Opened::initStyleOption)(&option, index);
    return option.text.remove(QChar(u'\u200b')).replace(QChar(QChar::LineSeparator), QLatin1Char('\n'));
  }

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(QStringLiteral("diagnostics_list_test"), folder_.path());
  }

  void relatedPlacesStandBelow() {
    DiagnosticsList list;
    const QAbstractItemModelTester tester(list.model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    list.setDiagnostics(twoDiagnostics());
    list.resize(900, 300);
    list.show();
    const QAbstractItemModel& model = *list.model();
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex first = model.index(0, 0);
    QCOMPARE(model.rowCount(first), 2);
    QCOMPARE(model.rowCount(model.index(1, 0)), 0);
    QVERIFY(list.isExpanded(first));
    const QModelIndex related = model.index(1, 0, first);
    QCOMPARE(related.parent(), first);
    QCOMPARE(related.data().toString(), QString::fromStdString(text(Location(Where::Stream, "#2"))));
    QSignalSpy jumps(&list, &DiagnosticsList::jumpRequested);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(related).center());
    QCOMPARE(jumps.size(), qsizetype{1});
    QCOMPARE(jumps.front().front().value<Location>(), Location(Where::Stream, "#2"));
  }

  /// In a narrow dock long names go on in the next line, what has no column stands below, and no line of a
  /// row is cut off.
  void aNarrowListShowsAllOfItsTexts() {
    DiagnosticsList list;
    const Location place =
        Location(Where::Node, "linear_off_chip_load_of_all_the_rows") / Location(Where::Field, "out_shape");
    Diagnostic entry = error("unused-name", place, "it is fed by no stream", "connect an output to it");
    entry.fixes = {{FixEdit::Kind::SetKind, "a", {}, {}, "Consumer"}};
    list.setDiagnostics({entry});
    list.show();
    QVERIFY(QTest::qWaitForWindowExposed(&list));
    const QModelIndex row = list.model()->index(0, 0);
    for (const int width : {200, 310, 480, 900}) {
      list.resize(width, 500);
      QTest::qWait(20);
      QString shown;
      for (int column = 0; column < DiagnosticsModel::ColumnCount; ++column) {
        const QModelIndex index = row.siblingAtColumn(column);
        if (list.isColumnHidden(column) || column == DiagnosticsModel::Code) continue;
        QStyleOptionViewItem option;
        option.fontMetrics = list.fontMetrics();
        option.decorationSize = list.iconSize().isValid() ? list.iconSize() : QSize(16, 16);
        const QRect cell = list.visualRect(index);
        QVERIFY2(cell.height() >= list.itemDelegateForIndex(index)->sizeHint(option, index).height(),
                 qPrintable(QString::number(width)));
        QVERIFY(cell.width() >= 100 && cell.right() <= list.viewport()->width());
        shown += textShownIn(list, index) + QLatin1Char('\n');
      }
      for (const std::string& told : {text(place), entry.cause, entry.fix})
        QVERIFY2(shown.contains(QString::fromStdString(told) + QLatin1Char('\n')), qPrintable(shown));
      QVERIFY(textShownIn(list, list.model()->index(0, width < 400 ? 0 : DiagnosticsModel::Fix, row))
                  .contains(QStringLiteral("Consumer")));
    }
    QCOMPARE(row.data().toString().count(QChar(u'\u200b')), 0);  // as it is copied
    list.resize(200, 500);                                       // a click anywhere on the edit makes it
    QTest::qWait(20);
    QSignalSpy fixes(&list, &DiagnosticsList::fixRequested);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {},
                      list.visualRect(list.model()->index(0, 0, row)).center());
    QCOMPARE(fixes.size(), qsizetype{1});
  }

  void aCodeIsExplained() {
    DiagnosticsList list;
    list.setDiagnostics(twoDiagnostics());
    list.resize(900, 300);
    list.show();
    QSignalSpy asked(&list, &DiagnosticsList::explanationRequested);
    QSignalSpy jumps(&list, &DiagnosticsList::jumpRequested);
    const QModelIndex code = list.model()->index(1, DiagnosticsModel::Code);
    QCOMPARE(code.data().toString(), QStringLiteral("unused-name"));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(code).center());
    QCOMPARE(asked.size(), qsizetype{1});
    QCOMPARE(asked.takeFirst().front().toString(), QStringLiteral("unused-name"));
    QVERIFY(jumps.isEmpty());
    list.setCurrentIndex(list.model()->index(0, 0, list.model()->index(0, 0)));  // a related place
    QTest::keyClick(&list, Qt::Key_F1);
    QCOMPARE(asked.takeFirst().front().toString(), QStringLiteral("duplicate-name"));
  }

  void anEditStandsBelowAndIsMade() {
    Diagnostic misspelt = error("unknown-operator", Location(Where::Operator, "a"), "there is no Consumr",
                                "did you mean 'Consumer'?");
    misspelt.fixes = {{FixEdit::Kind::SetKind, "a", {}, {}, "Consumer"}};
    misspelt.related = {Location(Where::Node, "b")};
    DiagnosticsList list;
    const QAbstractItemModelTester tester(list.model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    list.setDiagnostics({misspelt});
    list.resize(900, 300);
    list.show();
    const QAbstractItemModel& model = *list.model();
    const QModelIndex entry = model.index(0, 0);
    QCOMPARE(model.rowCount(entry), 2);
    const QModelIndex fix = model.index(0, DiagnosticsModel::Fix, entry);
    QVERIFY(fix.data().toString().contains(QStringLiteral("use 'Consumer'")));
    QSignalSpy fixes(&list, &DiagnosticsList::fixRequested);
    QSignalSpy jumps(&list, &DiagnosticsList::jumpRequested);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(fix).center());
    QCOMPARE(fixes.size(), qsizetype{1});
    QVERIFY(jumps.isEmpty());
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {},
                      list.visualRect(model.index(1, 0, entry)).center());
    QCOMPARE(jumps.front().front().value<Location>(), Location(Where::Node, "b"));
  }

  /// Points of an exploration bring the list again and again.
  void whatIsStillToldStaysAsItWas() {
    DiagnosticsList list;
    list.resize(900, 90);  // too low for all
    list.show();
    list.setDiagnostics(twoDiagnostics());
    const QAbstractItemModel& model = *list.model();
    list.collapse(model.index(0, 0));
    const QModelIndex chosen = model.index(1, DiagnosticsModel::Cause);
    list.setCurrentIndex(chosen);
    Diagnostics more = twoDiagnostics();
    more.insert(more.begin(), error("not-editable", "here", "it cannot be edited", "edit something else"));
    more.back().cause = "nothing uses it in 2 points";
    list.setDiagnostics(more);
    QCOMPARE(list.currentIndex(), model.index(2, DiagnosticsModel::Cause));
    QVERIFY(list.selectionModel()->isRowSelected(2));
    QVERIFY(!list.isExpanded(model.index(1, 0)));
    // A row below an entry, and where the list was scrolled to.
    list.expand(model.index(1, 0));
    list.setCurrentIndex(model.index(1, 0, model.index(1, 0)));
    list.verticalScrollBar()->setValue(17);
    more.push_back(note("not-editable", "there", "it cannot be edited", "edit something else"));
    list.setDiagnostics(more);
    QCOMPARE(list.currentIndex(), model.index(1, 0, model.index(1, 0)));
    QVERIFY(list.isExpanded(model.index(1, 0)));
    QCOMPARE(list.verticalScrollBar()->value(), 17);
    // What is not told any more leaves nothing selected.
    list.setDiagnostics({more.front()});
    QVERIFY(!list.currentIndex().isValid());
  }

  void anEditIsOneStepForUndo() {
    QFile file(folder_.filePath(QStringLiteral("misspelt.sluice")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"sluice": 1, "program": {"nodes": [{"name": "a", "kind": "Consumr"}], "streams": []}})");
    file.close();
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    QVERIFY(window.openFile(file.fileName()));
    DiagnosticsList* list = window.workspace()->diagnostics();
    std::vector<FixEdit> offered;
    const auto look = [&] {
      for (const Diagnostic& each : list->diagnostics())
        if (!each.fixes.empty()) offered = each.fixes;
      return !offered.empty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(look(), 30000);
    emit list->fixRequested(offered.front());
    QCOMPARE(window.documents()->document().program.nodes[0].kind, std::string("Consumer"));
    window.documents()->undoStack()->undo();
    QCOMPARE(window.documents()->document().program.nodes[0].kind, std::string("Consumr"));
  }

  void theWindowShowsThePage() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    window.showFileDiagnostics({error("not-editable", "here", "it cannot be edited", "edit something else")});
    window.commands()->action(QStringLiteral("help.explain"))->trigger();
    const auto* help = window.findChild<DiagnosticHelp*>();
    QVERIFY(help && help->isVisible());
    QVERIFY2(help->page()->toPlainText().contains(QStringLiteral("None at the shell")),
             qPrintable(help->page()->toPlainText()));
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::DiagnosticsListTest)
#include "diagnostics_list_test.moc"
