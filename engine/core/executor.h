#pragma once
// Executor: runs independent pieces of work on several threads. oneTBB normally; std::jthread in the
// ThreadSanitizer build (SLUICE_WITH_TBB=OFF) and where asked for. Results must never depend on which thread
// ran what.

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

namespace sluice {

class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls body(i) once for every i < count, begun in this order, on up to concurrency() threads; returns
  /// when all are done. After a stop request no further i is started (those running finish). An exception in
  /// body is rethrown here.
  virtual void parallelFor(std::size_t count, const std::function<void(std::size_t)>& body,
                           std::stop_token stop = {}) = 0;
  virtual unsigned concurrency() const = 0;
};

/// threads = 0: one per core.
std::unique_ptr<Executor> makeExecutor(unsigned threads = 0);
/// The same contract on std::jthread, whatever the build.
std::unique_ptr<Executor> makeThreadExecutor(unsigned threads = 0);

}  // namespace sluice
