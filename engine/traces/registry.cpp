#include "engine/traces/registry.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace sluice::inline traces {

// clang-format off
#define SLUICE_TRACE_SOURCES(X) \
  X(zipf) \
  X(dirichlet) \
  X(layers) \
  X(lognormal) \
  X(folder) \
  X(list) \
  X(numpy) \
  X(moe_trace) \
  X(requests)
// clang-format on

namespace sources {
#define X(name)                    \
  namespace name {                 \
  const TraceSource& definition(); \
  }
SLUICE_TRACE_SOURCES(X)
#undef X
}  // namespace sources

std::span<const TraceSource* const> traceSources() {
#define X(name) &sources::name::definition(),
  static const std::array all = {SLUICE_TRACE_SOURCES(X)};
#undef X
  return all;
}

const TraceSource* findTraceGenerator(std::string_view name) {
  const auto all = traceSources();
  const auto at = std::ranges::find_if(all, [&](const auto* s) { return !s->reads && s->name == name; });
  return at == all.end() ? nullptr : *at;
}

const TraceSource* findTraceReader(const FileLook& look) {
  const auto all = traceSources();
  const auto at = std::ranges::find_if(all, [&](const auto* s) { return s->reads && s->reads(look); });
  return at == all.end() ? nullptr : *at;
}

FileLook lookAt(const std::filesystem::path& file) {
  std::error_code ignored;
  FileLook look{file, std::filesystem::is_directory(file, ignored)};
  if (look.folder) return look;
  std::ifstream in(file, std::ios::binary);
  std::array<char, 4096> head{};
  in.read(head.data(), head.size());
  look.first_line.assign(head.data(), static_cast<std::size_t>(in.gcount()));
  look.first_line.resize(std::min(look.first_line.size(), look.first_line.find_first_of("\r\n")));
  return look;
}

}  // namespace sluice::inline traces
