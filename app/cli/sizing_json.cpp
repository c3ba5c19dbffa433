// What a sizing of a program's FIFOs found, as JSON.

#include "app/cli/sizing_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace sluice::cli {

Json sizingJson(const ProgramSizing& sizing) {
  Json changes = Json::array();
  for (const Repair::Change& change : sizing.changes) changes.push_back(changeJson(change));
  Json json = {{"cycles_before", sizing.cycles_before ? Json(*sizing.cycles_before) : Json()},
               {"cycles_after", sizing.cycles_after},
               {"bytes_before", std::llround(sizing.bytes_before)},
               {"bytes_after", std::llround(sizing.bytes_after)},
               {"bram_blocks_before", sizing.blocks_before},
               {"bram_blocks_after", sizing.blocks_after},
               {"changes", std::move(changes)}};
  for (const SimulatedSizing& point : sizing.front) {
    Json depths = Json::object();
    for (std::size_t i = 0; i < point.depths.size(); ++i) depths[sizing.fifos[i].name] = point.depths[i];
    json["front"].push_back({{"bytes", point.bytes},
                             {"bram_blocks", point.blocks},
                             {"cycles", point.cycles},
                             {"depths", std::move(depths)}});
  }
  return json;
}

}  // namespace sluice::cli
