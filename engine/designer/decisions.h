#pragma once
// Decisions: which designs a search changes next, and which of the changes it runs, by what it has learned of
// its runs so far. A value: a copy decides what the search would, if the runs under way came to this or that.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/designer/beginnings.h"
#include "engine/designer/candidate.h"
#include "engine/designer/design_work.h"
#include "engine/designer/effects.h"
#include "engine/designer/moves.h"
#include "engine/designer/promise.h"
#include "engine/designer/standing.h"

namespace sluice::inline designer {

/// What was decided at once.
struct Round {
  std::vector<Candidate> runs;     ///< to be made, in this order
  std::vector<Candidate> bounded;  ///< designs by now, though they are not run: their bounds tell enough
  std::vector<RejectedDesign> rejected;
  std::uint64_t duplicates = 0, pruned = 0;  ///< as DesignResult has them
  double seconds = 0;                        ///< for steps, elaboration, types and costs
  bool nothing_left = false;                 ///< there was no schedule to look at
};

class Decisions {
 public:
  /// `searched` must live as long, and as all copies.
  explicit Decisions(const SearchedProgram& searched);

  /// The program as it is.
  Round begin(DesignWork& work);
  /// Not to be asked while a run is to be learned of. Where the work is stopped, what it gives, and what is
  /// decided from then on, means nothing.
  Round next(DesignWork& work);
  /// Of every run, in the order in which they were decided: one that came to no end tells that it is no
  /// better than what there is.
  void learn(const Candidate& candidate);

  /// Whether no more is to be looked at.
  bool over() const;
  bool hasDesigns() const { return !branches_.empty(); }
  /// Whether a schedule with one more step was left out, as its proposal has too many.
  bool leavesOut() const { return leaves_out_; }
  const Standing& standing() const { return standing_; }

 private:
  /// What is known of a design as the beginning of others.
  struct Branch {
    std::shared_ptr<const Schedule> schedule;
    std::optional<std::size_t> parent;
    bool simulated = false;
    std::optional<Moves> moves = {};  ///< none before it is its turn
    bool exact = false;               ///< `moves` are its own, else those of a schedule with the same outline
    bool closed = false;              ///< nothing better may begin with it
    std::size_t idle = 0;             ///< changes since the last gain
    std::vector<double> bounds = {};  ///< of its objectives
    std::set<std::string> at_end = {};  ///< kinds of change that did not wait, as it was the best of all
  };

  std::vector<Candidate> nextCandidates(DesignWork& work, Round& round);
  std::vector<Candidate> nextWaiting();
  std::size_t roundSize() const;
  void move(std::size_t design, std::vector<Candidate>& candidates);
  std::vector<std::size_t> mostPromising();

  void findMoves(const std::vector<std::size_t>& beam, DesignWork& work, Round& round);
  void applyAll(const std::vector<std::size_t>& beam, DesignWork& work);
  void closeRuledOut(const std::vector<std::size_t>& beam, DesignWork& work, Round& round);
  std::string beginningKey(std::span<const ScheduleStep> beginning, bool exact) const;
  void setMoves(const std::vector<std::size_t>& beam, DesignWork& work);
  void keepRefusals(const Schedule& begun, const KnownProposals& found, Round& round) const;

  void look(std::vector<Candidate>& candidates, DesignWork& work, Round& round);
  void judge(Candidate candidate, Round& round);
  void run(Candidate candidate, Round& round);
  bool isPointless(const DesignPoint& bounds) const;
  bool promisesNothing(const Candidate& candidate) const;
  bool isExpectedPointless(Candidate& candidate) const;
  bool isTheEnd(std::size_t design) const;
  void learnSteps(const Candidate& candidate);
  bool isFirstAtTheEnd(const Candidate& candidate);
  std::vector<double> expectedOf(const Candidate& candidate) const;
  void wait(Candidate candidate);
  void add(const Candidate& candidate, const DesignPoint& point);

  const SearchedProgram* searched_;
  std::map<std::string, KnownProposals> proposals_;  ///< by the steps that they follow, or their outline
  std::set<std::string> schedules_, graphs_;         ///< that were looked at
  std::uint64_t looks_ = 0, runs_ = 0;
  Beginnings beginnings_;
  Promise promise_;
  Effects effects_;
  std::vector<Candidate> waiting_;  ///< that promise nothing
  std::vector<Branch> branches_;    ///< of the designs
  Standing standing_;
  bool leaves_out_ = false;
};

}  // namespace sluice::inline designer
