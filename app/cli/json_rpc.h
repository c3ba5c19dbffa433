#pragma once
// JSON-RPC 2.0, a message a line: what a line asks for, the parameters of a method, and where answers go.

#include <atomic>
#include <iosfwd>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/json.h"
#include "engine/core/diagnostic.h"

namespace sluice::cli {

using Given = nlohmann::json;  ///< what came: here an object of many keys is read in no time

enum RpcCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  Refused = -32000,   ///< by the engine; data: the diagnostics
  Cancelled = -32800  ///< by `cancel`
};

struct RpcError {
  int code;
  std::string message;
  Json data = nullptr;
};

RpcError wrongParams(std::string message);
RpcError refusedBy(const Diagnostics& diagnostics);
/// What was found, for a message: "a list", "-1", "'nsga'"; long texts are cut.
std::string found(const Given& value);

/// Where messages go, one at a time.
class Output {
 public:
  /// `notifies`: whether who reads knows notifications.
  explicit Output(std::ostream& out, bool notifies = true) : out_(out), notifies_(notifies) {}

  void send(const Json& message);
  void notify(const char* method, Json params) {
    if (notifies_) send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  /// The reader has gone.
  bool deserted() const { return deserted_; }

 private:
  std::ostream& out_;
  const bool notifies_;
  std::mutex mutex_;
  std::atomic<bool> deserted_ = false;
};

/// The answers to the requests of one line, sent when the last is there: as one list if the line is a batch.
class Answers {
 public:
  Answers(Output& output, std::size_t requests, bool batch)
      : output_(output), batch_(batch), left_(requests), answers_(requests) {}

  bool batch() const { return batch_; }
  /// Once for every request; null: a notification, which is not answered.
  void put(std::size_t place, Json answer);

 private:
  Output& output_;
  const bool batch_;
  std::mutex mutex_;
  std::size_t left_;
  std::vector<Json> answers_;
};

/// Where the answer to one request goes: exactly one of the two functions is called, once.
struct Reply {
  std::shared_ptr<Answers> answers;
  std::size_t place = 0;
  Json id;
  bool wanted = true;  ///< false: a notification

  void result(Json value) const;
  void error(const RpcError& error) const;
};

/// One request of a line.
struct RpcRequest {
  Reply reply;
  std::string wrong;  ///< why it is none; what follows is empty then
  std::string method;
  Given params;  ///< an object or a list
};

/// Answers a line that holds no request.
void refuseLine(Output& output, int code, const std::string& message);
/// The requests of a line. A line that is no JSON, too much of it or an empty batch is answered at once:
/// none.
std::vector<RpcRequest> requestsOf(const std::string& line, Output& output);

/// The parameters of a method, by name. All of this throws RpcError where something else was given.
class Parameters {
 public:
  /// `values` outlives this.
  Parameters(const Given& values, const std::vector<std::string>& known);

  std::string text(const char* name, const std::string& otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  std::uint64_t count(const char* name, std::uint64_t otherwise) const;
  std::vector<std::string> texts(const char* name, const std::vector<std::string>& otherwise) const;
  /// Values by name; none if there is no such parameter.
  std::map<std::string, Given> object(const char* name) const;
  /// Of another request: it must be there.
  Json requestId(const char* name) const;

 private:
  /// Nothing: it is not given. `right` judges it, `expected` is what it should be.
  const Given* find(const char* name, bool (*right)(const Given&), const char* expected) const;

  const Given& values_;
};

}  // namespace sluice::cli
