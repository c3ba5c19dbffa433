#pragma once
// hls::stream_of_blocks for C simulation: the interface of the vendor's header of this name. Two blocks are
// a ping-pong buffer: one is filled while the other is drained.

#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "processes.h"

namespace hls {

/// T is an array type.
template <class T, int DEPTH = 2>
class stream_of_blocks {
 public:
  using Element = typename std::remove_extent<T>::type;

  explicit stream_of_blocks(const char* name = "buffer") {
    reader_.what = std::string("a drain of the buffer ") + name + ", which is empty";
    writer_.what = std::string("a fill of the buffer ") + name + ", both halves of which are full";
    for (auto& block : blocks_) block.resize(std::extent<T>::value);
  }
  stream_of_blocks(const stream_of_blocks&) = delete;
  stream_of_blocks& operator=(const stream_of_blocks&) = delete;

  Element* beginWrite() {
    csim::Monitor& monitor = csim::Monitor::the();
    std::unique_lock<std::mutex> lock(monitor.mutex);
    while (full_ >= DEPTH) monitor.wait(lock, writer_);
    return blocks_[next_write_].data();
  }
  void endWrite() {
    csim::Monitor& monitor = csim::Monitor::the();
    const std::lock_guard<std::mutex> lock(monitor.mutex);
    next_write_ = (next_write_ + 1) % DEPTH;
    ++full_;
    monitor.wake(reader_);
  }
  Element* beginRead() {
    csim::Monitor& monitor = csim::Monitor::the();
    std::unique_lock<std::mutex> lock(monitor.mutex);
    while (full_ == 0) monitor.wait(lock, reader_);
    return blocks_[next_read_].data();
  }
  void endRead() {
    csim::Monitor& monitor = csim::Monitor::the();
    const std::lock_guard<std::mutex> lock(monitor.mutex);
    next_read_ = (next_read_ + 1) % DEPTH;
    --full_;
    monitor.wake(writer_);
  }

 private:
  std::array<std::vector<Element>, DEPTH> blocks_;
  int full_ = 0;
  std::size_t next_write_ = 0, next_read_ = 0;
  csim::Waiter reader_, writer_;
};

/// The block that is filled; it is handed over when the lock goes out of scope.
template <class T>
class write_lock {
 public:
  explicit write_lock(stream_of_blocks<T>& blocks) : blocks_(blocks), block_(blocks.beginWrite()) {}
  ~write_lock() { blocks_.endWrite(); }
  write_lock(const write_lock&) = delete;
  write_lock& operator=(const write_lock&) = delete;
  typename stream_of_blocks<T>::Element& operator[](std::size_t at) { return block_[at]; }

 private:
  stream_of_blocks<T>& blocks_;
  typename stream_of_blocks<T>::Element* block_;
};

/// The block that is drained; it is free again when the lock goes out of scope.
template <class T>
class read_lock {
 public:
  explicit read_lock(stream_of_blocks<T>& blocks) : blocks_(blocks), block_(blocks.beginRead()) {}
  ~read_lock() { blocks_.endRead(); }
  read_lock(const read_lock&) = delete;
  read_lock& operator=(const read_lock&) = delete;
  const typename stream_of_blocks<T>::Element& operator[](std::size_t at) const { return block_[at]; }

 private:
  stream_of_blocks<T>& blocks_;
  typename stream_of_blocks<T>::Element* block_;
};

}  // namespace hls
