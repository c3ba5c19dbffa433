#pragma once
// Standard output whose loss is reported: std::cout prints through it, and at the end it says whether all of
// that arrived. Every program of Sluice that prints has one in main(). What goes to a terminal, and to
// standard error, holds no control characters.

#include <array>
#include <atomic>
#include <stop_token>
#include <streambuf>
#include <string_view>

#include "app/process/standard_error.h"
#include "engine/core/result.h"

namespace sluice {

class StandardOutput : public std::streambuf {
 public:
  /// Takes std::cout over. A reader that has gone and a file that may not grow are errors of writing from now
  /// on, no signals; descriptors 0 to 2 that are closed are filled, so that no file gets their numbers.
  /// `lost` is asked to stop as soon as something cannot be written: the rest would be lost.
  explicit StandardOutput(std::stop_source lost = std::stop_source(std::nostopstate));
  ~StandardOutput() override;
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  /// Something has been printed; it may still wait in the buffer.
  bool used() const { return state_ == State::Used; }
  /// What is printed from now on is thrown away.
  void mute() { muted_ = true; }
  /// A reader that goes before the end has lost nothing.
  void readerMayLeave() { may_leave_ = true; }
  /// For a thread that ends the program: false where something has been printed. Otherwise `bytes` is the
  /// only thing that is: who prints from now on waits for the end.
  bool printAtLast(std::string_view bytes);
  /// Writes what waits and closes standard output. Errors: something that was printed did not arrive.
  Result<Done> finish();

 protected:
  int_type overflow(int_type next) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;

 private:
  enum class State { Unused, Used, Ended };

  /// Nothing returns from here once printAtLast() has succeeded.
  void use();
  bool write(std::string_view bytes);
  bool show(std::string_view text);
  bool flush();

  StandardError error_output_;
  std::streambuf* before_;
  std::stop_source lost_;
  bool terminal_;
  std::atomic<bool> muted_ = false, may_leave_ = false;
  std::atomic<State> state_ = State::Unused;
  int error_ = 0;  ///< errno of the first write that failed
  std::array<char, 1 << 16> buffer_;
};

}  // namespace sluice
