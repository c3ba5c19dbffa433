#pragma once
// What every program that opens a document does first; shared by the targets that read documents.

#include "engine/explorer/evaluate.h"
#include "engine/program/file_format.h"
#include "tests/fuzz/fuzz_target.h"

namespace sluice::fuzz {

/// Written and read again it is the same; it is opened, sized and typed, or refused with reasons.
inline void open(const Document& document) {
  const std::string written = writeDocument(document);
  const Result<Document> again = parseDocument(written, "again");
  insist(bool(again), "what is written is read");
  insist(writeDocument(*again) == written, "what is written is read as the same");
  const auto workload = makeWorkload(document, "/nonexistent");
  if (!workload) return insistOnReasons(workload.diagnostics());
  const auto symbolic = evaluateSymbolic(**workload, defaultKnobs(document));
  if (!symbolic) insistOnReasons(symbolic.diagnostics());
}

}  // namespace sluice::fuzz
