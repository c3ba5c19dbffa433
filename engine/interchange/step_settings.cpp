// HBMConfig and SimConfig of the authors' front end, from JSON.

#include "engine/interchange/step_settings.h"

#include <charconv>
#include <limits>

#include "engine/program/json_reader.h"

namespace sluice::inline interchange {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 30;  // as a depth, a width or a time of one request

/// A whole number from `least` on; null where `otherwise` says what it stands for.
std::int64_t count(JsonDecoder& reading, const JsonCursor& spot, std::int64_t least,
                   std::optional<std::int64_t> otherwise = {}) {
  if (otherwise && std::holds_alternative<std::monostate>(spot.json().value)) return *otherwise;
  const std::int64_t* number = std::get_if<std::int64_t>(&spot.json().value);
  if (number && *number >= least && *number <= most) return *number;
  reading.mismatch(spot, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                   otherwise ? "write a number, or null for the simulator's default" : "write a number");
  return least;
}

/// {"17": 16}: an operator's id and a number from 1 on; null: of no operator.
std::map<std::int64_t, std::int64_t> perOperator(JsonDecoder& reading, const JsonCursor& spot,
                                                 std::optional<std::int64_t> otherwise = {}) {
  std::map<std::int64_t, std::int64_t> numbers;
  if (std::holds_alternative<std::monostate>(spot.json().value)) return numbers;
  const Json::Object* object = spot.json().object();
  if (!object) {
    reading.mismatch(spot, "an object of operator ids and numbers", "write for example {\"17\": 16}");
    return numbers;
  }
  for (const JsonMember& member : *object) {
    std::uint32_t id = 0;
    const char* const end = member.key.data() + member.key.size();
    const auto [stop, error] = std::from_chars(member.key.data(), end, id);
    if (error != std::errc() || stop != end) {
      reading.refuse("unknown-name", spot.member(member), "\"" + member.key + "\" is no operator's id",
                     "write the id that the operator has in the graph, as in {\"17\": 16}");
    } else {
      numbers[id] = count(reading, spot.member(member), 1, otherwise);
    }
  }
  return numbers;
}

void readHbm(JsonDecoder& reading, const JsonCursor& root, HbmConfig& config) {
  const ObjectReader object(reading, root, "an HBMConfig",
                            {"addr_offset", "channel_num", "per_channel_latency", "per_channel_init_interval",
                             "per_channel_outstanding", "per_channel_start_up_time"});
  if (!object) return;
  const auto number = [&](std::string_view key, std::int64_t least, std::int64_t& target) {
    if (const auto spot = object.require(key)) target = count(reading, *spot, least);
  };
  number("addr_offset", 1, config.request_bytes);
  number("channel_num", 1, config.channels);
  number("per_channel_latency", 0, config.latency);
  number("per_channel_init_interval", 1, config.initiation_interval);
  number("per_channel_start_up_time", 0, config.start_up);
  if (const auto spot = object.find("per_channel_outstanding")) count(reading, *spot, 0);
}

void readSim(JsonDecoder& reading, const JsonCursor& root, SimConfig& config) {
  const ObjectReader object(
      reading, root, "a SimConfig",
      {"channel_depth", "config_dict", "mock_bf16", "functional_sim", "on_chip_bandwidth", "buffer_depths"});
  if (!object) return;
  if (const auto spot = object.find("channel_depth"))
    config.channel_depth = count(reading, *spot, 1, SimConfig::default_depth);
  if (const auto spot = object.find("config_dict"))
    config.depths = perOperator(reading, *spot, SimConfig::default_depth);
  object.optional("mock_bf16", config.mock_bf16);
  if (const auto spot = object.find("on_chip_bandwidth")) config.on_chip_bandwidth = count(reading, *spot, 1);
  if (const auto spot = object.find("buffer_depths")) config.buffer_depths = perOperator(reading, *spot);
  object.optional("functional_sim", config.functional);
}

}  // namespace

void HbmConfig::applyTo(Machine& machine) const {
  machine.hbm_request_bytes = Value(request_bytes);
  machine.hbm_channels = Value(channels);
  machine.hbm_latency = Value(latency);
  machine.hbm_initiation_interval = Value(initiation_interval);
  machine.hbm_start_up = Value(start_up);
}

Result<HbmConfig> parseHbmConfig(std::string_view json, const std::string& name) {
  return parseWhole<HbmConfig>(json, name, readHbm);
}

Result<SimConfig> parseSimConfig(std::string_view json, const std::string& name) {
  return parseWhole<SimConfig>(json, name, readSim);
}

}  // namespace sluice::inline interchange
