// From SDF3's elements to a graph, and back.

#include "engine/csdf/sdf3.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "engine/core/atomic_file.h"
#include "engine/csdf/phases.h"
#include "engine/csdf/xml.h"

namespace sluice::inline csdf {
namespace {

struct Port {
  Phases rates;
  bool input = false;
  bool joined = false;
};

struct ReadActor {
  std::size_t index = 0;
  std::int64_t line = 0;
  std::map<std::string, Port, std::less<>> ports;
  const XmlElement* time = nullptr;  ///< executionTime
  Phases times;
};

class Sdf3Reader {
 public:
  Sdf3Reader(const XmlElement& root, const std::string& file) : root_(root), file_(file) {}

  Result<ReadCsdf> read() {
    SLUICE_CHECK(findParts());
    for (const XmlElement* graph : graphs_)
      for (const XmlElement& child : graph->children)
        if (child.name == "actor") SLUICE_CHECK(readActor(child));
    if (read_.graph.actors.empty())
      return error("missing-field", at(*graphs_[0]), "the graph has no actors", "give it <actor> elements");
    for (const XmlElement* properties : properties_)
      for (const XmlElement& child : properties->children)
        if (child.name == "actorProperties") SLUICE_CHECK(findTime(child));
    for (const XmlElement* graph : graphs_)
      for (const XmlElement& child : graph->children)
        if (child.name == "channel") SLUICE_CHECK(readChannel(child));
    SLUICE_CHECK(readTimes());
    SLUICE_CHECK(matchPhases());
    return std::move(read_);
  }

 private:
  Location at(std::int64_t line) const { return Location(Where::File, file_) / Location(Where::Line, line); }
  Location at(const XmlElement& element) const { return at(element.line); }

  Result<std::string> wanted(const XmlElement& element, const char* name) const {
    if (const std::string* value = element.attribute(name)) return *value;
    return error("missing-field", at(element), "<" + element.name + "> has no attribute '" + name + "'",
                 std::string("give it one: ") + name + "=\"...\"");
  }

  Result<Done> findParts() {
    const auto wrong = [&](std::string cause) {
      return error("wrong-format", at(root_), std::move(cause),
                   "give a file of SDF3: <sdf3> with an <applicationGraph> of one <sdf> or <csdf>");
    };
    if (root_.name != "sdf3") return wrong("its root is <" + root_.name.substr(0, 60) + ">, not <sdf3>");
    const XmlElement* application = nullptr;
    for (const XmlElement& child : root_.children)
      if (child.name == "applicationGraph") {
        if (application) return wrong("it has more than one <applicationGraph>");
        application = &child;
      }
    if (!application) return wrong("it has no <applicationGraph>");
    for (const XmlElement& child : application->children) {
      if (child.name == "sdf" || child.name == "csdf") graphs_.push_back(&child);
      if (child.name == "sdfProperties" || child.name == "csdfProperties") properties_.push_back(&child);
    }
    if (graphs_.empty()) return wrong("its <applicationGraph> has no <sdf> and no <csdf>");
    if (graphs_.size() > 1) return wrong("its <applicationGraph> has more than one graph");
    const std::string* name = application->attribute("name");
    if (!name) name = graphs_[0]->attribute("name");
    read_.graph.name = name ? *name : "graph";
    return Done{};
  }

  Result<Done> readActor(const XmlElement& element) {
    SLUICE_TRY(const std::string name, wanted(element, "name"));
    const auto [known, is_new] = actors_.try_emplace(name);
    if (!is_new)
      return error("duplicate-name", at(element), "there are two actors '" + name + "'",
                   "rename one of them");
    ReadActor& actor = known->second;
    actor.index = read_.graph.actors.size();
    actor.line = element.line;
    read_.graph.actors.push_back({name, {}, {}});
    by_index_.push_back(&actor);
    for (const XmlElement& child : element.children) {
      if (child.name != "port") continue;
      SLUICE_TRY(const std::string port, wanted(child, "name"));
      SLUICE_TRY(const std::string type, wanted(child, "type"));
      if (type != "in" && type != "out")
        return error("unknown-choice", at(child), "a port is of type '" + type + "'", "write 'in' or 'out'");
      const std::string* rate = child.attribute("rate");
      SLUICE_TRY(Phases rates, readPhases(rate ? *rate : "1", 0, at(child)));
      if (!actor.ports.try_emplace(port, Port{std::move(rates), type == "in"}).second)
        return error("duplicate-name", at(child), "actor '" + name + "' has two ports '" + port + "'",
                     "rename one of them");
    }
    return Done{};
  }

