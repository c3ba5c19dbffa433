// Actors as nodes, channels as streams; firings and room in terms of the knob `iterations`.

#include "engine/interchange/csdf_program.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace sluice::inline interchange {
namespace {

constexpr std::int64_t most_tokens = std::int64_t{1} << 31;  ///< of a FIFO, and firings of an actor

/// Letters, digits and underscores, begun by no digit, and unlike all others.
std::string nameFor(const std::string& wanted, std::set<std::string>& taken) {
  std::string name;
  for (const char c : wanted) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    name += letter || digit ? c : '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "a");
  if (name == "region") name += "_";  // a region's boundary is called so
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) unique = name + "_" + std::to_string(number);
  return unique;
}

/// In units of so many tokens.
void append(std::vector<Value>& list, const std::vector<std::int64_t>& initial,
            const std::vector<std::int64_t>& repeated, std::int64_t unit = 1) {
  for (const auto* part : {&initial, &repeated})
    for (const std::int64_t number : *part) list.emplace_back(number / unit);
}

/// What all rates of a channel are multiples of: its tokens travel together, and fewer wait for ever.
std::int64_t unitOf(const CsdfChannel& channel) {
  std::int64_t unit = 0;
  for (const auto* rates :
       {&channel.production, &channel.consumption, &channel.initial_production, &channel.initial_consumption})
    for (const std::int64_t rate : *rates) unit = std::gcd(unit, rate);
  return std::max<std::int64_t>(unit, 1);
}

/// `iterations * each + once`.
Value inIterations(std::int64_t each, std::int64_t once) {
  const std::string product = "iterations*" + std::to_string(each);
  return Value(once == 0 ? product : product + "+" + std::to_string(once));
}

class ProgramWriter {
 public:
  ProgramWriter(const CsdfGraph& graph, const Repetition& repetition, const std::string& file)
      : graph_(graph), repetition_(repetition), file_(file), inputs_(graph.actors.size()), outputs_(inputs_) {
    for (std::size_t c = 0; c < graph.channels.size(); ++c) {
      const CsdfChannel& channel = graph.channels[c];
      units_.push_back(unitOf(channel));
      if (serialises(channel)) {
        serial_.insert(channel.from);
        continue;
      }
      outputs_[channel.from].push_back(c);
      inputs_[channel.to].push_back(c);
    }
  }

  Result<CsdfProgram> write() {
    program_.document.title = graph_.name;
    program_.document.description =
        "A dataflow graph of SDF3. In the long run an iteration takes its exact period (sluice-cli "
        "throughput): "
        "compare runs of 64 and of 128 iterations.";
    SLUICE_CHECK(chooseIterations());
    std::set<std::string> taken{"iterations"};
    for (const CsdfActor& actor : graph_.actors) names_.push_back(nameFor(actor.name, taken));
    for (std::size_t actor = 0; actor < graph_.actors.size(); ++actor) addActor(actor);
    for (std::size_t c = 0; c < graph_.channels.size(); ++c)
      if (!serialises(graph_.channels[c])) addStream(c);
    if (graph_.times_per_unit > 1)
      program_.notes.push_back(
          note("settings-assumed", Location(Where::File, file_),
               "a time unit is " + std::to_string(graph_.times_per_unit) + " cycles here",
               "divide cycles by it to compare with the graph"));
    return std::move(program_);
  }

 private:
  /// As many as FIFOs and counts can hold, at most 1024.
  Result<Done> chooseIterations() {
    std::int64_t most = 1;  // tokens or firings of an iteration, anywhere
    for (std::size_t i = 0; i < graph_.actors.size(); ++i) {
      std::int64_t firings = 0;
      if (__builtin_mul_overflow(repetition_.of_actor[i],
                                 static_cast<std::int64_t>(graph_.actors[i].phases()), &firings))
        firings = most_tokens;
      most = std::max(most, firings);
    }
    for (std::size_t c = 0; c < graph_.channels.size();
         ++c) {  // the repetition vector has checked that it fits
      const CsdfChannel& channel = graph_.channels[c];
      const std::int64_t tokens =
          producedPerRound(channel) * repetition_.of_actor[channel.from] + channel.tokens;
      most =
          std::max(most, tokens / units_[c] + std::max<std::int64_t>(0, steadyTokens(channel) / units_[c]));
    }
    std::int64_t iterations = 1024;
    while (iterations > 2 && iterations > most_tokens / 2 / most) iterations /= 2;
    if (most > most_tokens / 8)
      return error("too-many", Location(Where::File, file_),
                   "an iteration has more tokens on a channel, or firings, than a program may",
                   "divide the rates by what they have in common");
    Knob& knob = program_.document.knobs.emplace_back();
    knob.name = "iterations";
    knob.kind = KnobKind::PowerOfTwo;
    knob.maximum = iterations;
    knob.initial = std::min<std::int64_t>(iterations, 8);
    knob.help = "how often all actors go round; it changes no period";
    return Done{};
  }

