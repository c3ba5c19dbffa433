#include "app/process/plugin_arguments.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plugins/plugin.h"

namespace sluice {
namespace {

constexpr const char* variable = "SLUICE_PLUGINS";

using Files = std::vector<std::string>;

Files fromEnvironment() {
  Files files;
  const char* const list = std::getenv(variable);
  std::istringstream names(list ? list : "");
  for (std::string name; std::getline(names, name, ':');)
    if (!name.empty()) files.push_back(name);
  return files;
}

/// What is no plug-in's stays, in its order.
Result<Files> takeArguments(int& argc, char** argv) {
  constexpr std::string_view option = "--plugin", with_file = "--plugin=";
  Files files;
  int kept = 1, at = 1;
  for (; at < argc && std::string_view(argv[at]) != "--"; ++at) {
    const std::string_view word = argv[at];
    if (word.starts_with(with_file)) {
      files.emplace_back(word.substr(with_file.size()));
    } else if (word != option) {
      argv[kept++] = argv[at];
    } else if (++at < argc) {
      files.emplace_back(argv[at]);
    } else {
      return error("missing-option", "command line", "'--plugin' has no file behind it",
                   "write --plugin FILE");
    }
  }
  argc = static_cast<int>(std::copy(argv + at, argv + argc, argv + kept) - argv);
  argv[argc] = nullptr;
  return files;
}

}  // namespace

Result<Done> loadPlugins(int& argc, char** argv) {
  SLUICE_TRY(const Files named, takeArguments(argc, argv));
  Files files = fromEnvironment();
  files.insert(files.end(), named.begin(), named.end());
  Files loaded;
  std::string list;
  for (const std::string& name : files) {
    const std::string file = std::filesystem::absolute(name).lexically_normal().string();
    if (std::ranges::find(loaded, file) != loaded.end()) continue;
    SLUICE_CHECK(loadPlugin(name));
    loaded.push_back(file);
    list += (list.empty() ? "" : ":") + file;
  }
  if (!loaded.empty()) setenv(variable, list.c_str(), 1);
  return Done{};
}

}  // namespace sluice
