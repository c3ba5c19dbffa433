#include "app/cli/stalls_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/table.h"

namespace sluice::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Blamed {
  StallCause cause;
  Cycles lost = 0;
  std::vector<StallRow> rows;  ///< most lost cycles first
};

std::vector<Blamed> byCause(const StallReport& stalls) {
  std::map<StallCause, Blamed> causes;
  for (const StallRow& row : stalls.rows) {
    Blamed& blamed = causes[row.cause];
    blamed.cause = row.cause;
    blamed.lost += row.lost;
    blamed.rows.push_back(row);
  }
  std::vector<Blamed> list;
  for (auto& [cause, blamed] : causes) list.push_back(std::move(blamed));
  std::stable_sort(list.begin(), list.end(),
                   [](const Blamed& a, const Blamed& b) { return a.lost > b.lost; });
  return list;
}

double share(Cycles part, Cycles whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

const char* nameOf(StallSource source) {
  switch (source) {
    case StallSource::Process:
      return "operator";
    case StallSource::Ended:
      return "ended";
    case StallSource::OffChip:
      return "off_chip_memory";
    case StallSource::OnChip:
      return "on_chip_memory";
    case StallSource::Deadlock:
      break;
  }
  return "deadlock";
}

const char* nameOf(ProcessState state) {
  switch (state) {
    case ProcessState::Blocked:
      return "blocked";
    case ProcessState::Memory:
      return "off_chip_memory";
    case ProcessState::Unit:
      return "on_chip_memory";
    default:
      return "starved";
  }
}

}  // namespace

Json stallsJson(const FlatGraph& graph, const StallReport& stalls) {
  Json causes = Json::array();
  for (const Blamed& blamed : byCause(stalls)) {
    Json victims = Json::array();
    for (const StallRow& row : blamed.rows)
      victims.push_back({{"operator", graph.operators[row.victim].name},
                         {"state", nameOf(row.state)},
                         {"cycles", row.lost}});
    const bool named =
        blamed.cause.source == StallSource::Process || blamed.cause.source == StallSource::Ended;
    causes.push_back({{"cause", nameOf(blamed.cause.source)},
                      {"operator", named ? Json(graph.operators[blamed.cause.op].name) : Json(nullptr)},
                      {"cycles", blamed.lost},
                      {"share", share(blamed.lost, stalls.lost)},
                      {"victims", std::move(victims)}});
  }
  return {{"lost_cycles", stalls.lost}, {"exact", stalls.exact}, {"causes", std::move(causes)}};
}

std::string stallsText(const FlatGraph& graph, const StallReport& stalls, bool all) {
  std::ostringstream out;
  out << "\nLost cycles of all operators: " << grouped(stalls.lost)
      << (stalls.exact ? "" : " (a long run: neighbouring waits are joined)") << "\n";
  Table table({"to blame", "lost cycles", "share", "whom most"});
  for (const Blamed& blamed : byCause(stalls)) {
    const StallRow& most = blamed.rows.front();
    table.row({text(graph, blamed.cause), grouped(blamed.lost), percent(share(blamed.lost, stalls.lost)),
               graph.operators[most.victim].name + ", " + text(most.state) + ", " + grouped(most.lost)});
  }
  table.print(out, all ? 0 : 20);
  return out.str();
}

}  // namespace sluice::cli
