// sluice-window-bench: from a slider's tick to every view, a frame of a pan and of a zoom over 10,000 boxes,
// a frame of the explorer's views with 100,000 and a million points, the time that a cancelled exploration
// takes, and that from opening a program of 100,000 operators until it is shown, checked and simulated.
// Counters: median_ms, p95_ms, and of the large ones mib, what the process had at most.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSlider>
#include <QTemporaryDir>
#include <algorithm>
#include <clocale>
#include <functional>
#include <random>
#include <stdexcept>

#include "app/window/explore/explorer_pane.h"
#include "app/window/explore/store_dialog.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/engine/support/documents.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/pareto_chart.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
namespace {

constexpr int limit = 120000;  // ms

double milliseconds(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

bool waitFor(const std::function<bool()>& done) {
  QElapsedTimer clock;
  clock.start();
  while (!done() && clock.elapsed() < limit)
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
  return done();
}

/// Every repaint that is due.
void paintAll() {
  for (int turn = 0; turn < 4; ++turn) QCoreApplication::processEvents();
}

void tell(benchmark::State& state, std::vector<double> times) {
  if (times.empty()) return state.SkipWithError("nothing was measured");
  std::sort(times.begin(), times.end());
  state.counters["median_ms"] = times[times.size() / 2];
  state.counters["p95_ms"] = times[std::min(times.size() - 1, times.size() * 95 / 100)];
}

/// The most memory that the process has had.
void tellMemory(benchmark::State& state) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

std::unique_ptr<MainWindow> opened(const char* sample) {
  auto window = std::make_unique<MainWindow>();
  window->show();
  window->openFile(
      QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/%1.sluice").arg(QLatin1String(sample)));
  waitFor([&] { return window->session()->idle() && !window->workspace()->canvas()->layoutPending(); });
  window->session()->explore();
  waitFor([&] { return window->session()->idle(); });
  paintAll();
  return window;
}

/// A knob is dragged to and fro; the time is that to the last repaint of the simulated answer.
void knobToPicture(benchmark::State& state, const char* sample) {
  const auto window = opened(sample);
  QSlider* slider = nullptr;
  for (QSlider* each : window->knobs()->findChildren<QSlider*>())
    if (!slider && each->maximum() > each->minimum()) slider = each;
  if (!slider) return state.SkipWithError("the sample has no knob");
  std::vector<double> times;
  for ([[maybe_unused]] auto _ : state) {
    QElapsedTimer clock;
    clock.start();
    slider->setValue(slider->value() < slider->maximum() ? slider->value() + 1 : slider->minimum());
    waitFor([&] { return window->session()->idle(); });
    paintAll();
    times.push_back(milliseconds(clock));
    state.SetIterationTime(times.back() / 1e3);
  }
  tell(state, std::move(times));
}

std::vector<DesignPoint> manyPoints(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<DesignPoint> points(count);
  for (DesignPoint& point : points) {
    point.knobs = {{"a", 1 << random() % 6},
                   {"b", static_cast<std::int64_t>(random() % 10)},
                   {"c", static_cast<std::int64_t>(random() % 500)}};
    point.metrics.cycles = 1 + random() % 1000000;
    point.metrics.on_chip_bytes = 1 + random() % 10000000;
    point.metrics.off_chip_bytes = 1 + random() % 10000000;
    if (random() % 10 == 0) point.state = PointState::Infeasible;
  }
  return points;
}

struct Explorer {
  PointsModel model;
  PointColumns columns{&model};
  PointSelection selection{&columns};
  ParetoChart pareto{&selection};
  ParallelView parallel{&selection};
  PointsTable table{&model};

  explicit Explorer(std::size_t count) {
    table.follow(&selection);
    for (QWidget* view :
         {static_cast<QWidget*>(&pareto), static_cast<QWidget*>(&parallel), static_cast<QWidget*>(&table)}) {
      view->resize(900, 400);
      view->show();
    }
    show(manyPoints(count));
  }
  void show(std::vector<DesignPoint> points) {
    model.setPoints(std::move(points));
    paintAll();
  }
};

void measure(benchmark::State& state, const std::function<void(int)>& frame) {
  std::vector<double> times;
  int number = 0;
  for ([[maybe_unused]] auto _ : state) {
    QElapsedTimer clock;
    clock.start();
    frame(number++);
    times.push_back(milliseconds(clock));
    state.SetIterationTime(times.back() / 1e3);
  }
  tell(state, std::move(times));
}

std::size_t countOf(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

/// From the points to every view of them.
void showPoints(benchmark::State& state) {
  Explorer views(0);
  const std::vector<DesignPoint> points = manyPoints(countOf(state));
  measure(state, [&](int) { views.show(points); });
  tellMemory(state);
}

/// A store of one exploration.
void writeStore(const QString& file, const std::vector<DesignPoint>& points) {
  auto store = ResultStore::open(file.toStdString(), ResultStore::Access::Write);
  ExplorationRecord record = explorationHere();
  record.workload = record.title = "bench";
  record.objectives = {"cycles", "on_chip_bytes"};
  for (const auto& [name, value] : points.front().knobs) record.knobs.emplace_back().name = name;
  const auto begun = store->begin(record);
  std::vector<Visit> visits(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) visits[i] = {i, points[i], false};
  if (!begun || !store->write(*begun, visits)) throw std::runtime_error("the store cannot be written");
}

/// From the button of the store's dialog to the points in every view of the window.
void openStore(benchmark::State& state) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("bench.db"));
  std::vector<DesignPoint> points = manyPoints(countOf(state));
  for (std::size_t i = 0; i < points.size(); ++i) points[i].knobs["d"] = static_cast<std::int64_t>(i);
  writeStore(file, points);
  points = {};
  const auto window = opened("simple_moe");
  StoreDialog* dialog = window->workspace()->explorer()->showStores();
  dialog->openStore(file);
  waitFor([&] { return dialog->idle(); });
  QPushButton* show = nullptr;
  for (QPushButton* button : dialog->findChildren<QPushButton*>())
    if (button->isDefault()) show = button;
  measure(state, [&](int) {
    show->click();
    waitFor([&] { return dialog->idle(); });
    paintAll();
  });
  if (window->workspace()->points()->points().size() != countOf(state))
    return state.SkipWithError("the points are not shown");
  tellMemory(state);
}

void panPareto(benchmark::State& state) {
  Explorer views(countOf(state));
  measure(state, [&](int) {
    views.pareto.xAxis->moveRange(views.pareto.xAxis->range().size() * 0.002);
    views.pareto.replot(QCustomPlot::rpImmediateRefresh);
  });
}

void brushParallel(benchmark::State& state) {
  Explorer views(countOf(state));
  measure(state, [&](int number) {
    views.selection.setRange(QStringLiteral("c"), number % 300, number % 300 + 200, 1);
    views.parallel.repaint();
  });
}

/// A brush until all views have followed.
void brushAll(benchmark::State& state) {
  Explorer views(countOf(state));
  measure(state, [&](int number) {
    views.selection.setRange(QStringLiteral("c"), number % 300, number % 300 + 200, 1);
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 150) QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
  });
}

void sortTable(benchmark::State& state) {
  Explorer views(countOf(state));
  measure(state, [&](int number) {
    views.table.sortByColumn(4 + number % 3, number % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
    views.table.repaint();
  });
}

void selectAmongMany(benchmark::State& state) {
  const std::size_t count = countOf(state);
  Explorer views(count);
  measure(state, [&](int number) {
    views.selection.select({static_cast<int>(static_cast<std::size_t>(number) * 7 % count)});
    views.parallel.repaint();
  });
}

/// A chain of so many operators from a file until its graph is shown folded, and until it is checked and
/// simulated.
void openLarge(benchmark::State& state) {
  const QTemporaryDir folder;
  const std::filesystem::path file = folder.filePath(QStringLiteral("large.sluice")).toStdString();
  const Document document = testing_support::chainDocument(static_cast<int>(state.range(0)) - 2, 4, 2);
  if (!saveDocument(document, file)) return state.SkipWithError("the file could not be written");
  std::vector<double> shown;
  for ([[maybe_unused]] auto _ : state) {
    MainWindow window;
    window.show();
    paintAll();
    QElapsedTimer clock;
    clock.start();
    window.openFile(QString::fromStdString(file.string()));
    paintAll();
    waitFor([&] { return !window.workspace()->canvas()->layoutPending(); });
    paintAll();
    shown.push_back(milliseconds(clock));
    waitFor([&] { return window.session()->idle(); });
    paintAll();
    state.counters["simulated_ms"] = milliseconds(clock);
    state.counters["boxes"] = static_cast<double>(window.workspace()->canvas()->nodeSizes().size());
    state.SetIterationTime(shown.back() / 1e3);
  }
  tell(state, std::move(shown));
  tellMemory(state);
}

/// A model of open layers: in each so many operators after each other, or a few more, so that none equals
/// another and is folded with it; every tenth has a way around those before it.
Document layersDocument(std::size_t layers, std::size_t length) {
  Document document;
  document.program.nodes.push_back(testing_support::node("source", "TileGen", {}));
  for (std::size_t layer = 0; layer < layers; ++layer, ++length) {
    Region region;
    region.inputs = {"in"};
    region.outputs = {"out"};
    region.collapsed = false;
    const auto name = [](std::size_t i) { return "op_" + std::to_string(i); };
    for (std::size_t i = 0; i < length; ++i) {
      const bool joins = i % 10 == 9;
      region.body.nodes.push_back(testing_support::node(name(i), joins ? "BinaryMap" : "Map", {}));
      const Endpoint from = i == 0 ? Endpoint{"region", "in", {}} : Endpoint{name(i - 1), "out", {}};
      region.body.streams.push_back({from, {name(i), joins ? "in1" : "in", {}}, {}});
      if (joins) region.body.streams.push_back({{name(i - 9), "out", {}}, {name(i), "in2", {}}, {}});
    }
    region.body.streams.push_back({{name(length - 1), "out", {}}, {"region", "out", {}}, {}});
    const std::string before = document.program.nodes.back().name;
    Node node = testing_support::node("layer_" + std::to_string(layer), "Region", {});
    node.body = std::move(region);
    document.program.streams.push_back(testing_support::stream(before, node.name));
    document.program.nodes.push_back(std::move(node));
  }
  return document;
}

/// What is done to the view between two frames.
enum class Move { Pan, Zoom };

/// A frame over a graph of so many boxes, none of them folded: all in view, or as many as at 100 %.
void moveCanvas(benchmark::State& state, Move move, bool all) {
  constexpr std::size_t layers = 8;
  GraphCanvas canvas(builtInCatalog());
  canvas.resize(1280, 800);
  canvas.show();
  QElapsedTimer clock;
  clock.start();
  canvas.setDocument(layersDocument(layers, (countOf(state) - 1 - layers) / layers));
  paintAll();
  state.counters["shown_ms"] = milliseconds(clock);
  if (!waitFor([&] { return !canvas.layoutPending(); }))
    return state.SkipWithError("the layout does not end");
  paintAll();
  state.counters["arranged_ms"] = milliseconds(clock);
  state.counters["boxes"] = static_cast<double>(canvas.nodeSizes().size());
  all ? canvas.fitAll() : canvas.setZoom(1);
  paintAll();
  const double zoom = canvas.zoom();
  QScrollBar* bar = canvas.horizontalScrollBar();
  measure(state, [&](int number) {
    if (move == Move::Pan)
      bar->setValue(bar->value() + (number % 2 == 0 ? 40 : -39));
    else
      canvas.setZoom(zoom * (1 + 0.02 * (number % 20)));
    canvas.viewport()->update();  // all of it, not what has come into view
    paintAll();
  });
}

/// From Cancel to the moment when the window is free and no point of the exploration comes any more.
void cancelExploration(benchmark::State& state) {
  const auto window = opened("moe_mixtral");
  std::vector<double> times;
  for ([[maybe_unused]] auto _ : state) {
    bool began = false;
    const auto seen =
        QObject::connect(window->session(), &SessionController::pointsExplored, [&] { began = true; });
    window->session()->explore();
    waitFor([&] { return began || window->session()->idle(); });
    QObject::disconnect(seen);
    QElapsedTimer clock;
    clock.start();
    window->session()->cancel();
    paintAll();
    times.push_back(milliseconds(clock));
    state.SetIterationTime(times.back() / 1e3);
  }
  tell(state, std::move(times));
}

}  // namespace
}  // namespace sluice::ui

