#include "app/cli/cluster.h"

#define OMPI_SKIP_MPICXX  // the C++ bindings, deprecated for fifteen years
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "app/cli/diagnostics.h"
#include "engine/core/stopwatch.h"
#include "engine/core/task_lane.h"
#include "engine/explorer/deadlock_cause.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/explorer/tables.h"
#include "engine/explorer/traced_runs.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

/// Worker -> 0: Hello (its workload; also after Forget), Answer, Bye (Quit has come). 0 -> worker: Task, Ping
/// (I am here), Forget (the batch is over), Quit, Leave (after all have said Bye, or some never will: true).
enum Tag : int { Hello = 1, Answer, Task, Ping, Forget, Quit, Bye, Leave };

constexpr auto silence = 60s;  ///< of rank 0, after which a worker gives it up
constexpr auto ping_every = 5s;
constexpr auto farewell = 10s;          ///< for a rank to say Bye; one that has not is lost
constexpr auto nap = 100us;             ///< between two looks for messages
constexpr auto long_nap = 1ms;          ///< while every worker has enough to do until the next look
constexpr double enough = 5e-3;         ///< seconds of work
constexpr std::size_t most_tasks = 64;  ///< of one worker

/// A message, if one is there.
struct Message {
  int from = 0, tag = 0;
  Json body;
  std::uint64_t bytes = 0;
};

std::optional<Message> receive() {
  int there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
    return {};
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return Message{status.MPI_SOURCE, status.MPI_TAG, Json::parse(bytes, nullptr, false), bytes.size()};
}

