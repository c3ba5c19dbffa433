#include "engine/measurements/matching.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "engine/interchange/vcd.h"

namespace sluice::inline measurements {
namespace {

/// Names of a graph's operators, or of its streams, as plainName() makes them.
template <class Id>
struct Known {
  std::map<std::string, Id> exact;                  ///< as they are, and as our own dumps have them
  std::map<std::string, std::vector<Id>> by_name;   ///< several: names that differ in punctuation alone
  std::map<std::string, std::vector<Id>> by_place;  ///< all instances of a node
};

std::string lastName(const std::string& place) {
  return place.substr(place.rfind('.') + 1);
}

Known<OperatorId> operatorsOf(const FlatGraph& graph, const std::vector<std::string>& scopes) {
  Known<OperatorId> known;
  std::map<std::string, std::set<std::string>> places_of;  ///< by the last part of their names
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const FlatOperator& op = graph.operators[id];
    known.exact.emplace(op.name, id);
    known.exact.emplace("operators." + scopes[id], id);
    known.by_name[plainName(op.name)].push_back(id);
    if (op.inferred) continue;
    known.by_place[plainName(op.origin)].push_back(id);
    places_of[plainName(lastName(op.origin))].insert(plainName(op.origin));
  }
  for (const auto& [last, places] : places_of)
    if (places.size() == 1) known.by_place.emplace(last, known.by_place.at(*places.begin()));
  return known;
}

Known<StreamId> streamsOf(const FlatGraph& graph, const std::vector<std::string>& scopes) {
  Known<StreamId> known;
  for (StreamId id = 0; id < graph.streams.size(); ++id) {
    known.exact.emplace(graph.streams[id].name, id);
    known.exact.emplace("streams." + scopes[id], id);
    known.by_name[plainName(graph.streams[id].name)].push_back(id);
  }
  // By one of its ends, "gate.out", where no stream is called so.
  constexpr std::string_view arrow = " -> ";
  for (const bool consumer : {false, true})
    for (StreamId id = 0; id < graph.streams.size(); ++id) {
      const std::string& name = graph.streams[id].name;
      const std::size_t at = name.find(arrow);
      if (at == std::string::npos) continue;
      const std::string end = plainName(consumer ? name.substr(at + arrow.size()) : name.substr(0, at));
      if (!known.by_name.contains(end)) known.by_name[end] = {id};
    }
  return known;
}

/// What tools put before or behind a name: "u_gate", "gate_U0", "gate_out_fifo"; our RTL
/// "gate.inner_operator".
std::string undecorated(const std::string& name) {
  std::string plain = name;
  for (const std::string_view before : {"u_", "i_"})
    if (plain.starts_with(before)) plain = plain.substr(before.size());
  for (const std::string_view behind : {"_inner_operator", "_fifo", "_u0", "_inst", "_i"})
    if (plain.ends_with(behind)) plain = plain.substr(0, plain.size() - behind.size());
  return plain;
}

/// The path of a name and its ends, longest first: "top.e.gate" is "top_e_gate", "e_gate", "gate".
std::vector<std::string> endsOf(const std::string& name) {
  std::vector<std::string> ends;
  for (std::size_t from = 0; from < name.size();) {
    ends.push_back(plainName(std::string_view(name).substr(from)));
    const std::size_t next = name.find_first_of("./:|", from);
    if (next == std::string::npos) break;
    from = next + 1;
  }
  const std::size_t plain = ends.size();
  for (std::size_t i = 0; i < plain; ++i)
    if (std::string bare = undecorated(ends[i]); bare != ends[i]) ends.push_back(std::move(bare));
  return ends;
}

template <class Id>
class Matcher {
 public:
  explicit Matcher(Known<Id> known) : known_(std::move(known)) {}

