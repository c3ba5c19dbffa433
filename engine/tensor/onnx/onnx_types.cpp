#include "engine/tensor/onnx/onnx_types.h"

#include <array>

namespace sluice {

OnnxType onnxType(std::int64_t type) {
  using enum ScalarFormat;
  static const std::array<OnnxType, 27> types{{{"undefined", {}},
                                               {"float", ScalarType{Float, 32}},
                                               {"uint8", ScalarType{Unsigned, 8}},
                                               {"int8", ScalarType{Signless, 8}},
                                               {"uint16", ScalarType{Unsigned, 16}},
                                               {"int16", ScalarType{Signless, 16}},
                                               {"int32", ScalarType{Signless, 32}},
                                               {"int64", ScalarType{Signless, 64}},
                                               {"string", {}},
                                               {"bool", ScalarType{Signless, 8}},  // stored as a byte
                                               {"float16", ScalarType{Float, 16}},
                                               {"double", ScalarType{Float, 64}},
                                               {"uint32", ScalarType{Unsigned, 32}},
                                               {"uint64", ScalarType{Unsigned, 64}},
                                               {"complex64", {}},
                                               {"complex128", {}},
                                               {"bfloat16", ScalarType{BrainFloat, 16}},
                                               {"float8e4m3fn", ScalarType{Float8E4M3, 8}},
                                               {"float8e4m3fnuz", ScalarType{Float8E4M3, 8}, false},
                                               {"float8e5m2", ScalarType{Float8E5M2, 8}},
                                               {"float8e5m2fnuz", ScalarType{Float8E5M2, 8}, false},
                                               {"uint4", ScalarType{Unsigned, 4}},
                                               {"int4", ScalarType{Signless, 4}},
                                               {"float4e2m1", ScalarType{Signless, 4}, false},
                                               {"float8e8m0", ScalarType{Signless, 8}, false},
                                               {"uint2", ScalarType{Unsigned, 2}},
                                               {"int2", ScalarType{Signless, 2}}}};
  if (type >= 0 && type < static_cast<std::int64_t>(types.size()))
    return types[static_cast<std::size_t>(type)];
  return {"number " + std::to_string(type), {}};
}

}  // namespace sluice
