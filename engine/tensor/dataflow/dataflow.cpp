#include "engine/tensor/dataflow/dataflow.h"

#include <array>

namespace sluice::inline tensor {

std::string_view text(TaskKind kind) {
  constexpr std::array<std::string_view, 6> names{"compute", "load", "store", "converter", "fork", "join"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string nameOf(const DataflowDesign& design, PortRef port, bool output) {
  const std::string task =
      port.task < design.tasks.size() ? design.tasks[port.task].name : "task " + std::to_string(port.task);
  return task + (output ? ".out" : ".in") + std::to_string(port.port);
}

}  // namespace sluice::inline tensor
