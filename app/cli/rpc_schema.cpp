#include "app/cli/rpc_schema.h"

#include "app/cli/rpc_service.h"

namespace sluice::cli {
namespace {

Json listOf(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

Json mapOf(Json values) {
  return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}

Json schemaOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::Text:
      return {{"type", "string"}};
    case FieldKind::Flag:
      return {{"type", "boolean"}};
    case FieldKind::Count:
      return {{"type", "integer"}, {"minimum", 0}};
    case FieldKind::Number:
      return {{"type", Json::array({"number", "null"})}};
    case FieldKind::Texts:
      return listOf({{"type", "string"}});
    case FieldKind::Numbers:
      return listOf({{"type", "number"}});
    case FieldKind::Object:
      return {{"type", Json::array({"object", "null"})}};
    case FieldKind::Objects:
      return listOf({{"type", "object"}});
    case FieldKind::Files:
      return mapOf({{"type", "string"}});
    case FieldKind::Knobs:
      return mapOf({{"type", Json::array({"integer", "string"})}});
    case FieldKind::Id:
      return {{"type", Json::array({"integer", "string"})}};
    case FieldKind::Any:
      return Json::object();
  }
  return Json::object();
}

}  // namespace

Json schemaOf(const std::vector<RpcField>& fields) {
  Json properties = Json::object(), required = Json::array();
  for (const RpcField& field : fields) {
    Json& schema = properties[field.name] = schemaOf(field.kind);
    if (!field.help.empty()) schema["description"] = field.help;
    if (field.needed) required.push_back(field.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

std::vector<RpcMethod> rpcMethods() {
  std::vector<RpcMethod> all;
  for (const RpcService::Method& method : RpcService::methods()) all.push_back(method.told);
  all.push_back({.name = "cancel",
                 .summary = "Stops a request that runs or waits; it is answered by error -32800.",
                 .parameters = {{"id", FieldKind::Id, "that of the request", true}},
                 .results = {{"cancelled", FieldKind::Flag, "whether there was such a request", true}}});
  all.push_back({.name = "shutdown",
                 .summary = "Stops what runs or waits, and ends the server.",
                 .parameters = {},
                 .results = {}});
  return all;
}

}  // namespace sluice::cli
