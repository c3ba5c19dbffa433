#pragma once
// Which fields a message of STeP's protobuf form has that mean something here, operator by operator
// (step_format.md 2): the table by which step_protobuf.cpp reads it. A field that no row names is refused
// where it is set.

#include <span>
#include <string_view>
#include <vector>

namespace sluice::inline interchange {

/// How a field of the imported graph follows from fields of the message.
enum class From {
  Same,           ///< a number, flag or list
  Given,          ///< the same, left out where the message does not set it
  Input,          ///< the producer's id, and which of its outputs
  OptionalInput,  ///< the same, where the message names a producer
  Inputs,         ///< the same as two lists
  Function,       ///< a message that holds one of several functions
  OptionalFunction,
  Init,          ///< tile_row and tile_col, of zeros
  Padding,       ///< the same, if there is a padding function
  Array,         ///< shape and data of the .npy file of that name
  Extents,       ///< the view of the tensor whose shape the .json file of that name holds, in tiles
  Scalar,        ///< the type of what a load reads
  ElementBytes,  ///< its bytes in memory: 2 or 4 of a float
  RequestBytes,  ///< must be the machine's, where it is set
  BufferDepth,   ///< of a schema that has it, else of the run's settings
  Unset,         ///< must not be set, as nothing here does what it asks for
  Either,  ///< means nothing here: where a tensor lies, what it is called, what the simulator ignores, too
};

struct StepField {
  const char* to;
  From how;
  const char* from;
  const char* from_output = nullptr;
};

struct StepMessageKind {
  const char* message;  ///< field of Operation
  const char* kind;     ///< "T" of the graph
  std::vector<StepField> fields;
};

std::span<const StepMessageKind> stepMessageKinds();

}  // namespace sluice::inline interchange
