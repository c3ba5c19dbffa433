#pragma once
// DesignWork: what a search has to find out of schedules, each on any thread. A function of the schedule
// alone, so that it may be done ahead, for what the search is expected to decide next.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/designer/candidate.h"
#include "engine/designer/kept_ahead.h"
#include "engine/designer/request.h"
#include "engine/designer/search_threads.h"

namespace sluice::inline designer {

using KnownProposals = std::shared_ptr<const Proposals>;       ///< null: the schedule is refused
using KnownProgram = std::shared_ptr<const ScheduledProgram>;  ///< likewise
using KnownBounds = std::shared_ptr<const ProgramBounds>;      ///< likewise

/// Whose moves are wanted.
struct MovesOf {
  Schedule schedule, parent;
  std::vector<KnownProposals> proposals;  ///< behind each of its beginnings
  std::uint64_t seed = 0;
};

/// What is the same for all schedules of a search.
struct SearchedProgram {
  const Workload& workload;
  const Workload plain;  ///< before any step
  const KnobValues& knobs;
  const DesignRequest& request;
  const FurtherSteps further;
  const std::stop_token stop;
  const Preparation preparation{plain, knobs, request.locked, asksForPrices(request)};

  /// Steps of the program as it is.
  std::size_t fixed() const { return workload.document.schedule.size(); }
};

/// What was found out ahead.
struct FoundAhead {
  KeptAhead<KnownProposals> proposals;
  KeptAhead<KnownProgram> programs;
  KeptAhead<KnownBounds> bounds;
  KeptAhead<std::shared_ptr<Prepared>> prepared;
};

class DesignWork {
 public:
  /// After a request at `stop`, what has not begun stays out.
  DesignWork(const SearchedProgram& searched, SearchThreads& threads, FoundAhead& found,
             SearchThreads::Urgency urgency, std::stop_token stop)
      : searched_(searched), threads_(threads), found_(found), urgency_(urgency), stop_(std::move(stop)) {}

  bool stopped() const { return stop_.stop_requested(); }
  const SearchedProgram& searched() const { return searched_; }

  /// The steps that may follow; each with the program behind the schedule, where that is known.
  std::vector<KnownProposals> proposals(const std::vector<std::pair<Schedule, KnownProgram>>& schedules);
  /// Programs with their types.
  std::vector<KnownProgram> programs(const std::vector<std::pair<Schedule, Beginning>>& schedules);
  /// Of all that begins with the schedules.
  std::vector<KnownBounds> partialBounds(const std::vector<Schedule>& schedules);
  /// Not kept where they are asked ahead, as they hang on whose proposals stand for the schedule's own.
  std::vector<std::optional<Moves>> moves(const std::vector<MovesOf>& designs);
  /// `graphs`: those that were met, of which no more is asked.
  void prepare(std::vector<Candidate>& candidates, const std::set<std::string>& graphs);
  /// Of what was prepared, and is to run.
  void countTokens(const std::vector<Candidate>& candidates);

 private:
  template <class T, class Entry, class Do>
  std::vector<T> each(KeptAhead<T>& kept, const std::vector<Entry>& entries, const Do& work);

  const SearchedProgram& searched_;
  SearchThreads& threads_;
  FoundAhead& found_;
  const SearchThreads::Urgency urgency_;
  const std::stop_token stop_;
};

}  // namespace sluice::inline designer
