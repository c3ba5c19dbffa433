#include "engine/program/trust.h"

#include <filesystem>

#include "engine/core/content_hash.h"
#include "engine/program/appearance.h"
#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"
#include "engine/program/trace_source.h"

namespace sluice::inline program {

std::string coveredContent(const Document& document) {
  Document plain = document;
  dropAppearance(plain);
  for (Knob& knob : plain.knobs) {
    knob.initial = 0;
    knob.help.clear();
  }
  plain.machine.technology.clear();  // of energy, power and area
  plain.machine.clock_mhz = Machine().clock_mhz;
  for (Input& input : plain.inputs)
    if (!isTraceSet(input.file)) input.file = std::filesystem::path(input.file).filename().string();
  ContentHash hash;
  hash.add(writeDocument(plain));
  return hash.hex();
}

TrustLabel trustOf(const Document& document) {
  if (!document.provenance) return {};
  const Provenance& provenance = *document.provenance;
  const bool changed = !provenance.covers.empty() && provenance.covers != coveredContent(document);
  return {changed ? Trust::Model : provenance.trust, provenance.source, provenance.detail, changed};
}

std::string_view trustName(Trust trust) {
  return spellings<Trust>.at(static_cast<std::size_t>(trust));
}

std::string shortText(const TrustLabel& label) {
  constexpr std::array<const char*, 4> words{"", "calibrated", "RTL", "published"};
  return words.at(static_cast<std::size_t>(label.trust));
}

std::string text(const TrustLabel& label) {
  if (label.changed) return "model only (changed since it was held against " + label.source + ")";
  constexpr std::array<const char*, 4> words{"model only", "calibrated on measurements", "confirmed by RTL",
                                             "reproduced from the papers"};
  const std::string word = words.at(static_cast<std::size_t>(label.trust));
  return label.source.empty() ? word : word + " (" + label.source + ")";
}

}  // namespace sluice::inline program
