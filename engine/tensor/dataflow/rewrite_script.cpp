#include "engine/tensor/dataflow/rewrite_script.h"

#include "engine/tensor/itensor/itensor_text.h"

namespace sluice {
namespace {

constexpr std::string_view nothing = "none", everywhere = "everywhere";

/// The rewrite whose name the text begins with; of several the longest.
const DataflowRewrite* rewriteAtStart(std::string_view written) {
  const DataflowRewrite* found = nullptr;
  for (const DataflowRewrite& rewrite : dataflowRewrites()) {
    const bool begins = written.starts_with(rewrite.name) &&
                        (written.size() == rewrite.name.size() || written[rewrite.name.size()] == ' ');
    if (begins && (!found || rewrite.name.size() > found->name.size())) found = &rewrite;
  }
  return found;
}

/// Behind the last quote, so that names may have anything in them.
std::size_t argumentAt(const std::string& rest) {
  const std::size_t quote = rest.rfind('\''), from = quote == std::string::npos ? 0 : quote;
  return rest.find(" by ", from);
}

Result<RewriteChoice> choiceWritten(const DataflowDesign& design, const DataflowRewrite& rewrite,
                                    const std::string& rest) {
  const std::size_t at = argumentAt(rest);
  RewriteArgument argument;
  if (at != std::string::npos) {
    Result<std::vector<std::int64_t>> shape = parseTensorShape(rest.substr(at + 4), "'" + rest + "'");
    if (!shape) return shape.diagnostics();
    argument = *std::move(shape);
  }
  return choiceNamed(design, rewrite.name, rest.substr(0, at), argument);
}

}  // namespace

Result<RewriteStep> applyWritten(const DataflowDesign& design, const std::string& written,
                                 const std::stop_token& stop) {
  if (written == nothing) {
    const DesignSummary summary = summarise(design);
    return RewriteStep{written, design, summary, summary};
  }
  const DataflowRewrite* rewrite = rewriteAtStart(written);
  if (!rewrite) return rewriteNamed(written).diagnostics();
  if (written.size() == rewrite->name.size())
    return Diagnostic{Severity::Error, Location(Where::Rewrite, written), "it does not say where",
                      "write a place behind it, or 'everywhere'"};
  const std::string rest = written.substr(rewrite->name.size() + 1);
  if (rest == everywhere) return applyEverywhere(design, *rewrite, stop);
  const Result<RewriteChoice> choice = choiceWritten(design, *rewrite, rest);
  if (!choice) return choice.diagnostics();
  return applyRewrite(design, *choice);
}

Result<std::vector<RewriteStep>> applyWritten(const DataflowDesign& design,
                                              std::span<const std::string> written,
                                              const std::stop_token& stop) {
  std::vector<RewriteStep> steps;
  for (const std::string& one : written) {
    Result<RewriteStep> step = applyWritten(steps.empty() ? design : steps.back().after, one, stop);
    if (!step && isCancelled(step.diagnostics())) return step.diagnostics();
    if (!step) {
      Diagnostic first = step.diagnostics().front();
      first.place =
          Location(Where::Rewrite, static_cast<std::int64_t>(steps.size() + 1), {}, one) / first.place;
      return first;
    }
    steps.push_back(*std::move(step));
  }
  return steps;
}

std::vector<RewriteOffer> offersOf(const DataflowDesign& design, const DataflowRewrite& rewrite) {
  std::vector<RewriteOffer> offers;
  const DesignIndex index(design);
  for (const RewritePlace& place : placesOf(design, rewrite.kind)) {
    RewriteOffer offer{{&rewrite, place, rewrite.suggested(index, place)}, nameOf(design, place), {}};
    if (const Result<Done> legal = rewrite.check(index, place, offer.choice.argument); !legal)
      offer.refused = legal.diagnostics().front();
    offers.push_back(std::move(offer));
  }
  return offers;
}

}  // namespace sluice
