// Past explorations in the window: listed, opened, merged, exported, and refused with a reason.

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/window/explore/store_dialog.h"
#include "tests/app/private_settings.h"
#include "tests/widgets/test_program.h"

using namespace sluice;
using namespace sluice::ui;

class StoreDialogTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  QString at(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }

  /// An exploration of `points` points of a knob.
  void makeStore(const QString& file, const char* title, int points) {
    Result<ResultStore> store = ResultStore::open(file.toStdString(), ResultStore::Access::Write);
    QVERIFY(store);
    ExplorationRecord record = explorationHere();
    record.workload = title;
    record.title = title;
    record.objectives = {"cycles"};
    record.knobs.emplace_back().name = "tile";
    record.knobs[0].maximum = 100;
    const Result<ExplorationRecord> begun = store->begin(record);
    QVERIFY(begun);
    std::vector<Visit> visits;
    for (int i = 0; i < points; ++i) {
      Visit visit;
      visit.number = static_cast<std::uint64_t>(i);
      visit.point.knobs["tile"] = i;
      visit.point.metrics.cycles = static_cast<Cycles>(1000 - i);
      visits.push_back(visit);
    }
    QVERIFY(store->write(*begun, visits));
  }

 private slots:
  void initTestCase() { usePrivateSettings(QStringLiteral("store_dialog_test"), folder_.path()); }

  void listsOpensMergesAndExports() {
    makeStore(at("a.db"), "first", 7);
    makeStore(at("b.db"), "second", 5);
    StoreDialog dialog(nullptr);
    dialog.show();
    auto* list = dialog.findChild<QTreeWidget*>(QStringLiteral("explorations"));
    auto* status = dialog.findChild<QLabel*>(QStringLiteral("storeStatus"));
    dialog.openStore(at("a.db"));
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    QCOMPARE(list->topLevelItem(0)->text(1), QStringLiteral("first"));
    QCOMPARE(list->topLevelItem(0)->text(4), QStringLiteral("count"));
    QCOMPARE(list->topLevelItem(0)->text(6), QStringLiteral("7"));

    dialog.mergeStore(at("b.db"));
    QTRY_COMPARE(list->topLevelItemCount(), 2);
    QVERIFY2(status->text().contains(QStringLiteral("5 points added")), qPrintable(status->text()));

    std::vector<DesignPoint> opened;
    connect(&dialog, &StoreDialog::explorationOpened, this,
            [&](const std::vector<DesignPoint>& points) { opened = points; });
    list->setCurrentItem(list->topLevelItem(0));
    for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
      if (button->isDefault()) QTest::mouseClick(button, Qt::LeftButton);
    }
    QTRY_COMPARE(opened.size(), std::size_t{7});
    QCOMPARE(opened[3].knobs.at("tile"), std::int64_t{3});
    QCOMPARE(opened[3].metrics.cycles, Cycles{997});

    dialog.exportTo(at("points.jsonl"));
    QTRY_VERIFY(status->text().contains(QStringLiteral("is written")));
    makeStore(at("c.db"), "third", 2);
    dialog.openStore(at("c.db"));
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    dialog.mergeStore(at("points.jsonl"));
    QTRY_COMPARE(list->topLevelItemCount(), 2);
    QCOMPARE(list->topLevelItem(1)->text(6), QStringLiteral("7"));
  }

  void storesUsedLastAreOffered() {
    QSettings().clear();
    makeStore(at("old.db"), "moe", 3);
    makeStore(at("new.db"), "swiglu", 4);
    {
      StoreDialog dialog(nullptr);
      for (const char* file : {"old.db", "new.db"}) {
        dialog.openStore(at(file));
        QTRY_VERIFY(dialog.idle());
      }
    }
    StoreDialog dialog(nullptr);
    dialog.show();
    dialog.showRecent();
    auto* list = dialog.findChild<QTreeWidget*>(QStringLiteral("explorations"));
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    QCOMPARE(list->topLevelItem(0)->text(1), QStringLiteral("swiglu"));
    auto* recent = dialog.findChild<QComboBox*>(QStringLiteral("recentStores"));
    QCOMPARE(recent->count(), 2);
    QVERIFY2(recent->itemText(1).startsWith(QStringLiteral("old.db: moe, 3 points")),
             qPrintable(recent->itemText(1)));
    recent->setFocus();
    QTest::keyClick(recent, Qt::Key_Down);
    QTRY_COMPARE(list->topLevelItem(0)->text(1), QStringLiteral("moe"));
    QVERIFY(QFile::remove(at("new.db")));
    dialog.showRecent();
    QTRY_COMPARE(recent->count(), 1);  // what is gone is not offered
  }

  void anExportThatCannotBeWrittenIsToldAndLeavesTheOldFile() {
    makeStore(at("full.db"), "full", 3);
    StoreDialog dialog(nullptr);
    auto* status = dialog.findChild<QLabel*>(QStringLiteral("storeStatus"));
    dialog.openStore(at("full.db"));
    QTRY_COMPARE(dialog.findChild<QTreeWidget*>(QStringLiteral("explorations"))->topLevelItemCount(), 1);
    for (const char* file : {"/dev/full", "/nowhere/points.csv"}) {
      dialog.exportTo(QString::fromLatin1(file));
      QTRY_VERIFY(status->text().startsWith(QStringLiteral("⚠")));
      QVERIFY2(status->text().contains(QLatin1String(file)), qPrintable(status->text()));
      QVERIFY2(
          status->text().contains(QLatin1String("folder")) || status->text().contains(QLatin1String("full")),
          qPrintable(status->text()));
    }
    // An export of what is gone from the store writes nothing.
    QFile old(at("old.csv"));
    QVERIFY(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
    old.close();
    QVERIFY(QFile::remove(at("full.db")));
    dialog.exportTo(at("old.csv"));
    QTRY_VERIFY2(status->text().contains(QStringLiteral("full.db")), qPrintable(status->text()));
    QVERIFY(old.open(QIODevice::ReadOnly));
    QCOMPARE(old.readAll(), QByteArray("old"));
  }

  void whatIsNoStoreIsRefused() {
    StoreDialog dialog(nullptr);
    auto* status = dialog.findChild<QLabel*>(QStringLiteral("storeStatus"));
    dialog.openStore(at("nowhere.db"));
    QTRY_VERIFY(status->text().contains(QStringLiteral("there is no such file")));
    QFile file(at("text.db"));
    QVERIFY(file.open(QIODevice::WriteOnly) &&
            file.write("not a database, but long enough to look like one") > 0);
    file.close();
    dialog.openStore(at("text.db"));
    QTRY_VERIFY2(
        status->text().startsWith(QStringLiteral("⚠")) && status->text().contains(QStringLiteral("text.db")),
        qPrintable(status->text()));
  }
};

SLUICE_WINDOW_TEST(StoreDialogTest)
#include "store_dialog_test.moc"
