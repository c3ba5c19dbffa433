// sluice-chart: draws for sluice-cli with the window's own views, in a process of its own so that sluice-cli
// needs no Qt. Reads one JSON object from standard input: the charts of `sluice-cli reproduce`, which become
// folder/NAME.pdf, or the one view of `sluice-cli export`. Exit code 0, or 1 with lines on standard error;
// with --json {"diagnostics": [...]} on standard output instead, also for warnings.

#include <QApplication>
#include <clocale>
#include <exception>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/chart/chart_job.h"
#include "app/chart/export_job.h"
#include "app/cli/diagnostics.h"
#include "app/process/follow_parent.h"
#include "app/process/plugin_arguments.h"
#include "app/process/standard_output.h"
#include "widgets/export/export.h"
#include "widgets/plots/figure_plot.h"

namespace sluice {
namespace {

Result<Done> drawCharts(const std::string& input) {
  SLUICE_TRY(const ChartJob job, readChartJob(input));
  for (const FigureChart& chart : job.charts) {
    ui::FigurePlot plot;
    plot.setChart(chart);
    const std::filesystem::path file = std::filesystem::path(job.folder) / (chart.name + ".pdf");
    SLUICE_CHECK(ui::exportPlot(plot, file, ui::ExportFormat::Pdf, plot.paperSize()));
  }
  return Done{};
}

Result<Done> draw(const std::string& input, Diagnostics& warnings) try {
  if (!isExportJob(input)) return drawCharts(input);
  SLUICE_TRY(const ExportJob job, readExportJob(input));
  return runExportJob(job, warnings);
} catch (const std::exception& failure) {
  return error("internal-error", "sluice-chart", std::string("it failed: ") + failure.what(),
               "allow it more memory, or report this");
}

void print(const Diagnostics& diagnostics) {
  std::cout << cli::Json{{"diagnostics", cli::diagnosticsJson(diagnostics)}}.dump(
                   2, ' ', false, cli::Json::error_handler_t::replace)
            << "\n";
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  sluice::endWithParent();
  sluice::StandardOutput output;
  qputenv("QT_QPA_PLATFORM", "offscreen");  // it never shows anything, and works without a display
  qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});  // stderr is for ours
  const QApplication application(argc, argv);
  std::setlocale(LC_NUMERIC, "C");
  const sluice::Result<sluice::Done> loaded = sluice::loadPlugins(argc, argv);
  sluice::Diagnostics told;  // where it is drawn, warnings
  const sluice::Result<sluice::Done> drawn =
      !loaded ? loaded : sluice::draw({std::istreambuf_iterator<char>(std::cin), {}}, told);
  if (!drawn) told = drawn.diagnostics();
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (json && !told.empty()) sluice::print(told);
  const sluice::Result<sluice::Done> arrived = output.finish();
  if (!arrived) told = arrived.diagnostics();
  if (!json || !arrived)
    for (const sluice::Diagnostic& each : told) std::cerr << "sluice-chart: " << sluice::cli::shown(each);
  return drawn && arrived ? 0 : 1;
}
