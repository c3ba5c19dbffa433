#include "app/window/export/figure_run.h"

#include <atomic>

namespace sluice::ui {
namespace {

constexpr int pace = 50;  // ms between two looks at the process

}  // namespace

struct FigureRun::Job {
  std::atomic<double> fraction = 0;
};

FigureRun::FigureRun(QObject* parent) : QObject(parent) {
  connect(&work_, &BackgroundWork::failed, this,
          [this](const Diagnostic& why) { adopt(job_, Result<FigureResult>(why)); });
  poll_.setInterval(pace);
  connect(&poll_, &QTimer::timeout, this, &FigureRun::tell);
}

void FigureRun::start(const std::string& figure, const std::filesystem::path& traces) {
  cancel();
  job_ = std::make_shared<Job>();
  clock_.start();
  poll_.start();
  work_.ask([this, job = job_, figure, traces](const std::stop_token& stop) -> BackgroundWork::Answer {
    const std::unique_ptr<Executor> executor = makeExecutor();
    FigureRequest request;
    request.traces = traces;
    request.executor = executor.get();
    request.stop = stop;
    request.progress = [&job](std::size_t done, std::size_t total) {
      job->fraction = static_cast<double>(done) / static_cast<double>(total);
    };
    return [this, job, result = reproduceFigure(figure, request)] { adopt(job, result); };
  });
}

void FigureRun::cancel() {
  if (!job_) return;
  work_.forget();
  job_.reset();
  poll_.stop();
  emit cancelled();
}

void FigureRun::adopt(const std::shared_ptr<Job>& job, const Result<FigureResult>& result) {
  if (!job || job != job_) return;
  job_.reset();
  poll_.stop();
  if (result) {
    emit finished(std::make_shared<const FigureResult>(*result));
  } else {
    emit failed(result.diagnostics());
  }
}

void FigureRun::tell() {
  const double fraction = job_->fraction, spent = static_cast<double>(clock_.elapsed()) / 1000;
  emit progressed(fraction, fraction > 0.01 && spent > 0.2 ? spent * (1 - fraction) / fraction : -1);
}

}  // namespace sluice::ui
