// Panels in windows that are too narrow for all that they have: what gives way, and that nothing lies on
// another.

#include <QAction>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <array>

#include "tests/engine/support/documents.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/notice_bar.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
namespace {

using namespace testing_support;

std::shared_ptr<const PointResult> runAt(const Workload& workload, const KnobValues& knobs) {
  Result<PointResult> result = evaluate(workload, knobs, RecordMode::Timeline);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return std::make_shared<const PointResult>(*std::move(result));
}

}  // namespace

class NarrowPanelsTest : public QObject {
  Q_OBJECT

 private slots:
  void toolBarsOfNarrowPanelsTakeMoreLines() {
    std::vector<std::unique_ptr<QAction>> actions;
    QList<QAction*> commands;
    for (const char* name :
         {"Pin A", "Pin B", "With File…", "Measurements…", "Confirm", "Flip", "Both", "Stop"}) {
      actions.push_back(std::make_unique<QAction>(QString::fromUtf8(name)));
      commands << actions.back().get();
    }
    TimeCursor cursor;
    TimelinePanel timeline(&cursor, commands);
    ComparePanel compared(commands);
    for (QWidget* panel : {static_cast<QWidget*>(&timeline), static_cast<QWidget*>(&compared)}) {
      for (const int width : {260, 560, 1024}) {
        panel->resize(width, 400);
        panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel));
        QTest::qWait(20);
        verifyBar(*panel, *timeline.filter());
      }
    }
  }

  void aNarrowTableOfCausesKeepsTheirNames() {
    TimeCursor cursor;
    TimelinePanel panel(&cursor, {});
    panel.resize(900, 400);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QVERIFY(panel.stallTable()->isColumnHidden(StallModel::State));
    panel.resize(1900, 400);
    QTRY_VERIFY(!panel.stallTable()->isColumnHidden(StallModel::State));
    QVERIFY(panel.stallTable()->columnWidth(StallModel::Cause) >=
            20 * panel.stallTable()->fontMetrics().averageCharWidth());
  }

  void columnsOfAComparisonFitItsPanel() {
    const auto workload = workloadOf(chainDocument(3, 200, 0));
    const auto a = runAt(*workload, {{"depth", 1}}), b = runAt(*workload, {{"depth", 8}});
    ComparePanel panel({});
    panel.resize(500, 420);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    panel.setRuns({a, QStringLiteral("depth = 1")}, {b, QStringLiteral("depth = 8")});
    panel.setComparison(std::make_shared<const Comparison>(compare(*a, *b)));
    const QTableView& metrics = *panel.table(CompareModel::Table::Metrics);
    for (const int width : {430, 500, 640, 1100}) {
      panel.resize(width, 420);
      QTest::qWait(20);
      const int right =
          metrics.columnViewportPosition(CompareModel::Change) + metrics.columnWidth(CompareModel::Change);
      QVERIFY2(right <= metrics.viewport()->width(), qPrintable(QString::number(width)));
    }
    QVERIFY(metrics.columnWidth(CompareModel::What) >=
            static_cast<const QAbstractItemView&>(metrics).sizeHintForColumn(CompareModel::What));
  }

  void aNoticeIsWholeInANarrowView() {
    QWidget view;
    view.resize(1400, 300);
    NoticeBar bar(&view);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    bar.tell(
        {QStringLiteral("recovery"),
         QStringLiteral(
             "Unsaved changes of a_program_with_a_long_name.sluice from 11/28/26, 11:21 AM are still there."),
         {{QStringLiteral("Recover"), {}}, {QStringLiteral("Discard"), {}}, {QStringLiteral("Later"), {}}}});
    const auto* label = bar.findChild<QLabel*>(QStringLiteral("noticeText"));
    const auto needed = [label] {
      return label->fontMetrics().boundingRect(QRect(0, 0, label->width(), 10000), Qt::TextWordWrap,
                                               label->text());
    };
    const int line = label->fontMetrics().height();
    for (const int width : {1400, 420, 300, 1400}) {
      view.resize(width, 300);
      QTRY_VERIFY2(label->height() >= needed().height() && label->width() >= needed().width(),
                   qPrintable(QString::number(width)));
      QCOMPARE(needed().height() > line + line / 2, width < 1400);
      QVERIFY(view.rect().contains(bar.geometry()));
      for (const QPushButton* button : bar.findChildren<QPushButton*>())
        QVERIFY(bar.rect().contains(button->geometry()) && button->width() >= button->sizeHint().width());
    }
  }

  void aLineWithoutRoomEndsInDots() {
    ElidedLabel label;
    label.setText(QStringLiteral("Explored 1,024 points, 12 from the store: 7 on the frontier"));
    label.resize(label.sizeHint());
    QCOMPARE(label.shownText(), label.text());
    label.resize(label.width() / 2, label.height());
    QVERIFY(label.shownText().endsWith(QChar(0x2026)));
    QVERIFY(label.fontMetrics().horizontalAdvance(label.shownText()) <= label.width());
    QCOMPARE(label.toolTip(), label.text());
    const QImage half = label.grab().toImage();
    label.setText(label.shownText());
    QCOMPARE(label.grab().toImage(), half);  // what is painted is what it says that it shows
  }

 private:
  /// Buttons and fields have the width that they ask for, lie on none of the others, and in the panel.
  void verifyBar(const QWidget& panel, const QLineEdit& filter) {
    QList<const QWidget*> parts;
    for (const QToolButton* button : panel.findChildren<QToolButton*>())
      if (button->defaultAction() && button->isVisible()) parts << button;
    QVERIFY(parts.size() == 8);
    if (panel.isAncestorOf(&filter)) parts << &filter;
    QList<QRect> areas;
    for (const QWidget* part : parts) {
      const QRect area(part->mapTo(&panel, QPoint()), part->size());
      QVERIFY(panel.rect().contains(area) && area.width() >= part->sizeHint().width());
      for (const QRect& other : areas) QVERIFY(!area.intersects(other));
      areas << area;
    }
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::NarrowPanelsTest)
#include "narrow_panels_test.moc"
