#include "engine/explorer/store/workload_hash.h"

#include <xxhash.h>

#include <array>
#include <memory>

#include "engine/program/appearance.h"
#include "engine/program/file_format.h"

namespace sluice::inline explorer {
namespace {

/// What an evaluation at given knob values reads of the document.
Document essence(const Document& document) {
  Document core = document;
  dropAppearance(core);
  for (Knob& knob : core.knobs) {
    Knob bare;
    bare.name = knob.name;
    bare.choices = knob.choices;  // their order is what a Choice's values mean
    knob = std::move(bare);
  }
  for (Input& input : core.inputs)
    input.file.clear(), input.data.reset();  // their values are hashed themselves
  return core;
}

class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }

  void add(std::string_view bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  void add(std::int64_t number) {
    std::array<unsigned char, 8> bytes;  // little-endian on every machine
    for (std::size_t i = 0; i < 8; ++i)
      bytes[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * i));
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  std::string hex() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    std::string digits;
    for (const unsigned char byte : canonical.digest) {
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

}  // namespace

std::string workloadHash(const Workload& workload) {
  Hasher hasher;
  hasher.add(writeDocument(essence(workload.document)));
  for (const auto& [name, input] : workload.inputs) {
    hasher.add(name);
    hasher.add(static_cast<std::int64_t>(input.kind));
    hasher.add(input.experts);
    hasher.add(static_cast<std::int64_t>(input.tensor.shape.size()));
    for (const std::size_t extent : input.tensor.shape) hasher.add(static_cast<std::int64_t>(extent));
    hasher.add(static_cast<std::int64_t>(input.tensor.data.size()));
    for (const std::int64_t value : input.tensor.data) hasher.add(value);
  }
  return hasher.hex();
}

}  // namespace sluice::inline explorer
