// sluice-cli serve --stdio: JSON-RPC 2.0, one message a line, for notebooks and scripts. The protocol is
// app/cli/json_rpc.md. With --mcp it is the Model Context Protocol. Requests are worked on one after the
// other by one thread; `cancel` is heard at once by another.

#include "app/cli/serve.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <iostream>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "app/cli/command.h"
#include "app/cli/json_rpc.h"
#include "app/cli/mcp.h"
#include "app/cli/rpc_service.h"
#include "engine/core/internal_error.h"
#include "engine/core/task_lane.h"

namespace sluice::cli {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;

/// Requests in the order in which they came, each of which is answered.
class RequestQueue {
 public:
  RequestQueue(Output& output, Protocol protocol) : protocol_(protocol), output_(output), service_(output) {}

  Protocol protocol() const { return protocol_; }

  /// Stops what runs and what waits.
  void cancelAll() {
    const std::lock_guard lock(mutex_);
    for (Open& each : open_) each.stop.request_stop();
  }
  /// Waits until nothing is left.
  void finish() { lane_.finish(); }
  void add(RpcRequest request) {
    const std::lock_guard lock(mutex_);
    const std::stop_source stop = open_.emplace_back(Open{request.reply.id, {}}).stop;
    const Json id = request.reply.id;
    lane_.add(
        [this, request = std::move(request), stop](const std::stop_token&) {
          answer(request, stop);
          close();
        },
        [this, id](const Diagnostic& why) {  // there is no memory to send the answer, but for less
          Reply{std::make_shared<Answers>(output_, 1, false), 0, id, true}.error(refusedBy({why}));
          close();
        },
        stop);
  }
  /// `id` is not null. False: there is no such request any more.
  bool cancel(const Json& id) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(open_, id, &Open::id);
    return found != open_.end() && (found->stop.request_stop(), true);
  }

 private:
  struct Open {
    Json id;
    std::stop_source stop;
  };

  void answer(const RpcRequest& request, const std::stop_source& stop) {
    if (output_.deserted()) stop.request_stop();
    Json result;
    try {
      const auto work = [&](const auto&... given) {
        return protocol_ == Protocol::Mcp ? mcpResult(service_, given...) : service_.work(given...);
      };
      if (!stop.stop_requested()) result = work(request.method, request.reply.id, request.params, stop);
      if (stop.stop_requested()) throw RpcError{Cancelled, "cancelled"};
    } catch (const RpcError& error) {
      return request.reply.error(error);
    } catch (...) {
      return request.reply.error(refusedBy({internalError(std::current_exception())}));
    }
    request.reply.result(std::move(result));
  }
  /// The first, which has been answered.
  void close() {
    const std::lock_guard lock(mutex_);
    open_.pop_front();
  }

  const Protocol protocol_;
  Output& output_;
  RpcService service_;
  std::mutex mutex_;
  std::list<Open> open_;  ///< the first is under way
  TaskLane lane_;         ///< last: it uses all of the above
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

/// Of the Model Context Protocol, which ends where its input ends.
void takeOfMcp(RpcRequest request, RequestQueue& line) {
  if (request.method != "notifications/cancelled") return line.add(std::move(request));
  const auto id = request.params.is_object() ? request.params.find("requestId") : request.params.end();
  if (id != request.params.end() && !id->is_null()) line.cancel(Json(*id));
}

/// One request; true: that was `shutdown`.
bool take(RpcRequest request, RequestQueue& line) {
  const Reply& reply = request.reply;
  if (!request.wrong.empty()) {
    reply.error({InvalidRequest, "not a request of JSON-RPC 2.0: " + request.wrong});
    return false;
  }
  if (line.protocol() == Protocol::Mcp) {
    takeOfMcp(std::move(request), line);
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
bool hear(const std::string& text, RequestQueue& line, Output& output) {
  bool over = false;
  for (RpcRequest& request : requestsOf(text, output)) {
    if (over)
      request.reply.error({InvalidRequest, "it comes after 'shutdown'"});
    else
      over = take(std::move(request), line);
  }
  return !over;
}

/// Standard input, which breaks (bad()) when the server is asked to stop, or the reader of standard output
/// has gone: who has gone sends no requests, and may have left the other pipe open.
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
      if (ends[1].revents != 0 || ends[2].revents != 0)
        throw std::runtime_error("the reader of the answers has gone");
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

int runServe(Process& process, Protocol protocol) {
  process.output.readerMayLeave();
  const std::stop_token stop = process.interrupt.token();
  StandardInput buffer(stop);
  std::istream in(&buffer);
  const int exit_code = serve(in, std::cout, stop, protocol);
  return process.interrupt.came() ? static_cast<int>(ExitCancelled) : exit_code;
}

}  // namespace

int serve(std::istream& in, std::ostream& out, const std::stop_token& stop, Protocol protocol) {
  Output output(out, protocol == Protocol::JsonRpc);
  RequestQueue line(output, protocol);
  const std::stop_callback on_stop(stop, [&line] { line.cancelAll(); });
  std::string text;
  for (ReadLine read = readLine(in, text); read != ReadLine::End; read = readLine(in, text)) {
    if (read == ReadLine::TooLong) {
      refuseLine(output, ParseError, "the line is longer than 64 MiB");
    } else if (text.find_first_not_of(" \t\r") != std::string::npos && !hear(text, line, output)) {
      return ExitDone;
    }
  }
  if (in.bad()) line.cancelAll();
  line.finish();  // a script that has piped its requests in wants the answers
  return ExitDone;
}

Command serveCommand() {
  struct Chosen {
    bool stdio = false, mcp = false;
  };
  const auto chosen = std::make_shared<Chosen>();
  Command command{
      .name = "serve",
      .summary = "answer JSON-RPC 2.0 requests, for notebooks and scripts, or be a tool of agents",
      .examples = {{"serve --stdio", "wait for requests, one a line"},
                   {"serve --stdio < requests.jsonl", "answer those of a file"},
                   {"serve --mcp", "the same methods as tools of the Model Context Protocol"}},
      .run = [chosen](Process& process) {
        if (!chosen->stdio && !chosen->mcp)
          throw WrongUse{"missing-option", "'serve' needs '--stdio' or '--mcp'"};
        return runServe(process, chosen->mcp ? Protocol::Mcp : Protocol::JsonRpc);
      }};
  command.add("--stdio", chosen->stdio, "one message of JSON-RPC a line on stdin and stdout");
  command.add("--mcp", chosen->mcp, "the same as a server of the Model Context Protocol");
  return command;
}

}  // namespace sluice::cli