/// Sends that are under way. A dead rank takes nothing more: its sends are not waited for.
class Outgoing {
 public:
  std::uint64_t send(int to, Tag tag, const Json& body) {
    while (!sends_.empty() && sends_.front().done()) sends_.pop_front();
    Send& send = sends_.emplace_back();
    send.bytes = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    MPI_Isend(send.bytes.data(), static_cast<int>(send.bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD,
              &send.request);
    return send.bytes.size();
  }
  /// Gives what is under way some time.
  void flush() {
    for (const auto start = Clock::now(); !sends_.empty() && secondsSince(start) < 2;) {
      if (sends_.front().done()) {
        sends_.pop_front();
      } else {
        std::this_thread::sleep_for(nap);
      }
    }
  }

 private:
  struct Send {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    bool done() {
      int complete = 0;
      return MPI_Test(&request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete;
    }
  };
  std::deque<Send> sends_;  // stays in place while MPI reads it
};

Json toJson(std::uint64_t batch, std::size_t number, const PointTask& task) {
  return {
      {"b", batch}, {"n", number}, {"k", task.knobs}, {"l", static_cast<int>(task.level)}, {"s", task.share}};
}

PointTask taskFrom(const Json& body) {
  return {body.at("k").get<KnobValues>(), static_cast<Level>(body.at("l").get<int>()),
          body.at("s").get<double>()};
}

Json toJson(const PointOutcome& outcome) {
  const DesignPoint& point = outcome.point;
  Json metrics = Json::array();
  for (const MetricSpec* metric : registeredMetrics())
    metrics.push_back(std::visit([](auto number) { return Json(number); }, metric->value(point.metrics)));
  Json body = {{"st", text(point.state)}, {"m", std::move(metrics)}, {"w", point.wall_seconds}};
  if (!point.cause.empty()) body["c"] = point.cause;
  if (!outcome.refused.empty()) body["r"] = diagnosticsJson(outcome.refused);
  if (outcome.estimated) body["e"] = true;
  if (point.peak_fifo_tokens) body["p"] = *point.peak_fifo_tokens;
  if (point.deadlock) body["d"] = toJson(*point.deadlock);
  if (!point.failed_at.empty()) body["a"] = point.failed_at;
  if (outcome.retimed) body["t"] = true;
  if (!outcome.why_simulated.empty()) body["y"] = outcome.why_simulated;
  return body;
}

PointOutcome outcomeFrom(const Json& body, const PointTask& task) {
  PointOutcome outcome;
  DesignPoint& point = outcome.point;
  point.knobs = task.knobs;
  point.level = task.level;
  point.state = pointStateOf(body.at("st").get<std::string>()).value_or(PointState::Failed);
  for (std::size_t i = 0; i < registeredMetrics().size(); ++i) {
    const MetricSpec& metric = *registeredMetrics()[i];
    const Json& number = body.at("m").at(i);
    if (number.is_number_unsigned())
      metric.set(point.metrics, number.get<std::uint64_t>());
    else if (number.is_number())  // null: a metric of a plug-in that the point does not have
      metric.set(point.metrics, number.get<double>());
  }
  point.wall_seconds = body.at("w").get<double>();
  point.cause = body.value("c", std::string());
  point.failed_at = body.value("a", std::string());
  outcome.estimated = body.value("e", false);
  if (outcome.estimated) point.level = Level::Symbolic;
  if (body.contains("p")) point.peak_fifo_tokens = body["p"].get<std::uint64_t>();
  if (body.contains("d")) point.deadlock = deadlockFrom(body["d"]);
  outcome.retimed = body.value("t", false);
  outcome.why_simulated = body.value("y", std::string());
  outcome.refused = diagnosticsFrom(body.value("r", Json::array()));
  return outcome;
}

/// Works on tasks beside the rank's first thread, the only one to speak MPI (MPI_THREAD_FUNNELED): that one
/// cannot wait in a lane, as it looks for messages in between, and fetches what is finished here.
class Worker {
 public:
  struct Job {
    std::uint64_t batch;
    std::size_t number;
    PointTask task;
  };
  struct Finished {
    Job job;
    PointOutcome outcome;
  };

  explicit Worker(const Workload& workload) : workload_(workload) {}

  void add(const Job& job) {
    lane_.add(
        [this, job](const std::stop_token& stop) {
          PointOutcome outcome = evaluateTask(workload_, job.task, stop, &traces_);
          if (!stop.stop_requested()) put({job, std::move(outcome)});
        },
        [this, job](const Diagnostic& why) {
          put({job, refusedPoint(job.task, {why})});
        });
  }
  /// Drops what waits and stops what runs.
  void forget() { lane_.forget(); }
  std::size_t waiting() const { return lane_.pending(); }
  std::vector<Finished> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(finished_, {});
  }

 private:
  void put(Finished one) {
    const std::lock_guard lock(mutex_);
    finished_.push_back(std::move(one));
  }

  const Workload& workload_;
  TracedRuns traces_;
  std::mutex mutex_;
  std::vector<Finished> finished_;
  TaskLane lane_;  ///< last: it uses all of the above
};

}  // namespace

/// Rank 0's side.
class Cluster::Evaluator : public PointEvaluator {
 public:
  Evaluator(Cluster& cluster, const Workload& workload)
      : cluster_(cluster),
        own_(workload),
        hash_(workloadHash(workload)),
        load_(static_cast<std::size_t>(cluster.ranks())) {}

  ~Evaluator() override {
    for (int rank = 1; rank < cluster_.ranks(); ++rank) outgoing_.send(rank, Quit, {});
    std::set<int> gone;
    for (const auto start = Clock::now();
         gone.size() + 1 < load_.size() && Clock::now() - start < farewell;) {
      const std::optional<Message> message = receive();
      if (message && message->tag == Bye) gone.insert(message->from);
      if (!message) std::this_thread::sleep_for(nap);
    }
    cluster_.complete_ = gone.size() + 1 == load_.size();
    for (const int rank : gone) outgoing_.send(rank, Leave, Json(!cluster_.complete_));
    outgoing_.flush();
  }

