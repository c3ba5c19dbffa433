// Loads a part of the program for the code that delay_load_jumps.cmake writes.

#include "app/process/delay_load.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <string>

namespace sluice {
namespace {

std::string& whatIsMissing() {
  static std::string what;
  return what;
}

/// Stands in for a function whose module cannot be loaded: it is called in its place, so that its caller gets
/// the exception.
[[noreturn]] void failInstead() {
  throw MissingModule(whatIsMissing());
}

void* instead() {
  const char* const error = dlerror();
  whatIsMissing() = error ? error : "it cannot be loaded";
  return reinterpret_cast<void*>(&failInstead);
}

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

/// Loads `module` and puts the address of every function into its slot, so that this is asked once: by the
/// function `asked`, whose address it gives.
extern "C" void* sluice_delay_load_address(const char* module, const char* const* names, void** slots,
                                           unsigned count, unsigned asked) {
  const std::scoped_lock guard(lock());
  void* const library = dlopen(module, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return instead();
  void* wanted = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    void* const address = dlsym(library, names[i]);
    if (!address) return instead();
    std::atomic_ref(slots[i]).store(address, std::memory_order_release);
    if (i == asked) wanted = address;
  }
  return wanted;
}

}  // namespace
}  // namespace sluice
