#pragma once
// sluice-cli as a shell runs it: the real program, its exit code and what it prints.

#include <nlohmann/json.hpp>
#include <string>

namespace sluice::testing_support {

struct Outcome {
  int status = 0;   ///< exit code; 1000 + signal if one killed it
  std::string out;  ///< stdout; stderr too where asked for

  /// What was printed as JSON, discarded where it is none.
  nlohmann::json object() const { return nlohmann::json::parse(out, nullptr, false); }
};

/// A file of sample_workloads/ as for the shell, quoted: "swiglu", "deadlocks/self_loop".
inline std::string sample(const std::string& name) {
  return "'" SLUICE_SOURCE_DIR "/sample_workloads/" + name + ".sluice'";
}

/// `arguments`: words as for the shell, quoted where needed. In the tests' own folder where no other is
/// named.
Outcome runCommandLine(const std::string& arguments, bool with_errors = false,
                       const std::string& folder = ".");

}  // namespace sluice::testing_support
