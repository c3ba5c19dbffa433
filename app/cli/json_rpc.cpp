#include "app/cli/json_rpc.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "app/cli/command.h"
#include "engine/core/json_extent.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

constexpr std::size_t most_in_batch = 1000;

bool isText(const Given& value) {
  return value.is_string();
}
bool isId(const Given& value) {
  return value.is_string() || value.is_number();
}

std::string joined(const std::vector<std::string>& names) {
  std::string line;
  for (std::size_t i = 0; i < names.size(); ++i)
    line += (i == 0 ? "'" : i + 1 < names.size() ? ", '" : " and '") + names[i] + "'";
  return line;
}

RpcError otherThan(const std::string& what, const char* expected, const Given& value) {
  return wrongParams(what + " must be " + expected + ", not " + found(value));
}

/// Why a message is no request, or nothing.
std::string whyNoRequest(const Given& message) {
  if (!message.is_object()) return "it is " + found(message) + ", not an object";
  if (message.value("jsonrpc", Given()) != Given("2.0")) return "'jsonrpc' is not \"2.0\"";
  const auto method = message.find("method");
  if (method == message.end()) return "it has no 'method'";
  if (!method->is_string()) return "'method' is " + found(*method) + ", not a text";
  const auto id = message.find("id");
  if (id != message.end() && !id->is_null() && !isId(*id))
    return "'id' is " + found(*id) + ", not a number or a text";
  const auto params = message.find("params");
  if (params != message.end() && !params->is_structured())
    return "'params' is " + found(*params) + ", not an object";
  return "";
}

/// `reply` knows its place; the rest of it is read here.
RpcRequest requestOf(Given message, Reply reply) {
  const std::string wrong = whyNoRequest(message);
  const auto id = message.is_object() ? message.find("id") : message.end();
  const bool has_id = message.is_object() && id != message.end();
  if (has_id && isId(*id)) reply.id = *id;
  reply.wanted = has_id || !wrong.empty();
  if (!wrong.empty()) return {std::move(reply), wrong, "", {}};
  const auto params = message.find("params");
  return {std::move(reply), "", message["method"].get<std::string>(),
          params == message.end() ? Given::object() : std::move(*params)};
}

}  // namespace

RpcError wrongParams(std::string message) {
  return {InvalidParams, std::move(message)};
}

RpcError refusedBy(const Diagnostics& diagnostics) {
  const Diagnostic& first = diagnostics.front();
  return {Refused, text(first.place) + ": " + first.cause, diagnosticsJson(diagnostics)};
}

std::string found(const Given& value) {
  constexpr std::size_t longest = 60;
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (!value.is_string()) return value.dump();  // a number, true, false, null
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() <= longest) return "'" + text + "'";
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // inside a character
  return "'" + text.substr(0, end) + "...'";
}

void Output::send(const Json& message) {
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  if (!(out_ << line << std::flush)) deserted_ = true;
}

void Answers::put(std::size_t place, Json answer) {
  const std::lock_guard lock(mutex_);
  answers_[place] = std::move(answer);
  if (--left_ > 0) return;
  std::erase_if(answers_, [](const Json& each) { return each.is_null(); });
  if (answers_.empty()) return;
  if (!batch_) return output_.send(answers_.front());
  output_.send(Json(std::move(answers_)));
}

void Reply::result(Json value) const {
  answers->put(place,
               wanted ? Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(value)}} : Json(nullptr));
}

void Reply::error(const RpcError& error) const {
  if (!wanted) return answers->put(place, nullptr);
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  answers->put(place, {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}});
}

void refuseLine(Output& output, int code, const std::string& message) {
  Reply{std::make_shared<Answers>(output, 1, false), 0, nullptr, true}.error({code, message});
}

std::vector<RpcRequest> requestsOf(const std::string& line, Output& output) {
  const auto refuse = [&](int code, const std::string& message) {
    refuseLine(output, code, message);
    return std::vector<RpcRequest>();
  };
  if (const auto too_much = tooMuchJson(line)) return refuse(InvalidRequest, "not a request: " + *too_much);
  Given message = Given::parse(line, nullptr, false);
  if (message.is_discarded()) return refuse(ParseError, "the line is not JSON");
  const bool batch = message.is_array();
  if (batch && message.empty()) return refuse(InvalidRequest, "a batch of no requests");
  if (batch && message.size() > most_in_batch)
    return refuse(InvalidRequest, "a batch of " + std::to_string(message.size()) + " requests; at most " +
                                      std::to_string(most_in_batch) + " are taken");
  const auto answers = std::make_shared<Answers>(output, batch ? message.size() : 1, batch);
  std::vector<RpcRequest> requests;
  if (!batch)
    requests.push_back(requestOf(std::move(message), {answers, 0, nullptr, true}));
  else
    for (Given& each : message)
      requests.push_back(requestOf(std::move(each), {answers, requests.size(), nullptr, true}));
  return requests;
}

Parameters::Parameters(const Given& values, const std::vector<std::string>& known) : values_(values) {
  if (values.is_array()) throw wrongParams("parameters go by name: give an object, not a list");
  for (const auto& [name, value] : values.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string there = known.empty() ? "there are none" : "there are " + joined(known);
    const std::vector<std::string> likely = closestSpellings(name, known, 1);
    throw wrongParams("there is no parameter " + found(name) + "; " + there +
                      (likely.empty() ? "" : "; did you mean '" + likely.front() + "'?"));
  }
}

const Given* Parameters::find(const char* name, bool (*right)(const Given&), const char* expected) const {
  const auto at = values_.find(name);
  if (at == values_.end()) return nullptr;
  if (!right(*at)) throw otherThan("'" + std::string(name) + "'", expected, *at);
  return &*at;
}

std::string Parameters::text(const char* name, const std::string& otherwise) const {
  const Given* value = find(name, isText, "a text");
  return value ? value->get<std::string>() : otherwise;
}

bool Parameters::flag(const char* name, bool otherwise) const {
  const Given* value = find(
      name, [](const Given& v) { return v.is_boolean(); }, "true or false");
  return value ? value->get<bool>() : otherwise;
}

std::uint64_t Parameters::count(const char* name, std::uint64_t otherwise) const {
  const auto right = [](const Given& v) { return v.is_number_unsigned(); };
  const Given* value = find(name, right, "a whole number from 0 to 2^64 - 1, without a point");
  return value ? value->get<std::uint64_t>() : otherwise;
}

std::vector<std::string> Parameters::texts(const char* name,
                                           const std::vector<std::string>& otherwise) const {
  const Given* list = find(
      name, [](const Given& v) { return v.is_array(); }, "a list of texts");
  if (!list) return otherwise;
  std::vector<std::string> texts;
  for (const Given& value : *list) {
    if (!isText(value)) throw otherThan("each of '" + std::string(name) + "'", "a text", value);
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::map<std::string, Given> Parameters::object(const char* name) const {
  const Given* value = find(
      name, [](const Given& v) { return v.is_object(); }, "an object");
  return value ? value->get<std::map<std::string, Given>>() : std::map<std::string, Given>();
}

Json Parameters::requestId(const char* name) const {
  const Given* value = find(name, isId, "the number or text that is the id of a request");
  if (!value) throw wrongParams("give '" + std::string(name) + "', the id of the request");
  return *value;
}

}  // namespace sluice::cli
