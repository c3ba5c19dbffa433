#include "engine/core/internal_error.h"

#include <new>
#include <stdexcept>
#include <utility>

namespace sluice {

Diagnostic internalError(std::exception_ptr thrown) {
  const Diagnostic no_memory = error("out-of-memory", "memory", "there is not enough for this",
                                     "make the program's numbers smaller, or allow more memory (ulimit -v)");
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (const std::length_error&) {  // of a container that no memory would hold
    return no_memory;
  } catch (const std::exception& exception) {
    return error("internal-error", "sluice", std::string("internal error: ") + exception.what(),
                 "this is a mistake in Sluice: please report it");
  } catch (...) {
    return error("internal-error", "sluice", "internal error",
                 "this is a mistake in Sluice: please report it");
  }
}

}  // namespace sluice
