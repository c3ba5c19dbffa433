#include "app/cli/stalls_report.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/table.h"
#include "engine/core/enum_names.h"

namespace sluice::cli {

namespace {

double share(Cycles part, Cycles whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

const char* nameOf(StallSource source) {
  constexpr EnumName<StallSource> names[] = {{StallSource::Process, "operator"},
                                             {StallSource::Ended, "ended"},
                                             {StallSource::OffChip, "off_chip_memory"},
                                             {StallSource::OnChip, "on_chip_memory"},
                                             {StallSource::Deadlock, "deadlock"}};
  return nameIn(names, source);
}

/// Of a state that waits.
const char* nameOf(ProcessState state) {
  constexpr EnumName<ProcessState> names[] = {{ProcessState::Blocked, "blocked"},
                                              {ProcessState::Memory, "off_chip_memory"},
                                              {ProcessState::Unit, "on_chip_memory"},
                                              {ProcessState::Starved, "starved"}};
  return nameIn(names, state);
}

Json victimsJson(const FlatGraph& graph, const StallVictims& of) {
  Json victims = Json::array();
  for (const StallRow& row : of.rows)
    victims.push_back(
        {{"operator", graph.operators[row.victim].name}, {"state", nameOf(row.state)}, {"cycles", row.lost}});
  return victims;
}

Json statesJson(const StallBlame& blame) {
  Json states = Json::object();
  for (std::size_t kind = 0; kind < wait_kinds; ++kind)
    if (blame.by_state[kind] > 0) states[nameOf(static_cast<ProcessState>(kind))] = blame.by_state[kind];
  return states;
}

}  // namespace

Json stallsJson(const FlatGraph& graph, const StallFindings& stalls) {
  const StallReport& report = stalls.report;
  Json causes = Json::array();
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    const StallBlame& blame = report.causes[i];
    const bool named = blame.cause.source == StallSource::Process || blame.cause.source == StallSource::Ended;
    const StallVictims* victims = i < stalls.victims.size() ? &stalls.victims[i] : nullptr;
    Cycles left = blame.lost;
    if (victims)
      for (const StallRow& row : victims->rows) left -= row.lost;
    causes.push_back({{"cause", nameOf(blame.cause.source)},
                      {"operator", named ? Json(graph.operators[blame.cause.op].name) : Json(nullptr)},
                      {"cycles", blame.lost},
                      {"share", share(blame.lost, report.lost)},
                      {"cycles_by_state", statesJson(blame)},
                      {"victims", victims ? victimsJson(graph, *victims) : Json::array()},
                      {"victims_left_out", victims ? Json(victims->left_out) : Json(nullptr)},
                      {"cycles_left_out", left}});
  }
  return {{"lost_cycles", report.lost},
          {"exact", report.exact},
          {"causes_without_victims", report.causes.size() - stalls.victims.size()},
          {"causes", std::move(causes)}};
}

std::string stallsText(const FlatGraph& graph, const StallFindings& stalls, bool all) {
  const StallReport& report = stalls.report;
  std::ostringstream out;
  out << "\nLost cycles of all operators: " << grouped(report.lost)
      << (report.exact ? "" : " (a long run: neighbouring waits are joined)") << "\n";
  Table table({"to blame", "lost cycles", "share", "held up most"});
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    const StallBlame& blame = report.causes[i];
    std::string whom;
    if (i < stalls.victims.size() && !stalls.victims[i].rows.empty()) {
      const StallRow& most = stalls.victims[i].rows.front();
      whom = graph.operators[most.victim].name + ", " + text(most.state) + ", " + grouped(most.lost);
    }
    table.row({text(graph, blame.cause), grouped(blame.lost), percent(share(blame.lost, report.lost)), whom});
  }
  table.print(out, all ? 0 : 20);
  return out.str();
}

}  // namespace sluice::cli
