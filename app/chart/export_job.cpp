#include "app/chart/export_job.h"

#include <nlohmann/json.hpp>

namespace sluice {
namespace {

using nlohmann::json;

}  // namespace

bool isExportJob(std::string_view text) {
  const json parsed = json::parse(text, nullptr, false);
  return parsed.is_object() && parsed.contains("export");
}

Result<ExportJob> readExportJob(std::string_view text) {
  ExportJob job;
  try {
    const json parsed = json::parse(text).at("export");
    for (const auto& [key, value] : std::map<const char*, std::string*>{{"file", &job.file},
                                                                        {"chart", &job.chart},
                                                                        {"figure", &job.figure},
                                                                        {"designs", &job.designs},
                                                                        {"format", &job.format},
                                                                        {"out", &job.out},
                                                                        {"x", &job.x},
                                                                        {"y", &job.y},
                                                                        {"stream", &job.stream},
                                                                        {"by", &job.by},
                                                                        {"metric", &job.metric},
                                                                        {"technology", &job.technology}})
      parsed.at(key).get_to(*value);
    parsed.at("clock_mhz").get_to(job.clock_mhz);
    parsed.at("width").get_to(job.width);
    parsed.at("text").get_to(job.text);
    parsed.at("log_x").get_to(job.log_x);
    parsed.at("log_y").get_to(job.log_y);
    parsed.at("scheduled").get_to(job.scheduled);
    for (const auto& [name, value] : parsed.at("knobs").items()) job.knobs[name] = value.get<std::int64_t>();
    for (const auto& [name, file] : parsed.at("inputs").items()) job.inputs[name] = file.get<std::string>();
  } catch (const json::exception& problem) {
    return error("json-type", "standard input", std::string("it is no view to export: ") + problem.what(),
                 "sluice-chart reads what 'sluice-cli export' writes");
  }
  return job;
}

}  // namespace sluice