  /// `names` by position in the measurement; empty ones are passed over.
  std::vector<Matched<Id>> match(const std::vector<std::vector<std::string>>& names) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!byName(i, names[i])) left.push_back(i);
    for (const std::size_t i : left)
      if (!byPlace(i, names[i])) rest_.push_back(i);
    byOrder(names);
    std::sort(matched_.begin(), matched_.end(),
              [](const Matched<Id>& a, const Matched<Id>& b) { return a.measured < b.measured; });
    return std::move(matched_);
  }
  const std::vector<std::size_t>& rest() const { return rest_; }

 private:
  template <class Take>
  bool firstKnown(const std::vector<std::string>& names, const std::map<std::string, std::vector<Id>>& known,
                  Take take) {
    for (const std::string& name : names)
      for (const std::string& end : endsOf(name))
        if (const auto found = known.find(end); found != known.end() && take(end, found->second)) return true;
    return false;
  }

  bool byName(std::size_t i, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (const auto found = known_.exact.find(name); found != known_.exact.end()) {
        matched_.push_back({i, {found->second}, MatchedBy::Name});
        taken_.insert(found->second);
        return true;
      }
    return firstKnown(names, known_.by_name, [&](const std::string& name, const std::vector<Id>& ids) {
      // Names that differ in punctuation alone: in the order of the program.
      std::size_t& next = next_[name];
      matched_.push_back({i, {ids[std::min(next, ids.size() - 1)]}, MatchedBy::Name});
      taken_.insert(matched_.back().ids.front());
      ++next;
      return true;
    });
  }

  bool byPlace(std::size_t i, const std::vector<std::string>& names) {
    return firstKnown(names, known_.by_place, [&](const std::string&, const std::vector<Id>& ids) {
      if (std::ranges::any_of(ids, [&](Id id) { return taken_.contains(id); })) return false;
      matched_.push_back({i, ids, MatchedBy::Place});
      taken_.insert(ids.begin(), ids.end());
      return true;
    });
  }

  /// "gate_7" is "gate" and 7.
  static std::optional<std::pair<std::string, std::uint64_t>> numbered(const std::string& plain) {
    const std::size_t bar = plain.rfind('_');
    if (bar == std::string::npos || bar == 0 || bar + 1 == plain.size()) return std::nullopt;
    std::uint64_t number = 0;
    const char* const end = plain.data() + plain.size();
    const auto [stop, failed] = std::from_chars(plain.data() + bar + 1, end, number);
    if (failed != std::errc() || stop != end) return std::nullopt;
    return std::pair(plain.substr(0, bar), number);
  }

  void byOrder(const std::vector<std::vector<std::string>>& names) {
    std::map<std::string, std::vector<std::pair<std::uint64_t, std::size_t>>> series;
    for (const std::size_t i : rest_)
      for (const std::string& end : endsOf(names[i].front()))
        if (const auto parts = numbered(end); parts && known_.by_place.contains(parts->first)) {
          series[parts->first].emplace_back(parts->second, i);
          break;
        }
    std::set<std::size_t> found;
    for (auto& [place, members] : series) {
      const std::vector<Id>& ids = known_.by_place.at(place);
      if (ids.size() != members.size() ||
          std::ranges::any_of(ids, [&](Id id) { return taken_.contains(id); }))
        continue;
      std::sort(members.begin(), members.end());
      for (std::size_t i = 0; i < ids.size(); ++i) {
        matched_.push_back({members[i].second, {ids[i]}, MatchedBy::Order});
        found.insert(members[i].second);
        taken_.insert(ids[i]);
      }
    }
    std::erase_if(rest_, [&](std::size_t i) { return found.contains(i); });
  }

  Known<Id> known_;
  std::vector<Matched<Id>> matched_;
  std::map<std::string, std::size_t> next_;
  std::set<Id> taken_;
  std::vector<std::size_t> rest_;
};

/// Streams that nobody named: where one of the measurement and one of the graph alone have so many tokens.
void matchTokens(const MeasuredRun& run, const std::vector<std::uint64_t>& tokens,
                 std::vector<std::size_t>& rest, std::vector<Matched<StreamId>>& matched) {
  std::set<StreamId> taken;
  for (const Matched<StreamId>& each : matched) taken.insert(each.ids.begin(), each.ids.end());
  std::map<std::uint64_t, std::vector<StreamId>> of_graph;
  std::map<std::uint64_t, std::vector<std::size_t>> of_run;
  for (StreamId id = 0; id < tokens.size(); ++id)
    if (!taken.contains(id) && tokens[id] > 0) of_graph[tokens[id]].push_back(id);
  for (const std::size_t i : rest)
    if (const auto& count = run.streams[i].tokens; count && *count >= 1 && *count == std::floor(*count))
      of_run[static_cast<std::uint64_t>(*count)].push_back(i);
  for (const auto& [count, measured] : of_run) {
    const auto ids = of_graph.find(count);
    if (measured.size() != 1 || ids == of_graph.end() || ids->second.size() != 1) continue;
    matched.push_back({measured.front(), ids->second, MatchedBy::Tokens});
    std::erase(rest, measured.front());
  }
}

