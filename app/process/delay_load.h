#pragma once
// Parts of a program that are loaded when one of their functions is first called, as most runs need none of
// them and a library costs every start. resources/cmake/DelayLoad.cmake says how a part is made one.

#include <stdexcept>

namespace sluice {

/// Thrown out of the function that was called, when its module is not there or is of another build.
class MissingModule : public std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace sluice
