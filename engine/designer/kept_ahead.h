#pragma once
// KeptAhead: values that are worked out before it is known whether they are wanted, each by its key. Who
// wants one gets it, or waits for it where it is being worked out, or works it out. So what is got is the
// same, whether and when something was done ahead.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <utility>

namespace sluice::inline designer {

template <class T>
class KeptAhead {
 public:
  /// Works it out and keeps it; the oldest values make way.
  T ahead(const std::string& key, const std::function<T()>& work) {
    std::promise<T> promise;
    std::unique_lock lock(mutex_);
    if (const auto known = find(key); known != kept_.end()) {
      const std::shared_future<T> value = known->second;
      lock.unlock();
      return value.get();
    }
    kept_.emplace_back(key, promise.get_future().share());
    if (kept_.size() > most_kept) kept_.pop_front();
    lock.unlock();
    try {
      T value = work();
      promise.set_value(value);
      return value;
    } catch (...) {
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  /// It is wanted; and not kept any longer.
  T wanted(const std::string& key, const std::function<T()>& work) {
    std::unique_lock lock(mutex_);
    const auto known = find(key);
    if (known == kept_.end()) {
      lock.unlock();
      return work();
    }
    const std::shared_future<T> value = std::move(known->second);
    kept_.erase(known);
    lock.unlock();
    return value.get();
  }

 private:
  static constexpr std::size_t most_kept = 32;  // two rounds of the largest size

  auto find(const std::string& key) {
    return std::ranges::find(kept_, key, &std::pair<std::string, std::shared_future<T>>::first);
  }

  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_future<T>>> kept_;  ///< in the order in which they were begun
};

}  // namespace sluice::inline designer