  void evaluate(std::span<const PointTask> tasks, const Finished& finished,
                const std::stop_token& stop) override {
    tasks_ = tasks;
    ++batch_;
    next_ = 0;
    left_ = tasks.size();
    done_.assign(tasks.size(), false);
    given_.assign(tasks.size(), {});
    holder_.assign(tasks.size(), 0);
    std::fill(load_.begin(), load_.end(), std::size_t{0});
    while (left_ > 0 && !stop.stop_requested()) {
      const bool something = hear(finished) | handOut() | workHere(finished);
      if (Clock::now() - pinged_ > ping_every) ping();
      if (!something) std::this_thread::sleep_for(next_ < tasks_.size() && share() > 2 ? long_nap : nap);
    }
    own_.forget();
    for (int rank = 1; rank < cluster_.ranks(); ++rank) {
      if (ready_.contains(rank) && load_[static_cast<std::size_t>(rank)] > 0) tell(rank, Forget, {});
    }
  }

  unsigned concurrency() const override { return static_cast<unsigned>(cluster_.ranks()); }

 private:
  void tell(int rank, Tag tag, const Json& body) {
    const auto start = Clock::now();
    cluster_.traffic_.bytes += outgoing_.send(rank, tag, body);
    ++cluster_.traffic_.messages;
    cluster_.traffic_.busy_seconds += secondsSince(start);
  }

  void ping() {
    pinged_ = Clock::now();
    for (int rank = 1; rank < cluster_.ranks(); ++rank) tell(rank, Ping, {});
  }

  bool hear(const Finished& finished) {
    const auto start = Clock::now();
    const std::optional<Message> message = receive();
    if (!message) return false;
    ++cluster_.traffic_.messages;
    cluster_.traffic_.bytes += message->bytes;
    if (const auto sender = ready_.find(message->from); sender != ready_.end()) sender->second = true;
    if (message->tag == Hello) {
      if (message->body == Json(hash_)) {
        ready_[message->from] = true;
      } else {
        tell(message->from, Quit, Json(hash_));
      }
    } else if (message->tag == Answer && message->body.at("b") == batch_) {
      std::size_t& load = load_[static_cast<std::size_t>(message->from)];
      if (load > 0) --load;
      const auto number = message->body.at("n").get<std::size_t>();
      if (number < tasks_.size()) settle(number, outcomeFrom(message->body, tasks_[number]), finished);
    }
    cluster_.traffic_.busy_seconds += secondsSince(start);
    return true;
  }

  void settle(std::size_t number, PointOutcome outcome, const Finished& finished) {
    if (done_[number]) return;  // handed out twice, and the other was faster
    longest_ = std::max(longest_, outcome.point.wall_seconds);
    mean_ = mean_ > 0 ? 0.9 * mean_ + 0.1 * outcome.point.wall_seconds : outcome.point.wall_seconds;
    done_[number] = true;
    --left_;
    ++cluster_.traffic_.points;
    finished(number, std::move(outcome));
  }

  /// Tasks that a worker has at a time: two, so that while it answers one it has another; of short ones
  /// enough to last until the next look, but less than what would leave the others idle at the end.
  std::size_t share() const {
    const double wanted = mean_ > 0 ? enough / mean_ : 0;
    const auto alive = static_cast<std::size_t>(
        std::count_if(ready_.begin(), ready_.end(), [](const auto& rank) { return rank.second; }));
    const std::size_t fair = (tasks_.size() - next_) / (2 * (alive + 1));
    return std::max<std::size_t>(
        2, std::min({wanted < most_tasks ? static_cast<std::size_t>(wanted) : most_tasks, fair}));
  }

  bool handOut() {
    bool something = false;
    for (const auto& [rank, alive] : ready_) {
      std::size_t& load = load_[static_cast<std::size_t>(rank)];
      while (alive && load < share()) {
        const std::optional<std::size_t> number = nextTask(rank, load == 0);
        if (!number) break;
        tell(rank, Task, toJson(batch_, *number, tasks_[*number]));
        ++load;
        something = true;
      }
    }
    return something;
  }

  bool workHere(const Finished& finished) {
    bool something = false;
    for (Worker::Finished& one : own_.take()) {
      if (one.job.batch == batch_) settle(one.job.number, std::move(one.outcome), finished);
      something = true;
    }
    for (std::size_t waiting = own_.waiting(); waiting < share(); ++waiting) {
      const std::optional<std::size_t> number = nextTask(0, waiting == 0);
      if (!number) break;
      own_.add({batch_, *number, tasks_[*number]});
      something = true;
    }
    return something;
  }

