#include "app/cli/chart_helper.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/diagnostics.h"

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
                      {"published", curve.published},
                      {"low", curve.low},
                      {"high", curve.high}});
  }
  return {{"name", chart.name},       {"title", chart.title},
          {"x_label", chart.x_label}, {"y_label", chart.y_label},
          {"log_x", chart.log_x},     {"log_y", chart.log_y},
          {"bars", chart.bars},       {"categories", chart.categories},
          {"curves", curves},         {"identity_line", chart.identity_line}};
}

Diagnostic broken(const std::string& what, int number) {
  return error("helper-failed", "sluice-chart",
               what + (number != 0 ? ": " + std::string(std::strerror(number)) : ""),
               "the CSV files are complete; build the window again (./dev build) to get the charts");
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

std::string readAll(int file) {
  std::string bytes;
  std::array<char, 4096> part;
  for (ssize_t size = 0; (size = ::read(file, part.data(), part.size())) != 0;) {
    if (size > 0) bytes.append(part.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno != EINTR) break;
  }
  return bytes;
}

/// Its standard input and output are pipes to us. Signals of the terminal come to us alone: it is in a
/// process group of its own, and hears the signals that we have blocked.
struct Helper {
  pid_t process = 0;
  int input = -1, output = -1;
};

Result<Helper> start(const std::filesystem::path& helper) {
  int input[2], output[2];
  if (::pipe2(input, O_CLOEXEC) != 0) return broken("no pipe could be made", errno);
  if (::pipe2(output, O_CLOEXEC) != 0) {
    const int error = errno;
    for (const int end : input) ::close(end);
    return broken("no pipe could be made", error);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, pipes;
  sigemptyset(&none);
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  sigaddset(&pipes, SIGXFSZ);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string name = helper.string();
  std::string json_wanted = "--json";
  char* arguments[] = {name.data(), json_wanted.data(), nullptr};
  Helper started{0, input[1], output[0]};
  const int error = ::posix_spawn(&started.process, name.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(input[0]);
  ::close(output[1]);
  if (error == 0) return started;
  ::close(input[1]);
  ::close(output[0]);
  return broken("it could not be started", error);
}

/// What it says on standard output where it fails, or warns.
Diagnostics diagnosticsIn(const std::string& said) {
  const Json object = Json::parse(said, nullptr, false);
  Diagnostics diagnostics;
  if (object.is_object()) diagnostics = diagnosticsFrom(object.value("diagnostics", Json::array()));
  return diagnostics;
}

Result<Done> runHelper(const std::filesystem::path& path, const std::string& job, const std::stop_token& stop,
                       Diagnostics& warnings) {
  SLUICE_TRY(const Helper helper, start(path));
  std::string said;
  bool whole = false;
  {
    const std::stop_callback on_stop(stop, [&helper] { ::kill(helper.process, SIGTERM); });
    whole = writeAll(helper.input, job);
    ::close(helper.input);
    said = readAll(helper.output);
    ::close(helper.output);
    siginfo_t end;  // it keeps its number until waitpid(): no other process is killed
    while (::waitid(P_PID, static_cast<id_t>(helper.process), &end, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
  }
  int status = 0;
  while (::waitpid(helper.process, &status, 0) < 0 && errno == EINTR) {
  }
  const bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0 && whole;
  if (!done && stop.stop_requested()) return broken("it was stopped", 0);
  Diagnostics told = diagnosticsIn(said);
  if (!done) return told.empty() ? Diagnostics{broken("it failed", 0)} : told;
  warnings = std::move(told);
  return Done{};
}

}  // namespace

Result<Done> drawCharts(const std::vector<FigureChart>& charts, const std::string& folder,
                        const std::stop_token& stop) {
  const std::filesystem::path helper = helperPath();
  std::error_code ignored;
  if (!std::filesystem::exists(helper, ignored)) {
    std::cerr << "note: no charts: " << helper.string() << " is not there\n";
    return Done{};
  }
  json all = json::array();
  for (const FigureChart& chart : charts) all.push_back(chartJson(chart));
  Diagnostics none;
  SLUICE_CHECK(runHelper(helper, json{{"folder", folder}, {"charts", all}}.dump(), stop, none));
  for (const FigureChart& chart : charts) std::cerr << folder << "/" << chart.name << ".pdf\n";
  return Done{};
}

Result<Done> runChartHelper(const std::string& job, const std::stop_token& stop, Diagnostics& warnings) {
  const std::filesystem::path helper = helperPath();
  std::error_code ignored;
  if (!std::filesystem::exists(helper, ignored)) {
    return error("helper-failed", Location(Where::File, helper.string()),
                 "charts are drawn by a program that is not there",
                 "build it with ./dev build, or use --out of 'explore' and 'simulate' for CSV");
  }
  return runHelper(helper, job, stop, warnings);
}

}  // namespace sluice::cli
