// Diagnostics in words and in JSON.

#include "app/cli/diagnostics.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/core/printable.h"
#include "engine/program/fix_edit.h"

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

constexpr std::array<std::string_view, 6> edit_words = {"set-kind",       "add-parameter", "rename-parameter",
                                                        "replace-symbol", "set-end",       "raise-depth"};

FixEdit fixFrom(const Json& object) {
  FixEdit fix;
  const auto word = std::ranges::find(edit_words, object.at("edit").get<std::string>());
  fix.kind = FixEdit::Kind(word == edit_words.end() ? 0 : word - edit_words.begin());
  fix.at = object.value("at", "");
  fix.field = object.value("field", "");
  fix.from = object.value("from", "");
  fix.to = object.value("to", "");
  fix.certain = object.value("certain", false);
  return fix;
}

Json fixJson(const FixEdit& fix) {
  Json object = {{"edit", edit_words.at(static_cast<std::size_t>(fix.kind))},
                 {"at", fix.at},
                 {"text", text(fix)},
                 {"certain", fix.certain}};
  if (!fix.field.empty()) object["field"] = fix.field;
  if (!fix.from.empty()) object["from"] = fix.from;
  if (!fix.to.empty()) object["to"] = fix.to;
  return object;
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
  for (const Json& each : object.value("fixes", Json::array())) diagnostic.fixes.push_back(fixFrom(each));
  return diagnostic;
}

}  // namespace

std::string shown(const Diagnostic& diagnostic) {
  std::string lines = text(diagnostic);
  if (!diagnostic.code.empty()) lines += " [" + diagnostic.code + "]";
  for (const Location& each : diagnostic.related) lines += "\n  see also " + printableName(text(each));
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
  for (const FixEdit& each : diagnostic.fixes) object["fixes"].push_back(fixJson(each));
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