  /// The default processor's, or the first one's; later properties of the same actor replace earlier ones.
  Result<Done> findTime(const XmlElement& element) {
    SLUICE_TRY(const std::string name, wanted(element, "actor"));
    const auto actor = actors_.find(name);
    if (actor == actors_.end()) return noActor(element, name);
    const XmlElement* chosen = nullptr;
    bool by_default = false;
    for (const XmlElement& processor : element.children) {
      if (processor.name != "processor") continue;
      const std::string* flag = processor.attribute("default");
      const bool is_default = flag && (*flag == "true" || *flag == "1");
      for (const XmlElement& time : processor.children)
        if (time.name == "executionTime" && (!chosen || (is_default && !by_default))) {
          chosen = &time;
          by_default = is_default;
        }
    }
    if (!chosen) return Done{};
    SLUICE_TRY(const std::string time, wanted(*chosen, "time"));
    actor->second.time = chosen;
    decimals_ = std::max(decimals_, decimalsOf(time));
    return Done{};
  }

  Diagnostic noActor(const XmlElement& element, const std::string& name) const {
    return error("unknown-name", at(element), "there is no actor '" + name + "'",
                 "name an actor of the graph");
  }

  /// An end of a channel: the actor, and its port.
  Result<std::pair<std::size_t, const Phases*>> endOf(const XmlElement& element, const char* actor_key,
                                                      const char* port_key, bool input) {
    SLUICE_TRY(const std::string name, wanted(element, actor_key));
    SLUICE_TRY(const std::string port_name, wanted(element, port_key));
    const auto actor = actors_.find(name);
    if (actor == actors_.end()) return noActor(element, name);
    const auto port = actor->second.ports.find(port_name);
    if (port == actor->second.ports.end() || port->second.input != input)
      return error("unknown-port", at(element),
                   "actor '" + name + "' has no " + (input ? "input" : "output") + " '" + port_name + "'",
                   "name a port of that actor");
    if (std::exchange(port->second.joined, true))
      return error("port-driven-twice", at(element),
                   "port '" + port_name + "' of actor '" + name + "' has another channel already",
                   "give every channel ports of its own");
    return std::pair{actor->second.index, static_cast<const Phases*>(&port->second.rates)};
  }

  Result<Done> readChannel(const XmlElement& element) {
    SLUICE_TRY(const auto from, endOf(element, "srcActor", "srcPort", false));
    SLUICE_TRY(const auto to, endOf(element, "dstActor", "dstPort", true));
    CsdfChannel channel;
    channel.from = from.first, channel.to = to.first;
    const std::string* name = element.attribute("name");
    channel.name = name ? *name : "channel_" + std::to_string(read_.graph.channels.size());
    if (const std::string* tokens = element.attribute("initialTokens"); tokens && !tokens->empty()) {
      SLUICE_TRY(const Phases number, readPhases(*tokens, 0, at(element)));
      if (number.repeated.size() != 1 || !number.initial.empty())
        return error("not-a-number", at(element), "'" + *tokens + "' is no number of tokens",
                     "write one number of tokens");
      channel.tokens = number.repeated[0];
    }
    channel.production = from.second->repeated, channel.initial_production = from.second->initial;
    channel.consumption = to.second->repeated, channel.initial_consumption = to.second->initial;
    read_.graph.channels.push_back(std::move(channel));
    return Done{};
  }

  Result<Done> readTimes() {
    for (int i = 0; i < decimals_; ++i) read_.graph.times_per_unit *= 10;
    for (ReadActor* actor : by_index_) {
      if (!actor->time) {
        read_.notes.push_back(note("settings-assumed", at(actor->line),
                                   "actor '" + read_.graph.actors[actor->index].name +
                                       "' has no execution time; its firings take none",
                                   "give it one in the properties of the graph"));
        actor->times.repeated = {0};
        continue;
      }
      SLUICE_TRY(actor->times, readPhases(*actor->time->attribute("time"), decimals_, at(*actor->time)));
    }
    return Done{};
  }

  /// Lists of different lengths are repeated until all end together, as SDF3 has it.
  Result<Done> matchPhases() {
    std::vector<std::size_t> phases, initial;
    for (const ReadActor* actor : by_index_) {
      phases.push_back(actor->times.repeated.size());
      initial.push_back(actor->times.initial.size());
      for (const auto& [name, port] : actor->ports) {
        if (!port.joined) continue;
        phases.back() = std::lcm(phases.back(), port.rates.repeated.size());
        initial.back() = std::max(initial.back(), port.rates.initial.size());
        if (phases.back() > most_csdf_phases)
          return error("too-many", at(actor->line),
                       "its lists have more than " + std::to_string(most_csdf_phases) + " phases together",
                       "give all ports and times of the actor as many phases");
      }
      total_ += phases.back() * (1 + actor->ports.size());
    }
    if (total_ > 4 * most_csdf_phases)
      return error("too-many", at(*graphs_[0]), "all lists together have more than 4000000 phases",
                   "give fewer phases");
    for (std::size_t i = 0; i < phases.size(); ++i) {
      CsdfActor& actor = read_.graph.actors[i];
      actor.times = by_index_[i]->times.repeated, actor.initial_times = by_index_[i]->times.initial;
      SLUICE_CHECK(extend(i, actor.times, actor.initial_times, phases[i], initial[i]));
    }
    for (CsdfChannel& channel : read_.graph.channels) {
      SLUICE_CHECK(extend(channel.from, channel.production, channel.initial_production, phases[channel.from],
                          initial[channel.from]));
      SLUICE_CHECK(extend(channel.to, channel.consumption, channel.initial_consumption, phases[channel.to],
                          initial[channel.to]));
    }
    return Done{};
  }

