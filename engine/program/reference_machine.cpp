#include "engine/program/reference_machine.h"

namespace sluice::inline program {

Diagnostics beyondReferenceMachine(const BoundMachine& machine, const std::string& who) {
  Diagnostics problems;
  const auto refuse = [&](const char* field, const char* lacks, const char* fix) {
    problems.push_back(error("unsupported-machine", Location(Where::Machine) / Location(Where::Field, field),
                             who + " has " + lacks, fix));
  };
  if (!machine.reference_mode)
    refuse("reference_mode", "the timing of reference mode, which is off",
           "leave reference_mode out, or set it to true");
  if (machine.hbm_model != HbmModel::Node) refuse("hbm_model", "no memory with banks", "leave hbm_model out");
  if (machine.scratchpads > 0)
    refuse("scratchpads", "no on-chip memory that operators share", "leave scratchpads out, or set it to 0");
  return problems;
}

}  // namespace sluice::inline program
