#include "app/cli/chart_helper.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

extern char** environ;

namespace sluice::cli {
namespace {

using nlohmann::json;

json chartJson(const FigureChart& chart) {
  json curves = json::array();
  for (const FigureChart::Curve& curve : chart.curves) {
    curves.push_back({{"name", curve.name},
                      {"x", curve.x},
                      {"y", curve.y},
                      {"labels", curve.labels},
                      {"published", curve.published}});
  }
  return {{"name", chart.name},       {"title", chart.title},
          {"x_label", chart.x_label}, {"y_label", chart.y_label},
          {"log_x", chart.log_x},     {"log_y", chart.log_y},
          {"bars", chart.bars},       {"categories", chart.categories},
          {"curves", curves},         {"identity_line", chart.identity_line}};
}

Diagnostic broken(const std::string& what, int error) {
  return {Severity::Error, "sluice-chart",
          what + (error != 0 ? ": " + std::string(std::strerror(error)) : ""),
          "the CSV files are complete; build the window again (./dev build) to get the charts"};
}

/// Beside us in the build folder, in a folder of its own where Sluice is installed.
std::filesystem::path helperPath() {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const auto installed = here.parent_path() / "libexec/sluice/sluice-chart";
  return std::filesystem::exists(installed, ignored) ? installed : here / "sluice-chart";
}

/// Writes all of it; false where the reader is gone.
bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<int> runHelper(const std::filesystem::path& helper, const std::string& input) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return broken("no pipe could be made", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // our stdout is for JSON
  std::string name = helper.string();
  char* arguments[] = {name.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  if (error != 0) {
    ::close(ends[1]);
    return broken("it could not be started", error);
  }
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);  // a helper that dies is a diagnostic, not our end
  const bool whole = writeAll(ends[1], input);
  ::close(ends[1]);
  ::sigaction(SIGPIPE, &before, nullptr);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || !WIFEXITED(status)) return broken("it failed", 0);
  return WEXITSTATUS(status);
}

}  // namespace

Result<Done> drawCharts(const std::vector<FigureChart>& charts, const std::string& folder) {
  const std::filesystem::path helper = helperPath();
  std::error_code ignored;
  if (!std::filesystem::exists(helper, ignored)) {
    std::cerr << "note: no charts: " << helper.string() << " is not there\n";
    return Done{};
  }
  json all = json::array();
  for (const FigureChart& chart : charts) all.push_back(chartJson(chart));
  const Result<int> done = runHelper(helper, json{{"folder", folder}, {"charts", all}}.dump());
  if (!done) return done.diagnostics();
  if (*done != 0) return broken("it failed", 0);
  for (const FigureChart& chart : charts) std::cerr << folder << "/" << chart.name << ".pdf\n";
  return Done{};
}

Result<int> runChartHelper(const std::string& job) {
  const std::filesystem::path helper = helperPath();
  std::error_code ignored;
  if (!std::filesystem::exists(helper, ignored)) {
    return Diagnostic{Severity::Error, helper.string(), "charts are drawn by a program that is not there",
                      "build it with ./dev build, or use --out of 'explore' and 'simulate' for CSV"};
  }
  return runHelper(helper, job);
}

}  // namespace sluice::cli
