#include "tests/engine/support/command_line.h"

#include <sys/wait.h>

#include <cstdio>

namespace sluice::testing_support {

Outcome runCommandLine(const std::string& arguments, bool with_errors, const std::string& folder) {
  const std::string command = (folder.empty() ? "" : "cd '" + folder + "' && ") +
                              "'" SLUICE_BINARY_DIR "/bin/sluice-cli' " + arguments +
                              (with_errors ? " 2>&1" : " 2>/dev/null");
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  Outcome outcome;
  char part[4096];
  for (std::size_t read = 0; (read = std::fread(part, 1, sizeof part, pipe)) > 0;)
    outcome.out.append(part, read);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return outcome;
}

}  // namespace sluice::testing_support
