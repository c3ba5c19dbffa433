#pragma once
// What an exception that reaches the edge of the program - a command, a worker's thread - is reported as:
// memory that is not there, or a mistake of ours.

#include <exception>

#include "engine/core/diagnostic.h"

namespace sluice {

Diagnostic internalError(std::exception_ptr error);

}  // namespace sluice
