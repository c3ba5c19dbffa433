#include "app/cli/answer.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "app/cli/interrupt.h"
#include "engine/core/internal_error.h"

namespace sluice::cli {
namespace {

constexpr std::size_t reserve = std::size_t{1} << 18;

Answer* owed = nullptr;  // std::terminate() passes no arguments
std::atomic<bool> memory_ran_out = false;

[[noreturn]] void memoryRanOut() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

[[noreturn]] void terminated() {
  std::exception_ptr error = std::current_exception();
  // Cleaning up after the first may need memory as well (JSON values do), and then no exception is current.
  if (!error && memory_ran_out) error = std::make_exception_ptr(std::bad_alloc());
  if (error && owed) owed->endNow(std::move(error));
  std::abort();
}

std::string objectText(const Diagnostics& why, bool cancelled) {
  Json object = Json::object();
  if (cancelled) object["cancelled"] = true;
  object["diagnostics"] = diagnosticsJson(why);
  return jsonText(object);
}

[[noreturn]] void leave(int exit_code, const Diagnostic& why) {
  std::cerr << shown(why);
  ::_exit(exit_code);
}

}  // namespace

bool asksForJson(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;  // what follows are names of files
    if (word == "--json") return true;
  }
  return false;
}

Answer::Answer(StandardOutput& output, bool json)
    : output_(output), json_(json), reserve_(std::make_unique_for_overwrite<char[]>(reserve)) {
  owed = this;
  std::set_terminate(terminated);
  std::set_new_handler(memoryRanOut);
}

Answer::~Answer() {
  owed = nullptr;
}

void Answer::endNow(std::exception_ptr error) {
  reserve_.reset();  // even the words need memory
  const Diagnostic why = internalError(std::move(error));
  endUnlessAnswered(ExitDiagnostic, why);
  leave(ExitDiagnostic, why);
}

void Answer::endUnlessAnswered(int exit_code, const Diagnostic& why) {
  // Who prints first has the answer: looking before would leave a gap in which the other one prints.
  if (!json_ || output_.printAtLast(objectText({why}, exit_code == ExitCancelled))) leave(exit_code, why);
}

int Answer::end(int exit_code, const Interrupt& interrupt) {
  // A command stops without a signal, too: where standard output was lost.
  const bool cancelled = exit_code == ExitCancelled && interrupt.came();
  return cancelled ? end(exit_code, interrupt.diagnostic()) : finish(exit_code);
}

int Answer::end(int exit_code, const Diagnostic& why) {
  reserve_.reset();
  std::cerr << shown(why);
  if (json_ && !output_.used()) std::cout << objectText({why}, exit_code == ExitCancelled);
  return finish(exit_code);
}

int Answer::finish(int exit_code) {
  if (json_ && !output_.used()) std::cout << objectText({}, false);
  const Result<Done> arrived = output_.finish();
  if (arrived) return exit_code;
  std::cerr << shown(arrived.diagnostics());
  return ExitDiagnostic;
}

}  // namespace sluice::cli
