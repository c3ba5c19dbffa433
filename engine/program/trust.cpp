#include "engine/program/trust.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <sstream>

#include "engine/core/content_hash.h"
#include "engine/program/appearance.h"
#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"
#include "engine/program/input_hash.h"
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

std::string coveredPoint(const Document& document, const KnobValues& knobs, const InputSet& inputs) {
  ContentHash hash;
  hash.add(coveredContent(document));
  for (const auto& [name, value] : knobs) {
    hash.add(name);
    hash.add(value);
  }
  addInputs(hash, inputs);
  return hash.hex();
}

std::string confirmedPoint(const std::string& point, const std::string& recording) {
  return recording.empty() ? point : point + ":" + recording;
}

namespace {

constexpr std::string_view in_papers = ":published";

}  // namespace

std::string publishedPoint(const std::string& point) {
  return point + std::string(in_papers);
}

namespace {

/// The hashes of `covers`: of the document, then of points.
std::vector<std::string> hashesOf(const std::string& covers) {
  std::istringstream words(covers);
  return {std::istream_iterator<std::string>(words), {}};
}

/// RTL may have run a point that papers have, too.
std::size_t distinctPoints(std::span<const std::string> words) {
  std::set<std::string> points;
  for (const std::string& word : words) points.insert(word.substr(0, word.find(':')));
  return points.size();
}

/// `point`: the hash of the point that is asked for; asked for only where there are points.
TrustLabel labelOf(const Document& document, const std::function<std::string()>& point) {
  if (!document.provenance) return {};
  const Provenance& provenance = *document.provenance;
  TrustLabel label{provenance.trust, provenance.source, provenance.detail};
  label.claimed = provenance.trust;
  const std::vector<std::string> hashes = hashesOf(provenance.covers);
  const bool of_points = label.claimed == Trust::Rtl || label.claimed == Trust::Published;
  if (hashes.empty() && !of_points) return label;  // its author's word
  label.changed = !hashes.empty() && hashes.front() != coveredContent(document);
  const std::span points = std::span(hashes).subspan(hashes.empty() ? 0 : 1);
  if (!label.changed) label.points = distinctPoints(points);
  const Trust said = label.points > 0 && point ? trustOfPoint(provenance.covers, point()) : Trust::Model;
  label.elsewhere = !label.changed && said == Trust::Model && of_points;
  if (said != Trust::Model) label.trust = said;
  if (label.changed || label.elsewhere) label.trust = Trust::Model;
  return label;
}

}  // namespace

Trust trustOfPoint(const std::string& covers, const std::string& point) {
  Trust said = Trust::Model;
  const std::vector<std::string> hashes = hashesOf(covers);
  for (std::size_t i = 1; i < hashes.size(); ++i)
    if (hashes[i] == point || hashes[i].starts_with(point + ":"))
      said = std::max(said, hashes[i].ends_with(in_papers) ? Trust::Published : Trust::Rtl);
  return said;
}

TrustLabel trustOf(const Document& document) {
  return labelOf(document, {});
}

TrustLabel trustOf(const Document& document, const KnobValues& knobs, const InputSet& inputs) {
  return labelOf(document, [&] { return coveredPoint(document, knobs, inputs); });
}

TrustLabel ofMetric(const TrustLabel& label, std::string_view metric) {
  return metric == trusted_metric ? label : TrustLabel();
}

std::string_view trustName(Trust trust) {
  return spellings<Trust>.at(static_cast<std::size_t>(trust));
}

std::string shortText(const TrustLabel& label) {
  constexpr std::array<const char*, 4> words{"", "calibrated", "RTL", "published"};
  return words.at(static_cast<std::size_t>(label.trust));
}

std::string text(const TrustLabel& label) {
  if (label.changed) return "model only; the program has changed since it was compared";
  const bool papers = label.claimed == Trust::Published;
  if (label.elsewhere && label.points == 0)
    return papers ? "model only; the file says published, and of no point"
                  : "model only; no run of its RTL is recorded";
  if (label.elsewhere)
    return std::string("model only; ") + (papers ? "papers have " : "RTL confirms ") +
           std::to_string(label.points) + " other point" + (label.points == 1 ? "" : "s");
  constexpr std::array<const char*, 4> words{"model only", "calibrated on measurements", "confirmed by RTL",
                                             "reproduced from the papers"};
  const std::string word = words.at(static_cast<std::size_t>(label.trust));
  // Of RTL the recordings decide, whatever the source is said to be.
  return label.source.empty() || label.trust == Trust::Rtl ? word : word + " (" + label.source + ")";
}

}  // namespace sluice::inline program
