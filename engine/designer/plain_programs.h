#pragma once
// What is found out of a plain program again and again, as designs are compared with it: its size and what it
// stores, at each of the extents and inputs that it is shrunk to. All at one design point; from any thread.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/core/float_tensor.h"
#include "engine/core/result.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/store/workload_hash.h"

namespace sluice::inline designer {

/// Answers to one question about programs. Threads that ask at the same time each find it out: to wait for
/// the other would take as long.
template <class Answer>
class AskedOnce {
 public:
  template <class Find>
  Result<Answer> of(const Workload& workload, const Find& find) {
    const std::string key = workloadHash(workload);
    {
      const std::scoped_lock lock(mutex_);
      if (const auto known = answers_.find(key); known != answers_.end()) return known->second;
    }
    Result<Answer> answer = find();
    if (!answer && isCancelled(answer.diagnostics())) return answer;
    const std::scoped_lock lock(mutex_);
    return answers_.emplace(key, std::move(answer)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Result<Answer>> answers_;  ///< by workloadHash()
};

/// How much there is to run, and what of a program must stay as it is when it is shrunk.
struct ProgramMeasure {
  double work = 0;  ///< as most_work counts it (shrunk_pair.h)
  std::string structure;
  bool fits_memory = true;
};

struct PlainPrograms {
  AskedOnce<ProgramMeasure> measures;
  AskedOnce<std::shared_ptr<const TensorSet>> stored;
};

}  // namespace sluice::inline designer
