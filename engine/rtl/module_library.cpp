#include "engine/rtl/module_library.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "engine/core/embedded_files.h"

namespace sluice::inline rtl {
namespace {

constexpr std::string_view mark = "//@ ";

void readLine(const std::string& line, RtlModule& module) {
  std::istringstream words(line.substr(mark.size()));
  std::string what, word;
  words >> what;
  if (what == "operator") {
    words >> word;
    module.kinds.push_back(word);
  } else if (what == "parameter") {
    ModuleParameter parameter;
    words >> parameter.name >> parameter.source;
    while (words >> word) parameter.choices.push_back(word);
    module.parameters.push_back(std::move(parameter));
  } else if (what == "numbers") {
    ModuleParameter numbers;
    words >> numbers.name >> numbers.source;
    module.numbers.push_back(std::move(numbers));
  } else if (what == "without") {
    WithoutModule& without = module.without.emplace_back();
    words >> without.kind >> std::ws;
    std::getline(words, without.why, '|');
    std::getline(words >> std::ws, without.instead);
    without.why.erase(without.why.find_last_not_of(' ') + 1);
  } else if (what == "memory") {
    module.memory = true;
  } else if (what == "tokens") {
    module.tokens = true;
  } else if (what == "groups") {
    module.groups = true;
  } else if (what == "tensor") {
    module.tensor = true;
  } else if (what == "timing_only") {
    std::getline(words >> std::ws, module.timing_only);
    if (module.timing_only.empty())
      throw std::logic_error(std::string(module.file) + ".sv: a line timing_only says why");
  } else if (what == "simulation") {
    module.simulation = true;
  } else if (what == "black_box") {
    module.black_box = true;
  } else {
    throw std::logic_error(std::string(module.file) + ".sv: no line '" + line + "' is known");
  }
}

}  // namespace

std::vector<RtlModule> rtlModules() {
  std::vector<RtlModule> modules;
  for (const EmbeddedFile& file : rtlFiles()) {
    RtlModule module;
    module.file = file.name, module.text = file.text;
    std::istringstream lines{std::string(file.text)};
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(mark)) readLine(line, module);
    modules.push_back(std::move(module));
  }
  std::ranges::sort(modules, {}, &RtlModule::file);
  return modules;
}

const RtlModule* moduleOf(const std::vector<RtlModule>& modules, std::string_view kind) {
  for (const RtlModule& module : modules)
    if (std::ranges::find(module.kinds, kind) != module.kinds.end()) return &module;
  return nullptr;
}

const WithoutModule* withoutModule(const std::vector<RtlModule>& modules, std::string_view kind) {
  for (const RtlModule& module : modules)
    if (const auto found = std::ranges::find(module.without, kind, &WithoutModule::kind);
        found != module.without.end())
      return &*found;
  return nullptr;
}

}  // namespace sluice::inline rtl
