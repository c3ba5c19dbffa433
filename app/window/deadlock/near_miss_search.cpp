#include "app/window/deadlock/near_miss_search.h"

#include <QStringList>

#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/deadlock/near_miss_box.h"

namespace sluice::ui {
namespace {

constexpr std::chrono::milliseconds near_miss_time{20000};

}  // namespace

/// Written by the search, read by the event loop.
struct NearMissSearch::Progress {
  std::atomic<std::size_t> runs{0};
  std::atomic<double> fraction{0};
};

NearMissSearch::NearMissSearch(NearMissBox* box, QObject* parent) : QObject(parent), box_(box) {
  timer_.setInterval(50);
  connect(&timer_, &QTimer::timeout, this,
          [this] { box_->setSearching(progress_->fraction, static_cast<int>(progress_->runs)); });
  connect(box_, &NearMissBox::searchRequested, this, &NearMissSearch::start);
  connect(box_, &NearMissBox::cancelRequested, this, [this] { work_.stop(); });
  connect(&work_, &BackgroundWork::failed, this, [this] {
    running_ = false;
    timer_.stop();
    box_->setRows({}, true);
  });
}

void NearMissSearch::setPoint(std::shared_ptr<const Workload> workload,
                              std::shared_ptr<const PointResult> point, const GraphCorrespondence& shown) {
  forget();
  workload_ = std::move(workload);
  point_ = std::move(point);
  shown_ = shown;
  box_->setAvailable(true);
}

void NearMissSearch::forget() {
  work_.forget();
  timer_.stop();
  running_ = false;
  point_.reset();
  workload_.reset();
  box_->clear();
  box_->setAvailable(false);
}

void NearMissSearch::start(int within) {
  if (!point_ || running_) return;
  running_ = true;
  progress_ = std::make_shared<Progress>();
  box_->setSearching(0, 0);
  timer_.start();
  SearchBudget budget;
  budget.time = near_miss_time;
  budget.progress = [progress = progress_](const SearchProgress& now) {
    progress->runs = now.runs;
    progress->fraction = now.fraction;
  };
  work_.ask([this, budget, within, workload = workload_,
             point = point_](const std::stop_token& stop) mutable -> BackgroundWork::Answer {
    budget.stop = stop;
    const auto misses = std::make_shared<const NearMisses>(
        nearMisses(*workload, *point, static_cast<std::uint64_t>(within), budget));
    return [this, misses, point] {
      if (point == point_) showRows(*misses);
    };
  });
}

void NearMissSearch::showRows(const NearMisses& misses) {
  running_ = false;
  timer_.stop();
  QList<NearMissRow> rows;
  for (const NearMiss& miss : misses.list) {
    QStringList members;
    for (const std::string& member : miss.members) members << qt(member);
    rows << NearMissRow{shown_.streams.contains(miss.origin) ? qt(miss.origin) : QString(),
                        qt(shortStreamName(miss.stream)),
                        members.join(QStringLiteral(", ")),
                        static_cast<int>(miss.instances),
                        static_cast<qint64>(miss.depth),
                        static_cast<qint64>(miss.fewer),
                        static_cast<qint64>(miss.stall),
                        static_cast<qint64>(miss.full)};
  }
  box_->setRows(rows, misses.gave_up);
}

}  // namespace sluice::ui
