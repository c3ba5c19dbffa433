// sluice-chart: draws for sluice-cli with the window's own views, in a process of its own so that sluice-cli
// needs no Qt. Reads one JSON object from standard input: the charts of `sluice-cli reproduce`, which become
// folder/NAME.pdf, or the one view of `sluice-cli export`. Exit code 0, or 1 with one line on standard error.

#include <QApplication>
#include <clocale>
#include <iostream>
#include <iterator>

#include "app/chart/chart_job.h"
#include "app/chart/export_job.h"
#include "widgets/export/export.h"
#include "widgets/plots/figure_plot.h"

namespace {

int fail(const sluice::Diagnostics& diagnostics) {
  std::cerr << "sluice-chart: " << sluice::text(diagnostics.front()) << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");  // it never shows anything, and works without a display
  qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});  // stderr is for ours
  const QApplication application(argc, argv);
  std::setlocale(LC_NUMERIC, "C");
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  if (sluice::isExportJob(input)) {
    const sluice::Result<sluice::ExportJob> job = sluice::readExportJob(input);
    const sluice::Result<sluice::Done> written =
        job ? sluice::runExportJob(*job) : sluice::Result<sluice::Done>(job.diagnostics());
    return written ? 0 : fail(written.diagnostics());
  }
  const sluice::Result<sluice::ChartJob> job = sluice::readChartJob(input);
  if (!job) return fail(job.diagnostics());
  for (const sluice::FigureChart& chart : job->charts) {
    sluice::ui::FigurePlot plot;
    plot.setChart(chart);
    const std::filesystem::path file = std::filesystem::path(job->folder) / (chart.name + ".pdf");
    const sluice::Result<sluice::Done> written =
        sluice::ui::exportPlot(plot, file, sluice::ui::ExportFormat::Pdf, plot.paperSize());
    if (!written) return fail(written.diagnostics());
  }
  return 0;
}
