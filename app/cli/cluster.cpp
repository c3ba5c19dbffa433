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

#include "engine/core/stopwatch.h"
#include "engine/core/task_lane.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

/// Worker -> 0: Hello (its subject; also after Forget), Answer, Bye (Quit has come). 0 -> worker: Task, Ping
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

/// Works on tasks beside the rank's first thread, the only one to speak MPI (MPI_THREAD_FUNNELED): that one
/// cannot wait in a lane, as it looks for messages in between, and fetches what is finished here.
class Worker {
 public:
  struct Job {
    std::uint64_t batch;
    std::size_t number;
    Json task;
  };
  struct Finished {
    std::uint64_t batch;
    std::size_t number;
    Json answer;
    double seconds;
  };

  explicit Worker(RankWork work) : work_(std::move(work)) {}

  void add(Job one) {
    const auto job = std::make_shared<const Job>(std::move(one));
    lane_.add(
        [this, job](const std::stop_token& stop) {
          const auto start = Clock::now();
          Json answer = work_.answer(job->task, stop);
          if (!stop.stop_requested()) put(*job, std::move(answer), secondsSince(start));
        },
        [this, job](const Diagnostic& why) { put(*job, work_.failed(job->task, why), 0); });
  }
  /// Drops what waits and stops what runs.
  void forget() { lane_.forget(); }
  std::size_t waiting() const { return lane_.pending(); }
  std::vector<Finished> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(finished_, {});
  }

 private:
  void put(const Job& job, Json answer, double seconds) {
    const std::lock_guard lock(mutex_);
    finished_.push_back({job.batch, job.number, std::move(answer), seconds});
  }

  const RankWork work_;
  std::mutex mutex_;
  std::vector<Finished> finished_;
  TaskLane lane_;  ///< last: it uses all of the above
};

class MpiCluster : public Cluster {
 public:
  MpiCluster();
  ~MpiCluster() override;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::unique_ptr<Crew> crew(const std::string& subject, RankWork work) override;
  const ClusterTraffic& traffic() const override { return traffic_; }
  Result<Done> serve(const std::string& subject, RankWork work) override;

 private:
  class RankedCrew;
  int rank_ = 0, ranks_ = 1;
  bool complete_ = true;  ///< no rank is lost
  ClusterTraffic traffic_;
};

/// Rank 0's side.
class MpiCluster::RankedCrew : public Crew {
 public:
  RankedCrew(MpiCluster& cluster, std::string subject, RankWork work)
      : cluster_(cluster),
        own_(std::move(work)),
        subject_(std::move(subject)),
        load_(static_cast<std::size_t>(cluster.ranks())) {}

  ~RankedCrew() override {
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

  void distribute(std::span<const Json> tasks, const Finished& finished,
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
    std::optional<Message> message = receive();
    if (!message) return false;
    ++cluster_.traffic_.messages;
    cluster_.traffic_.bytes += message->bytes;
    if (const auto sender = ready_.find(message->from); sender != ready_.end()) sender->second = true;
    if (message->tag == Hello) {
      if (message->body == Json(subject_)) {
        ready_[message->from] = true;
      } else {
        tell(message->from, Quit, Json(subject_));
      }
    } else if (message->tag == Answer && message->body.at("b") == batch_) {
      std::size_t& load = load_[static_cast<std::size_t>(message->from)];
      if (load > 0) --load;
      const auto number = message->body.at("n").get<std::size_t>();
      if (number < tasks_.size())
        settle(number, std::move(message->body["a"]), message->body.at("s").get<double>(), finished);
    }
    cluster_.traffic_.busy_seconds += secondsSince(start);
    return true;
  }

  void settle(std::size_t number, Json answer, double seconds, const Finished& finished) {
    if (done_[number]) return;  // handed out twice, and the other was faster
    longest_ = std::max(longest_, seconds);
    mean_ = mean_ > 0 ? 0.9 * mean_ + 0.1 * seconds : seconds;
    done_[number] = true;
    --left_;
    ++cluster_.traffic_.tasks;
    finished(number, std::move(answer));
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
        tell(rank, Task, {{"b", batch_}, {"n", *number}, {"t", tasks_[*number]}});
        ++load;
        something = true;
      }
    }
    return something;
  }

  bool workHere(const Finished& finished) {
    bool something = false;
    for (Worker::Finished& one : own_.take()) {
      if (one.batch == batch_) settle(one.number, std::move(one.answer), one.seconds, finished);
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

  MpiCluster& cluster_;
  Worker own_;
  const std::string subject_;
  Outgoing outgoing_;
  std::map<int, bool> ready_;  ///< ranks that have said hello; false: one that has not answered in time
  std::vector<std::size_t> load_;
  std::span<const Json> tasks_;
  std::uint64_t batch_ = 0;
  std::size_t next_ = 0, left_ = 0;
  std::vector<bool> done_;
  std::vector<Clock::time_point> given_;
  std::vector<int> holder_;        ///< the rank that has it
  double longest_ = 0, mean_ = 0;  ///< seconds of a task; the mean of late
  Clock::time_point pinged_ = Clock::now(), searched_;
};

MpiCluster::MpiCluster() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // a rank that has died is no reason to die
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiCluster::~MpiCluster() {
  if (complete_) MPI_Finalize();  // it waits for every rank, also for one that is lost
}

std::unique_ptr<Crew> MpiCluster::crew(const std::string& subject, RankWork work) {
  return std::make_unique<RankedCrew>(*this, subject, std::move(work));
}

Result<Done> MpiCluster::serve(const std::string& subject, RankWork work) {
  const Location place = "rank " + std::to_string(rank_);
  Outgoing outgoing;
  Worker worker(std::move(work));
  bool differs = false;  // from rank 0, in the subject
  outgoing.send(0, Hello, Json(subject));
  for (auto heard = Clock::now();;) {
    bool something = false;
    for (Worker::Finished& one : worker.take()) {
      outgoing.send(0, Answer,
                    {{"b", one.batch}, {"n", one.number}, {"s", one.seconds}, {"a", std::move(one.answer)}});
      something = true;
    }
    if (std::optional<Message> message = receive()) {
      something = true;
      heard = Clock::now();
      if (message->tag == Task)
        worker.add({message->body.at("b").get<std::uint64_t>(), message->body.at("n").get<std::size_t>(),
                    std::move(message->body["t"])});
      if (message->tag == Forget) {
        worker.forget();
        outgoing.send(0, Hello, Json(subject));  // there is no answer to be late with: ready for more
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

}  // namespace

std::unique_ptr<Cluster> joinMpi() {
  return std::make_unique<MpiCluster>();
}

}  // namespace sluice::cli
