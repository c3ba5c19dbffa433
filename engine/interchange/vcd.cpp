#include "engine/interchange/vcd.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>

namespace sluice::inline interchange {

namespace {

/// The names of the wires, by state; a wire each but for Done.
constexpr std::array<const char*, 5> wires{"blocked", "memory", "unit", "starved", "running"};
constexpr int state_bits = 3;

std::string binary(std::uint64_t value, int bits) {
  std::string text(static_cast<std::size_t>(bits), '0');
  for (int bit = 0; bit < bits; ++bit)
    if (value >> bit & 1) text[static_cast<std::size_t>(bits - 1 - bit)] = '1';
  return text;
}

/// What a viewer takes for one name: brackets would be bit ranges, spaces end it.
std::string identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  while (name.size() > 1 && name.back() == '_') name.pop_back();
  return name;
}

using Scopes = std::vector<std::string>;

Scopes scopesOf(const std::string& name) {
  Scopes parts;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t dot = std::min(name.find('.', from), name.size());
    parts.push_back(identifier(name.substr(from, dot - from)));
    from = dot + 1;
  }
  return parts;
}

/// `scopes`, or, where another name has come to the same ("e[1]" and "e_1"), with a number behind it.
Scopes onlyOnce(Scopes scopes, std::set<Scopes>& taken) {
  const std::string last = scopes.back();
  for (int number = 2; !taken.insert(scopes).second; ++number)
    scopes.back() = last + '_' + std::to_string(number);
  return scopes;
}

class DumpWriter {
 public:
  DumpWriter(const FlatGraph& graph, const Timeline& timeline) : graph_(graph), timeline_(timeline) {}

  std::string write() {
    text_ = "$version Sluice " SLUICE_VERSION " $end\n$comment 1 ns is 1 cycle; state: ";
    for (std::size_t code = 0; code < wires.size(); ++code)
      text_ += std::to_string(code) + " " + wires[code] + ", ";
    text_ += "5 done" + std::string(timeline_.exact() ? "" : "; long run: neighbouring events are joined") +
             " $end\n$timescale 1 ns $end\n";
    declare();
    text_ += "$enddefinitions $end\n";
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
    Cycles time = Wait::never;
    for (const Change& change : changes_) {
      if (change.time != time) text_ += '#' + std::to_string(time = change.time) + '\n';
      text_ +=
          change.bits == 1 ? std::to_string(change.value) : 'b' + binary(change.value, change.bits) + ' ';
      text_ += code(change.variable) + '\n';
    }
    return std::move(text_) + '#' + std::to_string(timeline_.end()) + '\n';
  }

 private:
  struct Change {
    Cycles time;
    std::uint64_t value;
    std::uint32_t variable;
    int bits;
  };

  /// Short names of printable characters.
  static std::string code(std::uint32_t number) {
    std::string text;
    do text += static_cast<char>('!' + number % 94);
    while ((number /= 94) > 0);
    return text;
  }

  std::uint32_t variable(const std::string& name, int bits) {
    text_ += "$var wire " + std::to_string(bits) + ' ' + code(variables_) + ' ' + name +
             (bits > 1 ? " [" + std::to_string(bits - 1) + ":0]" : "") + " $end\n";
    return variables_++;
  }

  /// Operators in the order of their names, so that what a scope holds stands together.
  void declare() {
    std::vector<std::pair<Scopes, OperatorId>> order;
    std::set<Scopes> operators, streams;
    for (OperatorId id = 0; id < timeline_.processes().size(); ++id)
      order.emplace_back(onlyOnce(scopesOf(graph_.operators[id].name), operators), id);
    std::sort(order.begin(), order.end());
    text_ += "$scope module operators $end\n";
    Scopes open;
    for (const auto& [scopes, id] : order) {
      const auto shared = static_cast<std::size_t>(
          std::mismatch(open.begin(), open.end(), scopes.begin(), scopes.end()).first - open.begin());
      enter(open, scopes, shared);
      declareOperator(id);
    }
    enter(open, {}, 0);
    text_ += "$upscope $end\n$scope module streams $end\n";
    for (StreamId id = 0; id < timeline_.streams().size(); ++id)
      declareStream(id, onlyOnce({identifier(graph_.streams[id].name)}, streams).back());
    text_ += "$upscope $end\n";
  }

  void enter(Scopes& open, const Scopes& scopes, std::size_t shared) {
    for (; open.size() > shared; open.pop_back()) text_ += "$upscope $end\n";
    for (; open.size() < scopes.size(); open.push_back(scopes[open.size()]))
      text_ += "$scope module " + scopes[open.size()] + " $end\n";
  }

  void declareOperator(OperatorId id) {
    const std::uint32_t state = variable("state", state_bits);
    for (const char* wire : wires) variable(wire, 1);
    std::optional<ProcessState> before;
    for (const StateAt& at : timeline_.statesOf(id)) {
      if (at.state == before) continue;
      changes_.push_back({at.since, static_cast<std::uint64_t>(at.state), state, state_bits});
      for (std::uint32_t wire = 0; wire < wires.size(); ++wire) {
        const bool is = static_cast<std::uint32_t>(at.state) == wire;
        const bool was = before && static_cast<std::uint32_t>(*before) == wire;
        if (is != was || !before) changes_.push_back({at.since, is ? 1u : 0u, state + 1 + wire, 1});
      }
      before = at.state;
    }
  }

  void declareStream(StreamId id, const std::string& name) {
    const std::uint64_t depth = graph_.streams[id].depth;
    const int bits = std::max(2, static_cast<int>(std::bit_width(depth)));
    text_ += "$scope module " + name + " $end\n";
    const std::uint32_t tokens = variable("tokens", bits);
    variable("empty", 1), variable("full", 1);
    text_ += "$upscope $end\n";
    const auto change = [&](Cycles time, std::uint32_t level) {
      changes_.push_back({time, level, tokens, bits});
      changes_.push_back({time, level == 0 ? 1u : 0u, tokens + 1, 1});
      changes_.push_back({time, level == depth ? 1u : 0u, tokens + 2, 1});
    };
    const auto& samples = timeline_.streams()[id].series().samples;
    if (samples.empty() || samples.front().time > 0) change(0, 0);
    for (const OccupancySeries::Sample& sample : samples) change(sample.time, sample.last);
  }

  const FlatGraph& graph_;
  const Timeline& timeline_;
  std::string text_;
  std::uint32_t variables_ = 0;
  std::vector<Change> changes_;
};

}  // namespace

DumpScopes dumpScopes(const FlatGraph& graph) {
  const auto joined = [](const Scopes& scopes) {
    std::string path;
    for (const std::string& scope : scopes) path += (path.empty() ? "" : ".") + scope;
    return path;
  };
  std::set<Scopes> operators, streams;
  DumpScopes all;
  for (const FlatOperator& op : graph.operators)
    all.operators.push_back(joined(onlyOnce(scopesOf(op.name), operators)));
  for (const FlatStream& stream : graph.streams)
    all.streams.push_back(joined(onlyOnce({identifier(stream.name)}, streams)));
  return all;
}

std::string valueChangeDump(const FlatGraph& graph, const Timeline& timeline) {
  return DumpWriter(graph, timeline).write();
}

}  // namespace sluice::inline interchange
