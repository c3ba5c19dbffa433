// A user's own .proto file, and a message read by it: the text up to the first NUL, and what follows.

#include <nlohmann/json.hpp>

#include "engine/interchange/protobuf_message.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view all = fuzz::textOf(data, size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  const auto schema = ProtobufSchema::parse({{"graph.proto", std::string(all.substr(0, end))}});
  if (!schema) return fuzz::insistOnReasons(schema.diagnostics()), 0;
  const std::string_view message = end < all.size() ? all.substr(end + 1) : std::string_view();
  const auto read = schema->read("M", message, "fuzz");
  if (!read) fuzz::insistOnReasons(read.diagnostics());
  return 0;
}