  Result<Done> extend(std::size_t actor, std::vector<std::int64_t>& repeated,
                      const std::vector<std::int64_t>& initial, std::size_t phases, std::size_t once) const {
    if (initial.size() != once)
      return error("shape-mismatch", at(by_index_[actor]->line),
                   "actor '" + read_.graph.actors[actor].name + "' has " + std::to_string(once) +
                       " initial phases in one list and " + std::to_string(initial.size()) + " in another",
                   "give all ports and times of the actor as many numbers before the ';'");
    const std::size_t given = repeated.size();
    repeated.reserve(phases);
    for (std::size_t i = given; i < phases; ++i) repeated.push_back(repeated[i % given]);
    return Done{};
  }

  const XmlElement& root_;
  const std::string& file_;
  ReadCsdf read_;
  std::vector<const XmlElement*> graphs_, properties_;
  std::map<std::string, ReadActor, std::less<>> actors_;
  std::vector<ReadActor*> by_index_;
  int decimals_ = 0;
  std::size_t total_ = 0;
};

std::string attributes(std::initializer_list<std::pair<const char*, std::string>> list) {
  std::string text;
  for (const auto& [key, value] : list) text += std::string(" ") + key + "=\"" + xmlEscaped(value) + "\"";
  return text;
}

}  // namespace

Result<ReadCsdf> readSdf3(std::string_view bytes, const std::string& file) {
  SLUICE_TRY(const XmlElement root, readXml(bytes, file));
  return Sdf3Reader(root, file).read();
}

Result<ReadCsdf> loadSdf3(const std::filesystem::path& file) {
  SLUICE_TRY(const std::string bytes, readFile(file, most_sdf3_bytes));
  return readSdf3(bytes, file.string());
}

std::string writeSdf3(const CsdfGraph& graph) {
  const bool phased = std::ranges::any_of(graph.actors, [](const CsdfActor& actor) {
    return actor.phases() > 1 || !actor.initial_times.empty();
  });
  const std::string type = phased ? "csdf" : "sdf";
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sdf3" +
                     attributes({{"type", type}, {"version", "1.0"}}) + ">\n  <applicationGraph" +
                     attributes({{"name", graph.name}}) + ">\n    <" + type +
                     attributes({{"name", graph.name}, {"type", graph.name}}) + ">\n";
  const auto port = [&](std::size_t channel, bool input) {
    return (input ? "in" : "out") + std::to_string(channel);
  };
  std::vector<std::string> ports(graph.actors.size());
  for (std::size_t c = 0; c < graph.channels.size(); ++c) {
    const CsdfChannel& channel = graph.channels[c];
    const auto add = [&](std::size_t actor, bool input, const Phases& rates) {
      ports[actor] +=
          "        <port" +
          attributes(
              {{"name", port(c, input)}, {"type", input ? "in" : "out"}, {"rate", writePhases(rates)}}) +
          "/>\n";
    };
    add(channel.to, true, {channel.initial_consumption, channel.consumption});
    add(channel.from, false, {channel.initial_production, channel.production});
  }
  for (std::size_t i = 0; i < graph.actors.size(); ++i)
    text += "      <actor" + attributes({{"name", graph.actors[i].name}, {"type", "actor"}}) + ">\n" +
            ports[i] + "      </actor>\n";
  for (std::size_t c = 0; c < graph.channels.size(); ++c) {
    const CsdfChannel& channel = graph.channels[c];
    text += "      <channel" +
            attributes({{"name", channel.name},
                        {"srcActor", graph.actors[channel.from].name},
                        {"srcPort", port(c, false)},
                        {"dstActor", graph.actors[channel.to].name},
                        {"dstPort", port(c, true)},
                        {"initialTokens", std::to_string(channel.tokens)}}) +
            "/>\n";
  }
  text += "    </" + type + ">\n    <" + type + "Properties>\n";
  for (const CsdfActor& actor : graph.actors)
    text += "      <actorProperties" + attributes({{"actor", actor.name}}) +
            ">\n        <processor type=\"p\" default=\"true\">\n          <executionTime" +
            attributes({{"time", writePhases({actor.initial_times, actor.times}, graph.times_per_unit)}}) +
            "/>\n        </processor>\n      </actorProperties>\n";
  return text + "    </" + type + "Properties>\n  </applicationGraph>\n</sdf3>\n";
}

}  // namespace sluice::inline csdf
