#pragma once
// What the program owes its caller, whatever ends it: with --json exactly one object on standard output, else
// words on standard error, and an exit code that says so when output was lost.

#include <exception>
#include <memory>

#include "app/cli/command.h"

namespace sluice::cli {

/// The command line asks for JSON, be it right or not.
bool asksForJson(int argc, const char* const* argv);

/// One in a process; an uncaught exception of any thread ends in it.
class Answer {
 public:
  Answer(StandardOutput& output, bool json);
  ~Answer();
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  /// For the thread that hears a signal: ends the program and says why, unless its answer is being printed.
  void endUnlessAnswered(int exit_code, const Diagnostic& why);
  /// For an uncaught exception of any thread: ends the program and says why.
  [[noreturn]] void endNow(std::exception_ptr error);

  /// The exit code of a command that has run; it has said what there is to say, unless it was cancelled.
  int end(int exit_code, const Interrupt& interrupt);
  /// Of one that could not, with the reason.
  int end(int exit_code, const Diagnostic& why);

 private:
  int finish(int exit_code);

  StandardOutput& output_;
  bool json_;
  std::unique_ptr<char[]> reserve_;  ///< given back where there is no other memory to say so in
};

}  // namespace sluice::cli
