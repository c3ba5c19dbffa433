// Diagnostics in words and in JSON.

#include "app/cli/diagnostics.h"

#include <nlohmann/json.hpp>

namespace sluice::cli {
namespace {

const char* wordOf(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

Severity severityOf(const std::string& word) {
  return word == "note" ? Severity::Note : word == "warning" ? Severity::Warning : Severity::Error;
}

Where kindOf(std::string_view word) {
  for (std::uint8_t i = 0; !locationWord(Where{i}).empty(); ++i)
    if (locationWord(Where{i}) == word) return Where{i};
  return Where::Text;
}

Location locationFrom(const Json& parts) {
  Location location;
  for (const Json& part : parts)
    location /= Location(kindOf(part.value("kind", "")), part.value("number", std::int64_t{0}),
                         part.value("name", ""), part.value("detail", ""));
  return location;
}

Diagnostic diagnosticFrom(const Json& object) {
  Diagnostic diagnostic;
  diagnostic.severity = severityOf(object.value("severity", ""));
  diagnostic.code = object.value("code", "");
  diagnostic.place = locationFrom(object.at("location"));
  diagnostic.cause = object.at("cause").get<std::string>();
  diagnostic.fix = object.at("fix").get<std::string>();
  for (const Json& each : object.value("related", Json::array()))
    diagnostic.related.push_back(locationFrom(each.at("location")));
  return diagnostic;
}

}  // namespace

std::string shown(const Diagnostic& diagnostic) {
  std::string lines = text(diagnostic);
  if (!diagnostic.code.empty()) lines += " [" + diagnostic.code + "]";
  for (const Location& each : diagnostic.related) lines += "\n  see also " + text(each);
  return lines + "\n";
}

std::string shown(const Diagnostics& diagnostics) {
  std::string lines;
  for (const Diagnostic& each : diagnostics) lines += shown(each);
  return lines;
}

Json locationJson(const Location& location) {
  Json parts = Json::array();
  for (const LocationPart& part : location.parts()) {
    Json& object = parts.emplace_back(Json{{"kind", locationWord(part.kind)}});
    if (!part.name.empty()) object["name"] = part.name;
    if (part.number > 0) object["number"] = part.number;
    if (!part.detail.empty()) object["detail"] = part.detail;
  }
  return parts;
}

Json diagnosticJson(const Diagnostic& diagnostic) {
  Json object = {{"severity", wordOf(diagnostic.severity)},
                 {"code", diagnostic.code},
                 {"place", text(diagnostic.place)},
                 {"location", locationJson(diagnostic.place)},
                 {"cause", diagnostic.cause},
                 {"fix", diagnostic.fix}};
  for (const Location& each : diagnostic.related)
    object["related"].push_back({{"place", text(each)}, {"location", locationJson(each)}});
  return object;
}

Json diagnosticsJson(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& each : diagnostics) list.push_back(diagnosticJson(each));
  return list;
}

Diagnostics diagnosticsFrom(const Json& list) {
  Diagnostics diagnostics;
  for (const Json& each : list) {
    try {
      diagnostics.push_back(diagnosticFrom(each));
    } catch (const Json::exception&) {  // it has not what it should have
    }
  }
  return diagnostics;
}

}  // namespace sluice::cli
