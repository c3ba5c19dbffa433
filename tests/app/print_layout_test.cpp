// Every view of the window as it goes on paper, alone and in figures of two and four, at both widths of a
// journal: no text lies on another one or leaves the page, none is too small or cut to less than two thirds,
// and no stroke is too thin. Every sample is a row.

#include <QDir>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/window/run/session_controller.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/explorer/metrics/registry.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/plot.h"
#include "widgets/points/points_model.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
namespace {

std::unique_ptr<test::TextRecorder> painted(const Exportable& figure, const PrintStyle& style) {
  const QSizeF size = figure.size(style);
  auto page = std::make_unique<test::TextRecorder>(size);
  QCPPainter painter;
  if (!painter.begin(page.get())) return page;
  painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  figure.paint(painter, size, style);
  painter.end();
  return page;
}

/// Texts of which more than a third is gone; what they were is looked for among `names`.
QString cutShort(const test::TextRecorder& page, const QStringList& names) {
  const QChar dots(0x2026);
  QString found;
  for (const test::PaintedText& each : page.texts()) {
    const auto at = each.text.indexOf(dots);
    if (at < 0) continue;
    const QString head = each.text.left(at), tail = each.text.mid(at + 1);
    bool known = false, enough = false;
    for (const QString& name : names) {
      if (!name.startsWith(head) || !name.endsWith(tail) || name.size() < head.size() + tail.size()) continue;
      known = true;
      enough = enough || 3 * (head.size() + tail.size()) >= 2 * name.size();
    }
    if (known && !enough) found += QStringLiteral("'%1' is cut; ").arg(each.text);
  }
  return found;
}

}  // namespace

class PrintLayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("print_layout_test"), folder_.path());
  }

  void everyViewIsReadable_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<bool>("explored");
    for (const char* program : {"simple_moe", "swiglu", "moe_mixtral", "gnn", "wavefront", "softmax_depths",
                                "moe_three_ways", "attention_qwen", "deadlock_fork_join"})
      QTest::newRow(program) << program << true;
    // Every point of a whole layer takes minutes; its many rows and boxes are what is on trial here.
    for (const char* program : {"deepseek_moe", "decoder_layer_mixtral", "gpt2_block"})
      QTest::newRow(program) << program << false;
    const QDir samples(QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads"));
    for (const QString& file : QDir(samples.filePath(QStringLiteral("deadlocks")))
                                   .entryList({QStringLiteral("*.sluice")}, QDir::Files)) {
      const QString name = QStringLiteral("deadlocks/") + QFileInfo(file).completeBaseName();
      QTest::newRow(qPrintable(name)) << name << false;
    }
  }
  void everyViewIsReadable() {
    QFETCH(QString, program);
    QFETCH(bool, explored);
    QSettings().clear();
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    QVERIFY(window.openFile(sample(program.toLatin1().constData())));
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle(), engine_time);
    if (explored) window.commands()->action(QStringLiteral("run.explore"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle(), engine_time);
    window.commands()->action(QStringLiteral("panel.timelineDock"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle() && window.time()->panel()->view()->run(), engine_time);
    QTest::qWait(200);
    std::vector<Exportable> plain;  // what can stand in a figure with others
    const QStringList names = namesIn(window);
    for (const View& view : window.views().all()) {
      if (view.missing()) continue;
      const Exportable picture = view.exportable(view);
      if (!view.is_table) plain.push_back(picture);
      for (const int width : {single_column, double_column}) {
        const auto recorded = painted(picture, {width, 8});
        const test::TextRecorder& page = *recorded;
        const QString where = view.id + QStringLiteral(" at %1 pt: ").arg(width);
        const QString faults = page.faults() + page.tooSmall();
        QVERIFY2(faults.isEmpty(), qPrintable(where + faults));
        const QString cut = cutShort(page, names);
        QVERIFY2(view.is_table || cut.isEmpty(), qPrintable(where + cut));
      }
    }
    for (const std::size_t parts : {std::size_t{2}, std::size_t{4}})
      for (std::size_t first = 0; first + parts <= plain.size(); ++first)
        for (const int width : {single_column, double_column}) {
          const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(first);
          const Exportable figure = composed({begin, begin + static_cast<std::ptrdiff_t>(parts)}, 2);
          const auto page = painted(figure, {width, 8});
          const QString faults = page->faults() + page->tooSmall();
          QVERIFY2(faults.isEmpty(),
                   qPrintable(
                       QStringLiteral("%1 from %2 at %3 pt: ").arg(parts).arg(plain[first].name).arg(width) +
                       faults));
        }
  }

 private:
  /// Of metrics, knobs, operators and streams.
  static QStringList namesIn(MainWindow& window) {
    QStringList names;
    for (const MetricSpec* metric : registeredMetrics())
      names << metricTitle(qt(metric->name)) << metricShortTitle(qt(metric->name));
    for (const auto& [knob, value] : window.documents()->knobs()) names << QString::fromStdString(knob);
    for (const TimelineRow& row : window.time()->panel()->view()->rows().all()) names << row.name;
    return names;
  }

  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::PrintLayoutTest)
#include "print_layout_test.moc"
