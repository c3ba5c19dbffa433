// The manual: every view, operator, step and code has its page, no link and no picture is dead, and a reader
// finds, follows and goes back as in a browser.

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSet>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolButton>
#include <QTreeWidget>
#include <memory>

#include "app/window/document/samples.h"
#include "app/window/manual/manual_window.h"
#include "app/window/manual/picture_taker.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/onboarding.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/workspace.h"
#include "engine/core/diagnostic_pages.h"
#include "engine/operators/registry.h"
#include "engine/schedule/transformation.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

/// Of the first to the last that is shown.
QStringList shownPages(const QTreeWidget& contents) {
  QStringList titles;
  for (int i = 0; i < contents.topLevelItemCount(); ++i)
    for (int k = 0; k < contents.topLevelItem(i)->childCount(); ++k)
      if (!contents.topLevelItem(i)->child(k)->isHidden())
        titles << contents.topLevelItem(i)->child(k)->text(0);
  return titles;
}

/// More than one colour.
bool showsSomething(const QImage& image) {
  for (int y = 0; y < image.height(); y += 3)
    for (int x = 0; x < image.width(); x += 3)
      if (image.pixel(x, y) != image.pixel(0, 0)) return true;
  return false;
}

}  // namespace

class ManualTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(QStringLiteral("manual_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
  }
  void cleanup() { window_.reset(); }

  void everythingRegisteredHasAPage() {
    const Manual manual(*window_->commands());
    QStringList ids;
    for (const ViewSpec& view : viewRegistry().all()) {
      ids << QStringLiteral("view:") + QString::fromLatin1(view.id);
      QVERIFY2(QFile::exists(QStringLiteral(":/manual/views/%1.md").arg(QString::fromLatin1(view.id))),
               qPrintable(QStringLiteral("resources/manual/views has nothing on ") + ids.last()));
    }
    for (const OperatorSpec* spec : registeredSpecs()) ids << QStringLiteral("operator:") + qt(spec->kind);
    for (const Transformation* step : registeredTransformations())
      ids << QStringLiteral("step:") + qt(step->spec.name);
    for (const DiagnosticPage& page : diagnosticPages()) ids << QStringLiteral("code:") + qt(page.code);
    for (const QString& id : ids) {
      const ManualPage* page = manual.find(id);
      QVERIFY2(page && wordsOf(*page).size() > 40, qPrintable(id));
    }
  }

  void noLinkAndNoPictureIsDead() {
    if (samplesFolder().isEmpty()) QSKIP("no samples beside this build");
    ManualWindow& book = *window_->onboarding()->manual();
    const Manual& manual = book.manual();
    QSet<QString> shown;
    int links = 0;
    for (const ManualPage& page : manual.pages()) {
      QTextDocument document;
      show(page, document);
      for (const ManualLink& link : linksOf(document)) {
        ++links;
        const QString what = page.id + QStringLiteral(" -> ") + link.target;
        const QString name = link.target.section(QLatin1Char(':'), 1);
        if (link.is_picture) {
          shown << name;
          QVERIFY2(manual.findPicture(name), qPrintable(what));
        } else if (isPageLink(link.target)) {
          QVERIFY2(manual.find(link.target), qPrintable(what));
        } else if (!link.target.startsWith(QLatin1String("https:"))) {
          QVERIFY2(window_->onboarding()->mayFollow(link.target), qPrintable(what));
        }
      }
    }
    QVERIFY(links > 60);
    for (const ManualPicture& picture : manual.pictures()) {
      QVERIFY2(shown.contains(picture.name), qPrintable(picture.name + QStringLiteral(" is in no page")));
      for (const QString& action : picture.actions)
        QVERIFY2(window_->onboarding()->mayFollow(action), qPrintable(picture.name + action));
    }
  }

  void everyPictureCanBeTaken() {
    if (samplesFolder().isEmpty()) QSKIP("no samples beside this build");
    const Manual manual(*window_->commands());
    const Result<Done> taken = takePictures(manual, folder_.path());
    QVERIFY2(taken, taken ? "" : text(taken.diagnostics()).c_str());
    for (const ManualPicture& picture : manual.pictures()) {
      const QImage image(folder_.filePath(pictureFile(picture.name)));
      QVERIFY2(image.width() >= 100 && image.height() >= 60 && showsSomething(image),
               qPrintable(picture.name));
    }
    QVERIFY(writePages(manual, folder_.path()));
    static const QRegularExpression target(QStringLiteral("(?:href|src)=\"([^\":]+)\""));
    for (const QString& name : QDir(folder_.path()).entryList({QStringLiteral("*.html")})) {
      QFile file(folder_.filePath(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString html = QString::fromUtf8(file.readAll());
      for (auto each = target.globalMatch(html); each.hasNext();) {
        const QString led = each.next().captured(1);
        QVERIFY2(QFile::exists(folder_.filePath(led)), qPrintable(name + QStringLiteral(" -> ") + led));
      }
      QVERIFY2(!html.contains(QStringLiteral("\"command:")), qPrintable(name));
    }
    QVERIFY(QFile::exists(folder_.filePath(QStringLiteral("index.html"))));
  }

  void aReaderGoesOnAndBack() {
    window_->commands()->action(QStringLiteral("help.manual"))->trigger();
    ManualWindow& book = *window_->onboarding()->manual();
    QVERIFY(book.isVisible());
    QCOMPARE(book.current(), QStringLiteral("page:start"));
    QVERIFY(!book.backButton()->isEnabled());
    emit book.page()->anchorClicked(QUrl(QStringLiteral("page:deadlock")));
    emit book.page()->anchorClicked(QUrl(QStringLiteral("operator:Partition")));
    QCOMPARE(book.current(), QStringLiteral("operator:Partition"));
    QVERIFY(book.page()->toPlainText().contains(QStringLiteral("Partition")));
    book.backButton()->click();
    QCOMPARE(book.current(), QStringLiteral("page:deadlock"));
    QCOMPARE(book.contents()->currentItem()->text(0), QStringLiteral("A deadlock and its repair"));
    book.backButton()->click();
    QVERIFY(!book.backButton()->isEnabled());
    book.forwardButton()->click();
    book.forwardButton()->click();
    QCOMPARE(book.current(), QStringLiteral("operator:Partition"));
    QVERIFY(!book.forwardButton()->isEnabled());
  }

  void theSearchFindsWordsOfPages() {
    ManualWindow& book = *window_->onboarding()->manual();
    book.showPage({});
    const qsizetype all = shownPages(*book.contents()).size();
    QTest::keyClicks(book.search(), QStringLiteral("torch.onnx"));
    QCOMPARE(shownPages(*book.contents()), QStringList{QStringLiteral("Bring a PyTorch or ONNX model")});
    QCOMPARE(book.current(), QStringLiteral("page:import"));
    QVERIFY(book.page()->textCursor().hasSelection());
    book.search()->clear();
    QCOMPARE(shownPages(*book.contents()).size(), all);
  }

  void linksActInTheWindow() {
    if (samplesFolder().isEmpty()) QSKIP("no samples beside this build");
    ManualWindow& book = *window_->onboarding()->manual();
    book.follow(QStringLiteral("sample:deadlock_fork_join"));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QCOMPARE(window_->documents()->fileName(), QStringLiteral("deadlock_fork_join.sluice"));
    book.follow(QStringLiteral("knob:depth=8"));
    QCOMPARE(window_->documents()->knobs().at("depth"), std::int64_t{8});
    book.follow(QStringLiteral("command:edit.undo"));
    QCOMPARE(window_->documents()->knobs().at("depth"), std::int64_t{2});
    book.follow(QStringLiteral("select:exp"));
    QCOMPARE(window_->workspace()->canvas()->selectedNode(), QStringLiteral("exp"));
    QVERIFY(!window_->onboarding()->follow(QStringLiteral("knob:width=8")));
    QVERIFY(!window_->onboarding()->follow(QStringLiteral("command:no.such")));
    QVERIFY(!window_->onboarding()->mayFollow(QStringLiteral("show:nothing")));
  }

  void whatIsThisExplainsTheSelectedOperator() {
    QVERIFY(window_->openFile(sample("deadlock_fork_join")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    window_->activateWindow();
    window_->workspace()->canvas()->setFocus();
    QTRY_VERIFY(window_->workspace()->canvas()->hasFocus());
    window_->jumpTo(QStringLiteral("load"));
    window_->commands()->action(QStringLiteral("help.reference"))->trigger();
    const ManualWindow& book = *window_->onboarding()->manual();
    QVERIFY2(book.current().startsWith(QStringLiteral("operator:")), qPrintable(book.current()));
  }

  void aThemeChangesThePage() {
    ManualWindow& book = *window_->onboarding()->manual();
    book.showPage(QStringLiteral("page:start"));
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
      window_->setTheme(theme);
      QCoreApplication::processEvents();
      QColor colour;
      for (const ManualLink& link : linksOf(*book.page()->document())) {
        if (link.is_picture) continue;
        QTextCursor cursor(book.page()->document());
        cursor.setPosition(link.from + 1);
        colour = cursor.charFormat().foreground().color();
      }
      QCOMPARE(colour, QApplication::palette().color(QPalette::Link));
    }
  }

 private:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ManualTest)
#include "manual_test.moc"