int main(int argc, char** argv) {
  using namespace sluice::ui;
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  std::setlocale(LC_NUMERIC, "C");
  const QTemporaryDir settings;
  QCoreApplication::setOrganizationName(QStringLiteral("SluiceBench"));
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  const auto add = [](const char* name, auto&& run, int times) {
    benchmark::RegisterBenchmark(name, run)->UseManualTime()->Iterations(times)->Unit(
        benchmark::kMillisecond);
  };
  add(
      "knob_to_picture/simple_moe", [](benchmark::State& state) { knobToPicture(state, "simple_moe"); }, 100);
  add(
      "knob_to_picture/gpt2_block", [](benchmark::State& state) { knobToPicture(state, "gpt2_block"); }, 40);
  for (const int count : {100'000, 1'000'000}) {
    const auto of = [&](const char* name, auto&& run, int times) {
      benchmark::RegisterBenchmark(name, run)->Arg(count)->UseManualTime()->Iterations(times)->Unit(
          benchmark::kMillisecond);
    };
    of("show_points", showPoints, 3);
    of("open_store", openStore, 1);
    of("pan_pareto", panPareto, 60);
    of("brush_parallel", brushParallel, 60);
    of("brush_all", brushAll, 20);
    of("sort_table", sortTable, 6);
    of("select_among", selectAmongMany, 60);
  }
  for (const int count : {1000, 10'000, 100'000})
    benchmark::RegisterBenchmark("open_chain", openLarge)
        ->Arg(count)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  for (const Move move : {Move::Pan, Move::Zoom})
    for (const bool all : {true, false})
      benchmark::RegisterBenchmark((std::string(move == Move::Pan ? "pan_canvas/" : "zoom_canvas/") +
                                    (all ? "fitted" : "at_100_percent"))
                                       .c_str(),
                                   [=](benchmark::State& state) { moveCanvas(state, move, all); })
          ->Arg(10'000)
          ->UseManualTime()
          ->Iterations(60)
          ->Unit(benchmark::kMillisecond);
  add("cancel_exploration/moe_mixtral", cancelExploration, 10);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
