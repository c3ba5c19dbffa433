// sluice-chart: draws for sluice-cli with the window's own views, in a process of its own so that sluice-cli
// needs no Qt. Reads one JSON object from standard input: the charts of `sluice-cli reproduce`, which become
// folder/NAME.pdf, or the one view of `sluice-cli export`. Exit code 0, or 1 with one line on standard error;
// with --json {"diagnostics": [...]} on standard output instead.

#include <QApplication>
#include <clocale>
#include <exception>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/chart/chart_job.h"
#include "app/chart/export_job.h"
#include "app/process/follow_parent.h"
#include "app/process/plugin_arguments.h"
#include "app/process/standard_output.h"
#include "widgets/export/export.h"
#include "widgets/plots/figure_plot.h"

namespace sluice {
namespace {

Result<Done> drawCharts(const std::string& input) {
  const Result<ChartJob> job = readChartJob(input);
  if (!job) return job.diagnostics();
  for (const FigureChart& chart : job->charts) {
    ui::FigurePlot plot;
    plot.setChart(chart);
    const std::filesystem::path file = std::filesystem::path(job->folder) / (chart.name + ".pdf");
    Result<Done> written = ui::exportPlot(plot, file, ui::ExportFormat::Pdf, plot.paperSize());
    if (!written) return written;
  }
  return Done{};
}

Result<Done> draw(const std::string& input) try {
  if (!isExportJob(input)) return drawCharts(input);
  const Result<ExportJob> job = readExportJob(input);
  return job ? runExportJob(*job) : Result<Done>(job.diagnostics());
} catch (const std::exception& error) {
  return Diagnostic{Severity::Error, "sluice-chart", std::string("it failed: ") + error.what(),
                    "allow it more memory, or report this"};
}

void print(const Diagnostics& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& each : diagnostics)
    list.push_back({{"place", text(each.place)}, {"cause", each.cause}, {"fix", each.fix}});
  std::cout << nlohmann::ordered_json{{"diagnostics", std::move(list)}}.dump(
                   2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
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
  const sluice::Result<sluice::Done> drawn =
      !loaded ? loaded : sluice::draw({std::istreambuf_iterator<char>(std::cin), {}});
  if (drawn) return 0;
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (json) sluice::print(drawn.diagnostics());
  const sluice::Result<sluice::Done> arrived = output.finish();
  if (!json || !arrived) std::cerr << "sluice-chart: " << sluice::text(drawn.diagnostics().front()) << "\n";
  return 1;
}
