#pragma once
// Box<T>: an optional value on the heap that copies deeply. It lets a value type hold its own kind (a region
// holds a graph).

#include <memory>
#include <utility>

namespace sluice {

template <class T>
class Box {
 public:
  Box() = default;
  Box(T value) : pointer_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : pointer_(other.pointer_ ? std::make_unique<T>(*other.pointer_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    pointer_ = std::move(other.pointer_);
    return *this;
  }
  ~Box() = default;

  explicit operator bool() const { return pointer_ != nullptr; }
  T& operator*() { return *pointer_; }
  const T& operator*() const { return *pointer_; }
  T* operator->() { return pointer_.get(); }
  const T* operator->() const { return pointer_.get(); }
  bool operator==(const Box& other) const {
    return pointer_ && other.pointer_ ? *pointer_ == *other.pointer_ : pointer_ == other.pointer_;
  }

 private:
  std::unique_ptr<T> pointer_;
};

}  // namespace sluice
