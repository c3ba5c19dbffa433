// sluice-cli serve --stdio: JSON-RPC 2.0, one message a line, for notebooks and scripts. The protocol is
// app/cli/json_rpc.md. Requests are worked on one after the other by one thread; `cancel` is heard at once by
// another.

#include "app/cli/serve.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "app/cli/command.h"
#include "app/cli/json_rpc.h"
#include "app/cli/serve_desk.h"
#include "engine/core/internal_error.h"

namespace sluice::cli {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;

/// Requests in the order in which they came, and the thread that works on them.
class Line {
 public:
  explicit Line(Output& output)
      : output_(output), desk_(output), thread_([this](const std::stop_token& s) { loop(s); }) {}

  /// Drops what waits, stops what runs.
  void cancelAll() {
    const std::lock_guard lock(mutex_);
    for (Waiting& each : waiting_) each.stop.request_stop();
    running_.request_stop();
  }
  /// Waits until nothing is left.
  void finish() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return waiting_.empty() && !busy_; });
  }
  void add(RpcRequest request) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(request), {}});
    wake_.notify_one();
  }
  /// `id` is not null. False: there is no such request any more.
  bool cancel(const Json& id) {
    const std::lock_guard lock(mutex_);
    if (busy_ && running_id_ == id) return running_.request_stop(), true;
    for (Waiting& each : waiting_) {
      if (each.request.reply.id == id) return each.stop.request_stop(), true;
    }
    return false;
  }

 private:
  struct Waiting {
    RpcRequest request;
    std::stop_source stop;
  };

  void loop(const std::stop_token& quit) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, quit, [&] { return !waiting_.empty(); })) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = next.stop;
      running_id_ = next.request.reply.id;
      busy_ = true;
      lock.unlock();
      if (output_.deserted()) next.stop.request_stop();
      answer(next);
      lock.lock();
      busy_ = false;
      idle_.notify_all();
    }
  }

  void answer(const Waiting& waiting) {
    const auto& [request, stop] = waiting;
    Json result;
    try {
      if (!stop.stop_requested()) result = desk_.work(request.method, request.reply.id, request.params, stop);
      if (stop.stop_requested()) throw RpcError{cancelled, "cancelled"};
    } catch (const RpcError& error) {
      return request.reply.error(error);
    } catch (...) {
      return request.reply.error(refusedBy({internalError(std::current_exception())}));
    }
    request.reply.result(std::move(result));
  }

  Output& output_;
  Desk desk_;
  std::mutex mutex_;
  std::condition_variable_any wake_, idle_;
  std::deque<Waiting> waiting_;
  std::stop_source running_;
  Json running_id_;
  bool busy_ = false;
  std::jthread thread_;  ///< last: it uses all of the above
};

enum class ReadLine { Text, TooLong, End };

ReadLine readLine(std::istream& in, std::string& line) {
  line.clear();
  bool too_long = false;
  for (int c = in.get(); c != EOF; c = in.get()) {
    if (c == '\n') return too_long ? ReadLine::TooLong : ReadLine::Text;
    if (line.size() >= longest_line) too_long = true;
    if (!too_long) line += static_cast<char>(c);
  }
  return line.empty() || in.bad() ? ReadLine::End : too_long ? ReadLine::TooLong : ReadLine::Text;
}

/// One request; true: that was `shutdown`.
bool take(RpcRequest request, Line& line) {
  const Reply& reply = request.reply;
  if (!request.wrong.empty()) {
    reply.error({invalidRequest, "not a request of JSON-RPC 2.0: " + request.wrong});
    return false;
  }
  const bool cancel = request.method == "cancel";
  if (!cancel && request.method != "shutdown") {
    line.add(std::move(request));
    return false;
  }
  try {
    const Parameters params(request.params,
                            cancel ? std::vector<std::string>{"id"} : std::vector<std::string>{});
    if (cancel) {
      reply.result({{"cancelled", line.cancel(params.requestId("id"))}});
      return false;
    }
  } catch (const RpcError& error) {
    reply.error(error);
    return false;
  }
  if (!reply.answers->batch()) line.cancelAll();
  line.finish();
  reply.result(Json::object());
  return true;
}

/// One line; false: `shutdown` was in it.
bool hear(const std::string& text, Line& line, Output& output) {
  bool over = false;
  for (RpcRequest& request : requestsOf(text, output)) {
    if (over)
      request.reply.error({invalidRequest, "it comes after 'shutdown'"});
    else
      over = take(std::move(request), line);
  }
  return !over;
}

/// Standard input, which breaks (bad()) when the server is asked to stop, or nobody reads standard output any
/// more: who has gone sends no requests, and may have left the other pipe open.
class StandardInput : public std::streambuf {
 public:
  explicit StandardInput(const std::stop_token& stop) : woken_(::eventfd(0, EFD_CLOEXEC)) {
    on_stop_.emplace(stop, [this] { ::eventfd_write(woken_, 1); });
  }
  ~StandardInput() override {
    on_stop_.reset();
    ::close(woken_);
  }

 protected:
  int_type underflow() override {
    ssize_t size = -1;
    do {
      std::array<pollfd, 3> ends{{{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, 0, 0}, {woken_, POLLIN, 0}}};
      if (::poll(ends.data(), ends.size(), -1) < 0) continue;
      if (ends[1].revents != 0 || ends[2].revents != 0) throw std::runtime_error("nobody waits for answers");
      size = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    } while (size < 0 && (errno == EINTR || errno == EAGAIN));
    if (size <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + size);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
  std::array<char, 65536> buffer_;
  int woken_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

int runServe(Process& process) {
  process.output.readerMayLeave();
  const std::stop_token stop = process.interrupt.token();
  StandardInput buffer(stop);
  std::istream in(&buffer);
  const int exit_code = serve(in, std::cout, stop);
  return process.interrupt.came() ? static_cast<int>(exitCancelled) : exit_code;
}

}  // namespace

int serve(std::istream& in, std::ostream& out, const std::stop_token& stop) {
  Output output(out);
  Line line(output);
  const std::stop_callback on_stop(stop, [&line] { line.cancelAll(); });
  std::string text;
  for (ReadLine read = readLine(in, text); read != ReadLine::End; read = readLine(in, text)) {
    if (read == ReadLine::TooLong) {
      refuseLine(output, parseError, "the line is longer than 64 MiB");
    } else if (text.find_first_not_of(" \t\r") != std::string::npos && !hear(text, line, output)) {
      return exitDone;
    }
  }
  if (in.bad()) line.cancelAll();
  line.finish();  // a script that has piped its requests in wants the answers
  return exitDone;
}

Command serveCommand() {
  Command command{
      .name = "serve", .summary = "answer JSON-RPC 2.0 requests, for notebooks and scripts", .run = runServe};
  command.add({"--stdio", {}, "one message a line on stdin and stdout", {.required = true}});
  return command;
}

}  // namespace sluice::cli
