#include "engine/tensor/onnx/onnx_inlining.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using nlohmann::json;
using Names = std::map<std::string, std::string>;  ///< within a function -> around its call

constexpr int deepest = 16;
constexpr std::size_t most_nodes = std::size_t{1} << 18;

std::string domainOf(const json& of) {
  const std::string domain = of.value("domain", "");
  return domain == "ai.onnx" ? "" : domain;
}

/// Of ONNX's own operators; nothing: it says none.
std::optional<std::int64_t> opsetOf(const json& of) {
  for (const json& opset : of.at("opset_import"))
    if (domainOf(opset).empty()) return opset.value("version", std::int64_t{0});
  return {};
}

void rename(json& names, const Names& known) {
  for (json& name : names)
    if (const auto found = known.find(name.get<std::string>()); found != known.end()) name = found->second;
}

/// What a subgraph reads from around it has other names; its own values hide those.
void renameIn(json& graph, Names known) {
  for (const char* list : {"input", "initializer"})
    for (const json& value : graph.at(list)) known.erase(value.value("name", ""));
  for (const json& node : graph.at("node"))
    for (const json& output : node.at("output")) known.erase(output.get<std::string>());
  for (json& node : graph.at("node")) {
    rename(node.at("input"), known);
    for (json& attribute : node.at("attribute"))
      if (attribute.contains("g")) renameIn(attribute.at("g"), known);
  }
  for (json& output : graph.at("output"))
    if (const auto found = known.find(output.value("name", "")); found != known.end())
      output["name"] = found->second;
}

class Inliner {
 public:
  explicit Inliner(const json& model) : opset_(opsetOf(model)) {
    for (const json& function : model.at("functions"))
      functions_[{domainOf(function), function.value("name", "")}] = &function;
  }

  bool none() const { return functions_.empty(); }

  Result<Done> expand(json& graph, int depth) {
    json nodes = json::array();
    for (json& node : graph.at("node")) SLUICE_CHECK(add(std::move(node), nodes, depth));
    graph["node"] = std::move(nodes);
    return Done{};
  }

 private:
  /// Null: it calls none.
  const json* called(const json& node) const {
    const std::string domain = domainOf(node), name = node.value("op_type", "");
    const auto found = functions_.find({domain, name});
    if (found == functions_.end()) return nullptr;
    const bool ours = domain.empty() || domain == "com.microsoft";
    if (const OnnxOperator* const known = ours ? onnxOperator(name) : nullptr; known && known->convert)
      return nullptr;
    const std::optional<std::int64_t> opset = opsetOf(*found->second);
    return opset && opset_ && opset != opset_ ? nullptr : found->second;
  }

  Result<Done> add(json node, json& nodes, int depth) {
    const json* const function = called(node);
    if (depth > deepest || ++made_ > most_nodes)
      return error("too-many", Location(Where::Node, node.value("name", ""), node.value("op_type", "")),
                   depth > deepest ? "functions of the model call each other more than 16 deep"
                                   : "functions of the model make more than 2^18 nodes",
                   "export the model without functions");
    if (function != nullptr) return addCalled(node, *function, nodes, depth + 1);
    for (json& attribute : node.at("attribute"))
      if (attribute.contains("g")) SLUICE_CHECK(expand(attribute.at("g"), depth + 1));
    nodes.push_back(std::move(node));
    return Done{};
  }

  Result<Done> addCalled(const json& call, const json& function, json& nodes, int depth) {
    const std::string name = call.value("name", function.value("name", ""));
    const std::string inside = name + "#" + std::to_string(made_) + "/";
    Names names = namesOf(call, function, inside);
    std::map<std::string, const json*> attributes;
    for (const json& attribute : function.at("attribute_proto"))
      attributes[attribute.value("name", "")] = &attribute;
    for (const json& attribute : call.at("attribute")) attributes[attribute.value("name", "")] = &attribute;
    for (const json& written : function.at("node")) {
      json node = written;
      node["name"] = name + "/" + node.value("name", node.value("op_type", ""));
      give(node, attributes);
      rename(node.at("input"), names);
      rename(node.at("output"), names);
      for (json& attribute : node.at("attribute"))
        if (attribute.contains("g")) renameIn(attribute.at("g"), names);
      SLUICE_CHECK(add(std::move(node), nodes, depth));
    }
    return Done{};
  }

  static Names namesOf(const json& call, const json& function, const std::string& inside) {
    Names names;
    for (const json& node : function.at("node"))
      for (const json& output : node.at("output"))
        if (const auto own = output.get<std::string>(); !own.empty()) names[own] = inside + own;
    for (const auto& [list, others] :
         {std::pair{"input", &call.at("input")}, {"output", &call.at("output")}}) {
      const json& own = function.at(list);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const std::string other = i < others->size() ? others->at(i).get<std::string>() : "";
        const bool input = std::string_view(list) == "input";
        if (input || !other.empty()) names[own[i].get<std::string>()] = other;
      }
    }
    return names;
  }

  /// Attributes that name one of the call's, in the subgraphs as well; those that it does not give are left
  /// out.
  static void give(json& node, const std::map<std::string, const json*>& attributes) {
    json given = json::array();
    for (json& attribute : node.at("attribute")) {
      const std::string wanted = attribute.value("ref_attr_name", "");
      if (wanted.empty()) {
        if (attribute.contains("g"))
          for (json& inner : attribute.at("g").at("node")) give(inner, attributes);
        given.push_back(std::move(attribute));
      } else if (const auto found = attributes.find(wanted); found != attributes.end()) {
        given.push_back(*found->second);
        given.back()["name"] = attribute.value("name", "");
      }
    }
    node["attribute"] = std::move(given);
  }

  std::optional<std::int64_t> opset_;
  std::map<std::pair<std::string, std::string>, const json*> functions_;
  std::size_t made_ = 0;
};

}  // namespace

Result<Done> inlineFunctions(json& model) {
  Inliner inliner(model);
  if (inliner.none()) return Done{};
  return inliner.expand(model.at("graph"), 0);
}

}  // namespace sluice::inline tensor
