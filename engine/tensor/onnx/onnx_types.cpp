#include "engine/tensor/onnx/onnx_types.h"

#include <array>

namespace sluice::inline tensor {

OnnxType onnxType(std::int64_t type) {
  using enum Scalar::Format;
  static const std::array<OnnxType, 27> types{{{"undefined", {}},
                                               {"float", Scalar{Float, 32}},
                                               {"uint8", Scalar{Unsigned, 8}},
                                               {"int8", Scalar{Signless, 8}},
                                               {"uint16", Scalar{Unsigned, 16}},
                                               {"int16", Scalar{Signless, 16}},
                                               {"int32", Scalar{Signless, 32}},
                                               {"int64", Scalar{Signless, 64}},
                                               {"string", {}},
                                               {"bool", Scalar{Signless, 8}},  // stored as a byte
                                               {"float16", Scalar{Float, 16}},
                                               {"double", Scalar{Float, 64}},
                                               {"uint32", Scalar{Unsigned, 32}},
                                               {"uint64", Scalar{Unsigned, 64}},
                                               {"complex64", {}},
                                               {"complex128", {}},
                                               {"bfloat16", Scalar{BrainFloat, 16}},
                                               {"float8e4m3fn", Scalar{Float8E4M3, 8}},
                                               {"float8e4m3fnuz", Scalar{Float8E4M3, 8}, false},
                                               {"float8e5m2", Scalar{Float8E5M2, 8}},
                                               {"float8e5m2fnuz", Scalar{Float8E5M2, 8}, false},
                                               {"uint4", Scalar{Unsigned, 4}},
                                               {"int4", Scalar{Signless, 4}},
                                               {"float4e2m1", Scalar{Signless, 4}, false},
                                               {"float8e8m0", Scalar{Signless, 8}, false},
                                               {"uint2", Scalar{Unsigned, 2}},
                                               {"int2", Scalar{Signless, 2}}}};
  if (type >= 0 && type < static_cast<std::int64_t>(types.size()))
    return types[static_cast<std::size_t>(type)];
  return {"number " + std::to_string(type), {}};
}

}  // namespace sluice::inline tensor