  void addActor(std::size_t index) {
    const CsdfActor& actor = graph_.actors[index];
    std::vector<Value> times, takes, gives, tokens, tile;
    append(times, actor.initial_times, actor.times);
    for (const std::size_t c : inputs_[index]) {
      append(takes, graph_.channels[c].initial_consumption, graph_.channels[c].consumption, units_[c]);
      tokens.emplace_back(graph_.channels[c].tokens / units_[c]);
    }
    for (const std::size_t c : outputs_[index]) {
      append(gives, graph_.channels[c].initial_production, graph_.channels[c].production, units_[c]);
      tile.emplace_back(1);
      tile.emplace_back(std::min<std::int64_t>(units_[c], 1 << 24));
    }
    const auto once = static_cast<std::int64_t>(actor.initial_times.size());
    Node node;
    node.name = names_[index];
    node.kind = "DataflowActor";
    node.parameters = {
        {"inputs", Value(static_cast<std::int64_t>(inputs_[index].size()))},
        {"outputs", Value(static_cast<std::int64_t>(outputs_[index].size()))},
        {"times", Value(times)},
        {"takes", Value(takes)},
        {"gives", Value(gives)},
        {"tokens", Value(tokens)},
        {"firings",
         inIterations(repetition_.of_actor[index] * static_cast<std::int64_t>(actor.phases()), once)}};
    if (!tile.empty()) node.parameters["tile"] = Value(tile);
    if (once > 0) node.parameters["round_from"] = Value(once);
    if (!serial_.contains(index)) node.parameters["overlap"] = Value(true);
    if (!outputs_[index].empty() && std::ranges::count(actor.times, 0) > 0)
      program_.notes.push_back(
          note("approximated", Location(Where::File, file_) / Location(Where::Node, node.name),
               "some of its firings take no time; what they give is there a cycle later here",
               "give all times, multiplied by a large number, and such firings 1"));
    program_.document.program.nodes.push_back(std::move(node));
  }

  static Value placeIn(const std::vector<std::size_t>& channels, std::size_t channel) {
    return Value(static_cast<std::int64_t>(std::ranges::find(channels, channel) - channels.begin()));
  }

  void addStream(std::size_t index) {
    const CsdfChannel& channel = graph_.channels[index];
    std::int64_t once = 1;
    for (const std::int64_t tokens : channel.initial_production) once += tokens / units_[index];
    program_.document.program.streams.push_back(
        {{names_[channel.from], "out", placeIn(outputs_[channel.from], index)},
         {names_[channel.to], "in", placeIn(inputs_[channel.to], index)},
         inIterations(producedPerRound(channel) / units_[index] * repetition_.of_actor[channel.from], once)});
  }

  const CsdfGraph& graph_;
  const Repetition& repetition_;
  const std::string& file_;
  std::vector<std::vector<std::size_t>> inputs_, outputs_;  ///< channels of each actor that are streams
  std::vector<std::int64_t> units_;                         ///< by channel: tokens that travel as one
  std::set<std::size_t> serial_;
  std::vector<std::string> names_;
  CsdfProgram program_;
};

}  // namespace

Result<CsdfProgram> csdfProgram(const CsdfGraph& graph, const std::string& file) {
  SLUICE_TRY(const Repetition repetition, repetitionVector(graph));
  if (!repetition.consistent)
    return error("wrong-format", Location(Where::File, file),
                 "the graph is not consistent: channel '" + graph.channels[repetition.conflict].name +
                     "' fills or empties for ever: " + inconsistencyText(graph, repetition),
                 "give the channels of the cycle rates that balance");
  return ProgramWriter(graph, repetition, file).write();
}

}  // namespace sluice::inline interchange