template <class Measured>
std::vector<std::vector<std::string>> namesOf(const std::vector<Measured>& measured) {
  std::vector<std::vector<std::string>> names;
  for (const Measured& each : measured) names.push_back(each.names);
  return names;
}

/// How much of their names all share, whole scopes only: "operators." of what our own dumps have.
template <class Measured>
std::size_t sharedScope(const std::vector<Measured>& measured) {
  if (measured.empty()) return 0;
  const std::string& first = measured.front().names.front();
  std::size_t shared = first.rfind('.') == std::string::npos ? 0 : first.rfind('.') + 1;
  for (const Measured& each : measured) {
    const std::string& name = each.names.front();
    std::size_t same = 0;
    for (std::size_t i = 0; i < std::min(shared, name.size()) && name[i] == first[i]; ++i)
      if (name[i] == '.') same = i + 1;
    shared = same;
  }
  return shared;
}

template <class Measured>
void addUnknown(std::vector<std::string>& names, const std::vector<Measured>& measured,
                const std::vector<std::size_t>& rest) {
  const std::size_t scope = sharedScope(measured);
  for (const std::size_t i : rest) names.push_back(measured[i].names.front().substr(scope));
}

template <class Id, class Things>
std::vector<std::string> notIn(const std::vector<Matched<Id>>& matched, const Things& things) {
  std::set<Id> found;
  for (const Matched<Id>& each : matched) found.insert(each.ids.begin(), each.ids.end());
  std::vector<std::string> names;
  for (Id id = 0; id < things.size(); ++id)
    if (!found.contains(id)) names.push_back(things[id].name);
  return names;
}

}  // namespace

const char* text(MatchedBy by) {
  constexpr std::array<const char*, 4> words{"name", "place", "order", "tokens"};
  return words[static_cast<std::size_t>(by)];
}

Result<Matching> match(const FlatGraph& graph, const MeasuredRun& run,
                       const std::vector<std::uint64_t>& tokens) {
  const DumpScopes scopes = dumpScopes(graph);
  Matching matching;
  Matcher<OperatorId> operators(operatorsOf(graph, scopes.operators));
  Matcher<StreamId> streams(streamsOf(graph, scopes.streams));
  matching.operators = operators.match(namesOf(run.operators));
  matching.streams = streams.match(namesOf(run.streams));
  std::vector<std::size_t> rest = streams.rest();
  matchTokens(run, tokens, rest, matching.streams);
  if (matching.operators.empty() && matching.streams.empty() &&
      run.operators.size() + run.streams.size() > 0) {
    constexpr std::size_t most = 80;  // of a name that somebody else wrote
    std::string other =
        run.operators.empty() ? run.streams.front().names.front() : run.operators.front().names.front();
    if (other.size() > most) other = other.substr(0, most) + "...";
    return error(
        "measurement-mismatch", run.place,
        "nothing in it has the name of an operator or stream of the program; it has, for example, '" + other +
            "'",
        graph.operators.empty() ? "measure this program"
                                : "measure this program, or name its parts as the program does, '" +
                                      graph.operators.front().name + "'");
  }
  addUnknown(matching.unknown, run.operators, operators.rest());
  addUnknown(matching.unknown, run.streams, rest);
  if (!run.operators.empty()) matching.operators_not_measured = notIn(matching.operators, graph.operators);
  if (!run.streams.empty()) matching.streams_not_measured = notIn(matching.streams, graph.streams);
  return matching;
}

std::optional<Diagnostic> likelyMismatch(const Matching& matching, const MeasuredRun& run) {
  const std::size_t found = matching.operators.size() + matching.streams.size();
  if (run.recorded && run.operators.empty() && run.streams.empty())
    return warning(
        "measurement-mismatch", run.place,
        "no signal in it belongs to an operator or a stream: nothing but its cycles is compared",
        "make sure that it is a measurement of this program, and that waits, levels or handshakes of "
        "its parts are in it");
  if (matching.unknown.size() <= found) return std::nullopt;
  return warning("measurement-mismatch", run.place,
                 std::to_string(matching.unknown.size()) + " of the " +
                     std::to_string(matching.unknown.size() + found) + " names in it are not in the program",
                 "make sure that it is a measurement of this program");
}

}  // namespace sluice::inline measurements
