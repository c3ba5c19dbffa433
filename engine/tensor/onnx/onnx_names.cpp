#include "engine/tensor/onnx/onnx_names.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace sluice::inline tensor {

namespace {

class Names {
 public:
  std::string own(const std::string& wanted) {
    const std::string base = printable(wanted);
    std::string name = base;
    while (!taken_.insert(name).second) name = base + " " + std::to_string(2 + repeated_[base]++);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> repeated_;  ///< so that thousands of one name are not tried in turn
};

}  // namespace

std::string printable(const std::string& name) {
  using nlohmann::json;
  const std::string quoted = json(name).dump(-1, ' ', false, json::error_handler_t::replace);
  std::string text = json::parse(quoted).get<std::string>();
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  return text;
}

void nameApart(TensorProgram& program) {
  program.name = printable(program.name);
  Names tensors, operators;
  for (TensorValue& tensor : program.tensors) tensor.name = tensors.own(tensor.name);
  for (TensorOperator& op : program.operators) op.name = operators.own(op.name);
}

}  // namespace sluice::inline tensor
