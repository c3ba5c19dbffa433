#pragma once
// The fields of the parameters and results of `serve`'s methods, and the JSON Schemas made of them.

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/json.h"

namespace sluice::cli {

enum class FieldKind : std::uint8_t {
  Text,
  Flag,
  Count,    ///< a whole number from 0 on
  Number,   ///< null where it is not known
  Texts,    ///< a list of texts
  Numbers,  ///< a list of numbers
  Object,   ///< null where there is none
  Objects,  ///< a list of objects
  Files,    ///< name -> file
  Knobs,    ///< name -> whole number, or text of a choice
  Id,       ///< of a request
  Any
};

struct RpcField {
  std::string name;
  FieldKind kind;
  std::string help = {};
  bool needed = false;  ///< of a parameter: it must be given; of a result: it is always there
};

struct RpcMethod {
  std::string name, summary;
  std::vector<RpcField> parameters, results;
};

/// Of an object with these fields and no others.
Json schemaOf(const std::vector<RpcField>& fields);
/// All methods of `serve`, those that are heard at once, too.
std::vector<RpcMethod> rpcMethods();

}  // namespace sluice::cli