  /// The next one that nobody has; for who is idle also one that somebody has had for suspiciously long. Who
  /// has it gets nothing more until it is heard of again.
  std::optional<std::size_t> nextTask(int rank, bool idle) {
    if (next_ < tasks_.size()) {
      given_[next_] = Clock::now();
      holder_[next_] = rank;
      return next_++;
    }
    const double patience = std::max(3.0, 10 * longest_);
    if (!idle || Clock::now() - searched_ < 100ms) return {};
    searched_ = Clock::now();
    for (std::size_t number = 0; number < tasks_.size(); ++number) {
      if (done_[number] || secondsSince(given_[number]) < patience) continue;
      given_[number] = Clock::now();
      const int silent = std::exchange(holder_[number], rank);
      if (silent != rank && silent != 0) ready_[silent] = false;
      ++cluster_.traffic_.repeated;
      return number;
    }
    return {};
  }

  Cluster& cluster_;
  Worker own_;
  std::string hash_;
  Outgoing outgoing_;
  std::map<int, bool> ready_;  ///< ranks that have said hello; false: one that has not answered in time
  std::vector<std::size_t> load_;
  std::span<const PointTask> tasks_;
  std::uint64_t batch_ = 0;
  std::size_t next_ = 0, left_ = 0;
  std::vector<bool> done_;
  std::vector<Clock::time_point> given_;
  std::vector<int> holder_;        ///< the rank that has it
  double longest_ = 0, mean_ = 0;  ///< seconds of a task; the mean of late
  Clock::time_point pinged_ = Clock::now(), searched_;
};

Cluster::Cluster() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // a rank that has died is no reason to die
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

Cluster::~Cluster() {
  if (complete_) MPI_Finalize();  // it waits for every rank, also for one that is lost
}

std::unique_ptr<PointEvaluator> Cluster::evaluator(const Workload& workload) {
  return std::make_unique<Evaluator>(*this, workload);
}

Result<Done> Cluster::serve(const Workload& workload) {
  const std::string hash = workloadHash(workload);
  const Location place = "rank " + std::to_string(rank_);
  Outgoing outgoing;
  Worker worker(workload);
  bool differs = false;  // from rank 0, in what is explored
  outgoing.send(0, Hello, Json(hash));
  for (auto heard = Clock::now();;) {
    bool something = false;
    for (const Worker::Finished& one : worker.take()) {
      Json body = toJson(one.outcome);
      body["b"] = one.job.batch;
      body["n"] = one.job.number;
      outgoing.send(0, Answer, body);
      something = true;
    }
    if (const std::optional<Message> message = receive()) {
      something = true;
      heard = Clock::now();
      if (message->tag == Task)
        worker.add({message->body.at("b").get<std::uint64_t>(), message->body.at("n").get<std::size_t>(),
                    taskFrom(message->body)});
      if (message->tag == Forget) {
        worker.forget();
        outgoing.send(0, Hello, Json(hash));  // there is no answer to be late with: ready for more
      }
      if (message->tag == Quit) {
        differs = differs || !message->body.is_null();
        outgoing.send(0, Bye, {});
      }
      if (message->tag == Leave) {
        outgoing.flush();
        complete_ = !message->body.get<bool>();
        if (!differs) return Done{};
        return error("cluster-mismatch", place, "its program or inputs differ from those of rank 0",
                     "give every rank the same files, on a shared disk or as copies");
      }
    }
    if (Clock::now() - heard > silence) {
      complete_ = false;
      return error("cluster-lost", place, "rank 0 has been silent for a minute",
                   "look for its end in the job's log; go on with --resume");
    }
    if (!something) std::this_thread::sleep_for(worker.waiting() > 4 ? long_nap : nap);
  }
}

}  // namespace sluice::cli
