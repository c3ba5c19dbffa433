// The window for streams and FIFOs, reached from the main window as a user does: by menu and keys.

#include <QAction>
#include <QCheckBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <set>

#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/tensor/placement_controller.h"
#include "app/window/tensor/tensor_tools.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/fifos/sizing_page.h"
#include "widgets/fifos/token_curve_page.h"
#include "widgets/itensor/itensor_page.h"
#include "widgets/itensor/itensor_pane.h"
#include "widgets/itensor/tensor_grid.h"
#include "widgets/itensor/type_field.h"
#include "widgets/placement/placement_page.h"
#include "widgets/plots/token_curve_plot.h"
#include "widgets/rewrites/rewrites_page.h"

namespace sluice::ui {
namespace {

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The most frequent colour.
QColor ground(const QImage& image) {
  QHash<QRgb, int> counted;
  for (int y = 0; y < image.height(); y += 2)
    for (int x = 0; x < image.width(); x += 2) ++counted[image.pixel(x, y)];
  QRgb most = 0;
  for (auto colour = counted.begin(); colour != counted.end(); ++colour)
    if (colour.value() > counted.value(most)) most = colour.key();
  return QColor(most);
}

}  // namespace

class TensorToolsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("tensor_tools_test"), folder_.path());
  }

  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void cleanup() { window_.reset(); }

  void commandsOpenItsPages() {
    QVERIFY(!window_->findChild<TensorTools*>());  // not before it is asked for
    QTest::keyClick(window_.get(), Qt::Key_T, Qt::ControlModifier);
    auto* tools = window_->findChild<TensorTools*>();
    QVERIFY(tools && tools->isVisible() && !tools->isModal());
    QCOMPARE(tools->page(), tools->types());
    trigger("tensor.curves");
    QCOMPARE(tools->page(), tools->curves());
    trigger("tensor.sizing");
    QCOMPARE(tools->page(), tools->sizing());
    QTest::keyClick(tools, Qt::Key_Escape);
    QVERIFY(!tools->isVisible());
    trigger("tensor.next");  // a step opens the page that it is about
    QVERIFY(tools->isVisible());
    QCOMPARE(tools->page(), tools->types());
    QCOMPARE(tools->types()->position(), 0);
    trigger("tensor.next");
    QCOMPARE(tools->types()->position(), 1);
    QCOMPARE(window_->findChildren<TensorTools*>().size(), 1);
  }

  /// 1024 x 640, and a screen of twice that with letters twice as large.
  void itFitsSmallScreens() {
    trigger("tensor.sizing");
    auto* tools = window_->findChild<TensorTools*>();
    for (const QSize& screen : {QSize(1024, 640), QSize(640, 400)}) {
      tools->resize(screen - QSize(20, 60));
      QCOMPARE(tools->size(), screen - QSize(20, 60));
      for (QWidget* page : std::initializer_list<QWidget*>{tools->types(), tools->curves(), tools->sizing(),
                                                           tools->rewrites(), tools->placement()}) {
        tools->show(page);
        QTest::qWait(20);
        for (const QPushButton* button : tools->findChildren<QPushButton*>()) {
          if (!button->isVisible() || tools->page()->isAncestorOf(button)) continue;
          const QRect there(button->mapTo(tools, QPoint()), button->size());
          QVERIFY2(tools->rect().contains(there), qPrintable(button->text()));
          QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
        }
      }
    }
    tools->resize(QSize(1004, 580));
    tools->show(tools->sizing());
    QTest::qWait(20);
    for (const QWidget* each : tools->sizing()->findChildren<QAbstractButton*>()) {
      if (!each->isVisible() || each->objectName().isEmpty()) continue;
      const QRect there(each->mapTo(tools, QPoint()), each->size());
      QVERIFY2(tools->rect().contains(there), qPrintable(each->objectName()));
      QVERIFY2(each->width() >= each->minimumSizeHint().width(), qPrintable(each->objectName()));
    }
    QVERIFY(tools->sizing()->width() <= tools->width());
  }

  void keysStepWhereNoTextIsTyped() {
    ITensorPage* page = openTypes();
    TensorGrid* grid = page->source()->grid();
    grid->setFocus();
    QTest::keyClick(grid, Qt::Key_Right);
    QTest::keyClick(grid, Qt::Key_Right);
    QCOMPARE(page->position(), 2);
    QTest::keyClick(grid, Qt::Key_Left);
    QCOMPARE(page->position(), 1);
    QTest::keyClick(grid, Qt::Key_End);
    QCOMPARE(page->position(), 15);
    QTest::keyClick(page->result()->grid(), Qt::Key_Home);
    QCOMPARE(page->position(), 0);
    QTest::keyClick(grid, Qt::Key_D);
    QCOMPARE(page->position(), page->parting()->token);
    QTest::keyClick(grid, Qt::Key_P);
    QVERIFY(page->playing());
    QTest::keyClick(grid, Qt::Key_P);
    QVERIFY(!page->playing());
    page->first();
    QPlainTextEdit* text = page->source()->field()->editor();
    text->setFocus();
    text->moveCursor(QTextCursor::Start);
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_End, Qt::Key_Left, Qt::Key_P, Qt::Key_D})
      QTest::keyClick(text, key);
    QCOMPARE(page->position(), 0);
    QVERIFY(!page->playing());
    QVERIFY(text->toPlainText().contains(QStringLiteral("pd")));
    // In the main window the keys mean nothing.
    activate(window_.get());
    QTest::keyClick(window_.get(), Qt::Key_End);
    QCOMPARE(page->position(), 0);
  }

  void undoKeysTakeBackADepth() {
    trigger("tensor.sizing");
    TensorTools* tools = window_->findChild<TensorTools*>();
    activate(tools);
    SizingPage* page = tools->sizing();
    const std::int64_t before = page->sizings().back().fifos[2].depth;
    page->setDepth(2, 3);
    QVERIFY(page->verdict().contains(QStringLiteral("cannot run at full rate")));
    page->table()->setFocus();
    QTest::keyClick(page->table(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(page->sizings().back().fifos[2].depth, before);
    QTest::keyClick(page->table(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(page->sizings().back().fifos[2].depth, 3);
  }

  void aFifoOpensItsCurves() {
    trigger("tensor.sizing");
    TensorTools* tools = window_->findChild<TensorTools*>();
    SizingPage* page = tools->sizing();
    QTest::qWait(50);
    const QRect cell = page->table()->visualRect(page->table()->model()->index(2, 0));
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {}, cell.center());
    QTest::mouseDClick(page->table()->viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(tools->page(), tools->curves());
    QCOMPARE(tools->curves()->timing().delay, page->sizings()[0].fifos[2].delay);
    QCOMPARE(tools->curves()->findChild<QLabel*>(QStringLiteral("exactPeak"))->text().toLongLong(),
             page->sizings()[0].fifos[2].peak);
    QCOMPARE(tools->curves()->timing().production.tokens, 1000);
  }

  void theDrawnTensorIsExported() {
    trigger("tensor.types");
    TensorTools* tools = window_->findChild<TensorTools*>();
    tools->types()->setTypes(
        QStringLiteral("itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>"),
        QStringLiteral("itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>"),
        QStringLiteral("8x8"));
    tools->types()->setCompared(false);
    QVERIFY(tools->findChild<QPushButton*>(QStringLiteral("exportTensors"))->isVisible());
    const QString csv = path("order.csv"), svg = path("order.svg"), pdf = path("order.pdf"),
                  both = path("both.svg");
    QVERIFY(tools->exportPage(csv));
    const QByteArray tokens = bytesOf(csv).replace("\r\n", "\n");
    QVERIFY2(tokens.startsWith("token,row,column,rows,columns\n0,0,0,4,2\n1,4,0,4,2\n2,0,2,4,2\n"),
             tokens.constData());
    QCOMPARE(tokens.count('\n'), 9);
    QVERIFY(tools->exportPage(pdf));
    QVERIFY(bytesOf(pdf).startsWith("%PDF"));
    QVERIFY(tools->exportPage(path("order.png")));
    QImage picture(path("order.png"));
    QVERIFY(picture.width() > 600);  // a column of a journal at the resolution of print
    QCOMPARE(picture.pixelColor(1, 1), QColor(Qt::white));
    QVERIFY(tools->exportPage(svg));
    tools->types()->setCompared(true);
    QVERIFY(tools->exportPage(both));
    QVERIFY(bytesOf(both).size() > bytesOf(svg).size());  // two drawings as one figure
    QVERIFY(!tools->exportPage(path("order.xyz")));
  }

  void theCurvesAreExported() {
    trigger("tensor.curves");
    TensorTools* tools = window_->findChild<TensorTools*>();
    QVERIFY(tools->findChild<QPushButton*>(QStringLiteral("exportTensors"))->isVisible());
    const QString csv = path("curves.csv"), svg = path("curves.svg"), pdf = path("curves.pdf");
    QVERIFY(tools->exportPage(csv));
    const QByteArray data = bytesOf(csv).replace("\r\n", "\n");
    QVERIFY2(data.startsWith("cycle,produced,consumed,waiting\n0,0,0,0\n3,1,1,0\n4,2,1,1\n"),
             data.constData());
    QVERIFY(tools->exportPage(svg));
    QVERIFY(bytesOf(svg).contains("<svg"));
    QVERIFY(tools->exportPage(pdf));
    QVERIFY(bytesOf(pdf).startsWith("%PDF"));
    QVERIFY(!tools->exportPage(path("curves.xyz")));
    QVERIFY(
        tools->findChild<QLabel*>(QStringLiteral("tensorStatus"))->text().contains(QStringLiteral(".pdf")));
    QVERIFY(!QFile::exists(path("curves.xyz")));
    QVERIFY(!tools->exportPage(QStringLiteral("/no/such/folder/curves.csv")));
  }

  void theTableIsExported() {
    trigger("tensor.sizing");
    TensorTools* tools = window_->findChild<TensorTools*>();
    tools->sizing()->setDepth(1, 5);
    QTRY_VERIFY(tools->idle());
    QVERIFY(tools->exportPage(path("sizes.csv")));
    const QStringList lines = QString::fromUtf8(bytesOf(path("sizes.csv")))
                                  .replace(QStringLiteral("\r\n"), QStringLiteral("\n"))
                                  .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QVERIFY(lines.size() >= 1 + 4 * 3);  // three FIFOs, three methods and by hand
    QVERIFY(lines[0].endsWith(QStringLiteral("simulated_peak,producer_stalls,simulated_cycles")));
    QVERIFY2(lines[3].startsWith(QStringLiteral("Paper's program,K0 > K2,32,8,5,5,6,24,")),
             qPrintable(lines[3]));
    const QStringList hand = lines.filter(QStringLiteral("By hand,K1 > K2,32,,,,5,20,"));
    QCOMPARE(hand.size(), 1);
    const QStringList columns = hand.first().split(QLatin1Char(','));
    QCOMPARE(columns.size(), 11);
    QVERIFY(columns[8].toInt() > 0 && columns[10].toInt() > 0);  // it has run
    QVERIFY(!tools->exportPage(path("sizes.pdf")));
    QVERIFY(
        tools->findChild<QLabel*>(QStringLiteral("tensorStatus"))->text().contains(QStringLiteral(".csv")));
  }

  /// What the command line says of the same design: parts that add up, and what a card has too little of.
  void resourcesOfTheDesignAreCounted() {
    QVERIFY(window_->openFile(sample("gpt2_block")));
    trigger("tensor.placement");
    auto* tools = window_->findChild<TensorTools*>();
    PlacementPage* page = tools->placement();
    QVERIFY(page->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(page->parts()->model()->rowCount() > 20, engine_time);
    const PlacedOnCard& placed = page->placed();
    QCOMPARE(placed.platform.name, std::string("u55c"));
    std::map<QString, Resources> sums;
    std::set<PartKind> kinds;
    for (const PlacedPart& each : placed.parts) {
      sums[QStringLiteral("group ") + each.group] += each.part.resources;
      kinds.insert(each.part.kind);
    }
    QCOMPARE(kinds.size(), std::size_t{4});
    for (const PlacedTotal& total : placed.totals)
      if (const auto sum = sums.find(total.name); sum != sums.end()) QVERIFY(total.used == sum->second);
    QVERIFY(page->placed().totals.front().used[Resource::Lut] > 10'000);
    // A larger card of ours: everything has room, and dies are told apart.
    const QString file = folder_.filePath(QStringLiteral("large.json"));
    QFile written(file);
    QVERIFY(written.open(QIODevice::WriteOnly));
    written.write(R"({"title": "A large card", "note": "of a test", "clock_mhz": 300, "dies": [
        {"name": "left", "lut": 9000000, "lutram": 9000000, "ff": 9000000, "bram18": 90000, "uram": 9000, "dsp": 90000},
        {"name": "right", "lut": 9000000, "lutram": 9000000, "ff": 9000000, "bram18": 90000, "uram": 9000, "dsp": 90000}],
      "crossing_cycles": 2, "memory": {"kind": "HBM2", "channels": 32, "gigabytes_per_second": 460,
      "gigabytes": 16, "die": "left"}})");
    written.close();
    const std::size_t parts = placed.parts.size();
    window_->findChild<PlacementController*>()->openPlatform(file);
    QTRY_VERIFY_WITH_TIMEOUT(page->placed().platform.title == "A large card", engine_time);
    QVERIFY2(page->placed().problem.isEmpty(), qPrintable(page->notice()));
    QCOMPARE(page->placed().parts.size(), parts);
    QVERIFY(page->totals()->model()->rowCount() % 3 == 0);  // of a group: all, left, right
    page->findChild<QLineEdit*>(QStringLiteral("placementFilter"))->setText(QStringLiteral("converter"));
    QVERIFY(page->parts()->model()->rowCount() < static_cast<int>(parts));
    const QString csv = folder_.filePath(QStringLiteral("parts.csv"));
    QVERIFY(tools->exportPage(csv));
    QCOMPARE(bytesOf(csv).count('\n'), static_cast<qsizetype>(1 + parts + 2 * page->placed().totals.size()));
    // A program that is not compiled says what to do.
    QVERIFY(window_->openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(page->notice().contains(QStringLiteral("compile_tensors")), engine_time);
  }

  void aFileOfKernelsIsSizedAndSimulated() {
    TensorTools* tools = window_->tensors()->tools();
    QFile file(path("design.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"kernels": [{"name": "a", "initial_delay": 3, "tokens": 64}, {"name": "b", "initial_delay": 9, "tokens": 64},
                               {"name": "c", "tokens": 64}],
                   "streams": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "a", "to": "c", "token_bits": 8}]})");
    file.close();
    QVERIFY2(tools->openDesign(path("design.json")),
             qPrintable(tools->findChild<QLabel*>(QStringLiteral("tensorStatus"))->text()));
    SizingPage* page = tools->sizing();
    QCOMPARE(tools->page(), page);
    QCOMPARE(page->graph().kernels[1].name, "b");
    QCOMPARE(page->sizings()[1].fifos[2].depth, 10);
    QTRY_VERIFY_WITH_TIMEOUT(page->hasSimulated() && tools->idle(), 60000);
    QCOMPARE(page->sizings().size(), std::size_t{5});
    for (const ComparedSizing& sizing : page->sizings())
      QVERIFY(sizing.simulated && !sizing.simulated->deadlock);
    // Too short a FIFO costs cycles in the simulation, too.
    const Cycles before = page->sizings().back().simulated->cycles;
    page->setDepth(2, 2);
    QTRY_VERIFY_WITH_TIMEOUT(page->sizings().back().simulated && tools->idle(), 60000);
    QVERIFY(page->sizings().back().simulated->cycles > before + 50);
    QVERIFY(page->verdict().contains(QStringLiteral("cannot run at full rate")));
    QVERIFY(!tools->openDesign(path("none.json")));
    QVERIFY(tools->findChild<QLabel*>(QStringLiteral("tensorStatus"))
                ->text()
                .contains(QStringLiteral("none.json")));
    QCOMPARE(page->graph().kernels[1].name, "b");
  }

  void bothThemesAreReadable() {
    ITensorPage* page = openTypes();
    TensorTools* tools = window_->findChild<TensorTools*>();
    QList<QColor> grounds;
    for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
      window_->setTheme(choice);
      for (QWidget* shown : {static_cast<QWidget*>(page), static_cast<QWidget*>(tools->curves()),
                             static_cast<QWidget*>(tools->sizing())}) {
        tools->show(shown);
        QTest::qWait(30);
        const QColor colour = ground(shown->grab().toImage());
        QVERIFY(contrast(colour, shown->palette().color(QPalette::Text)) > 7);
        grounds << colour;
      }
      const PlotTheme& plot = tools->curves()->plot()->theme();
      for (int series = 0; series < 4; ++series)
        QVERIFY(contrast(plot.series(series).colour, plot.background) > 2.9);
    }
    for (int shown = 0; shown < 3; ++shown) QVERIFY(contrast(grounds[shown], grounds[shown + 3]) > 7);
  }

  void twiceAsManyPixelsShowTheSame() {
    ITensorPage* page = openTypes();
    QTest::qWait(50);
    TensorGrid* grid = page->source()->grid();
    QImage fine(grid->size() * 2, QImage::Format_RGB32);
    fine.setDevicePixelRatio(2);
    grid->render(&fine);
    const QRectF tile = grid->tileRect(0);
    const QPoint inside(static_cast<int>(tile.right()) - 6, static_cast<int>(tile.bottom()) - 8);
    QCOMPARE(fine.pixelColor(inside * 2), orderColour(0));
  }

  void aSmallWindowHoldsEverything() {
    ITensorPage* page = openTypes();
    TensorTools* tools = window_->findChild<TensorTools*>();
    QVERIFY2(tools->minimumSizeHint().width() <= 1200,
             qPrintable(QString::number(tools->minimumSizeHint().width())));
    QVERIFY2(tools->minimumSizeHint().height() <= 720,
             qPrintable(QString::number(tools->minimumSizeHint().height())));
    tools->resize(tools->minimumSizeHint());
    QTest::qWait(30);
    for (std::int64_t token = 0; token < 8; ++token)
      QVERIFY(
          page->source()->grid()->rect().contains(page->source()->grid()->tileRect(token).toAlignedRect()));
  }

 private:
  void trigger(const char* id) { window_->commands()->action(QString::fromLatin1(id))->trigger(); }
  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
  static void activate(QWidget* window) {
    QVERIFY(QTest::qWaitForWindowExposed(window));
    window->activateWindow();
    QTRY_COMPARE(QApplication::activeWindow(), window);
  }
  ITensorPage* openTypes() {
    trigger("tensor.types");
    auto* tools = window_->findChild<TensorTools*>();
    activate(tools);
    return tools->types();
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::TensorToolsTest)
#include "tensor_tools_test.moc"
