#include "engine/traces/trace_text.h"

#include <algorithm>

namespace sluice::inline traces {
namespace {

bool isOption(const std::string& part) {
  const std::size_t equals = part.find('=');
  return equals != std::string::npos && equals > 0 &&
         std::all_of(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace

TraceText parseTraceText(const std::string& source) {
  TraceText parsed{source.substr(isTraceSet(source) ? trace_set_prefix.size() : 0), {}};
  for (;;) {
    const std::size_t comma = parsed.head.rfind(',');
    if (comma == std::string::npos) break;
    const std::string part = parsed.head.substr(comma + 1);
    if (!isOption(part)) break;
    const std::size_t equals = part.find('=');
    parsed.options.insert(parsed.options.begin(), {part.substr(0, equals), part.substr(equals + 1)});
    parsed.head.resize(comma);
  }
  return parsed;
}

std::string text(const TraceText& source) {
  std::string written = std::string(trace_set_prefix) + source.head;
  for (const auto& [name, value] : source.options) written += "," + name + "=" + value;
  return written;
}

}  // namespace sluice::inline traces
