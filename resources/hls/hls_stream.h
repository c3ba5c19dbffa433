#pragma once
// hls::stream for C simulation: the interface of the vendor's header of this name, with bounded slots.

#include <deque>
#include <string>

#include "processes.h"

namespace hls {

template <class T, int DEPTH = 0>
class stream;

template <class T>
class stream<T, 0> {
 public:
  explicit stream(const char* name = "stream", int depth = 2) : name_(name) {
    depth_ = csim::Monitor::the().depthOf(name_, depth);
    reader_.what = "a read of " + name_ + ", which is empty";
    writer_.what = "a write to " + name_ + ", which is full (" + std::to_string(depth_) + " slots)";
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() {
    csim::Monitor& monitor = csim::Monitor::the();
    const std::lock_guard<std::mutex> lock(monitor.mutex);
    monitor.peaks[name_] = {peak_, depth_};
  }

  T read() {
    csim::Monitor& monitor = csim::Monitor::the();
    std::unique_lock<std::mutex> lock(monitor.mutex);
    while (slots_.empty()) monitor.wait(lock, reader_);
    T value = slots_.front();
    slots_.pop_front();
    monitor.wake(writer_);
    return value;
  }
  void read(T& value) { value = read(); }
  void write(const T& value) {
    csim::Monitor& monitor = csim::Monitor::the();
    std::unique_lock<std::mutex> lock(monitor.mutex);
    while (static_cast<int>(slots_.size()) >= depth_) monitor.wait(lock, writer_);
    slots_.push_back(value);
    if (static_cast<int>(slots_.size()) > peak_) peak_ = static_cast<int>(slots_.size());
    monitor.wake(reader_);
  }
  /// Whether it had to wait for room; the lock is the monitor's.
  bool waitedForRoom(std::unique_lock<std::mutex>& lock) {
    const bool waits = static_cast<int>(slots_.size()) >= depth_;
    if (waits) csim::Monitor::the().wait(lock, writer_);
    return waits;
  }
  void operator>>(T& value) { read(value); }
  void operator<<(const T& value) { write(value); }

  bool empty() { return size() == 0; }
  bool full() { return static_cast<int>(size()) >= depth_; }
  std::size_t size() {
    const std::lock_guard<std::mutex> lock(csim::Monitor::the().mutex);
    return slots_.size();
  }
  bool read_nb(T& value) {
    if (empty()) return false;
    read(value);
    return true;
  }
  bool write_nb(const T& value) {
    if (full()) return false;
    write(value);
    return true;
  }

 private:
  std::string name_;
  int depth_ = 2, peak_ = 0;
  std::deque<T> slots_;
  csim::Waiter reader_, writer_;
};

template <class T, int DEPTH>
class stream : public stream<T, 0> {
 public:
  explicit stream(const char* name = "stream") : stream<T, 0>(name, DEPTH) {}
};

}  // namespace hls

namespace csim {

/// Until all of them have room, which nobody but their producer can take.
template <class... Streams>
void awaitRoom(Streams&... streams) {
  std::unique_lock<std::mutex> lock(Monitor::the().mutex);
  while ((streams.waitedForRoom(lock) || ...)) {
  }
}

}  // namespace csim
