// sluice-window-bench: from a slider's tick to every view, a frame of the explorer's views with 100,000
// points, and the time that a cancelled exploration takes. Counters: median_ms, p95_ms.

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QSlider>
#include <QTemporaryDir>
#include <algorithm>
#include <clocale>
#include <functional>
#include <random>

#include "app/window/main_window.h"
#include "app/window/workspace.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/pareto_chart.h"

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

std::vector<DesignPoint> manyPoints() {
  std::mt19937_64 random(1);
  std::vector<DesignPoint> points(100000);
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

  Explorer() {
    pareto.resize(900, 500);
    parallel.resize(900, 400);
    pareto.show();
    parallel.show();
    model.setPoints(manyPoints());
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

void panPareto(benchmark::State& state) {
  Explorer views;
  measure(state, [&](int) {
    views.pareto.xAxis->moveRange(views.pareto.xAxis->range().size() * 0.002);
    views.pareto.replot(QCustomPlot::rpImmediateRefresh);
  });
}

void brushParallel(benchmark::State& state) {
  Explorer views;
  measure(state, [&](int number) {
    views.selection.setRange(QStringLiteral("c"), number % 300, number % 300 + 200, 1);
    views.parallel.repaint();
  });
}

void selectAmongMany(benchmark::State& state) {
  Explorer views;
  measure(state, [&](int number) {
    views.selection.select({number * 7 % 100000});
    views.parallel.repaint();
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
  add("pan_pareto/100000", panPareto, 60);
  add("brush_parallel/100000", brushParallel, 60);
  add("select_among/100000", selectAmongMany, 60);
  add("cancel_exploration/moe_mixtral", cancelExploration, 10);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
