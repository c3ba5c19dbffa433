#include "app/window/figure_run.h"

#include <atomic>

namespace sluice::ui {
namespace {

constexpr int pollPeriod = 50;  // ms

}  // namespace

struct FigureRun::Job {
  std::stop_source stop;
  std::atomic<double> fraction = 0;
};

FigureRun::FigureRun(QObject* parent) : QObject(parent) {
  worker_.setMaxThreadCount(1);
  poll_.setInterval(pollPeriod);
  connect(&poll_, &QTimer::timeout, this, &FigureRun::tell);
}

FigureRun::~FigureRun() {
  if (job_) job_->stop.request_stop();
  worker_.waitForDone();
}

void FigureRun::start(const std::string& figure, const std::filesystem::path& traces) {
  cancel();
  job_ = std::make_shared<Job>();
  clock_.start();
  poll_.start();
  worker_.start([this, job = job_, figure, traces] {
    const std::unique_ptr<Executor> executor = makeExecutor();
    FigureRequest request;
    request.traces = traces;
    request.executor = executor.get();
    request.stop = job->stop.get_token();
    request.progress = [&job](std::size_t done, std::size_t total) {
      job->fraction = static_cast<double>(done) / static_cast<double>(total);
    };
    QMetaObject::invokeMethod(
        this, [this, job, result = reproduceFigure(figure, request)] { adopt(job, result); },
        Qt::QueuedConnection);
  });
}

void FigureRun::cancel() {
  if (!job_) return;
  job_->stop.request_stop();
  job_.reset();
  poll_.stop();
  emit cancelled();
}

void FigureRun::adopt(const std::shared_ptr<Job>& job, const Result<FigureResult>& result) {
  if (job != job_) return;
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
