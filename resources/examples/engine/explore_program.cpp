// Opens a program, simulates its default point, searches its design space and prints the frontier:
//   explore_program PROGRAM.sluice

#include <iostream>

#include "engine/explorer/explore.h"
#include "engine/program/file_format.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: explore_program PROGRAM.sluice\n";
    return 2;
  }
  const std::filesystem::path file = argv[1];
  // What a user can cause comes back as diagnostics: where, why, and what to do.
  sluice::Result<sluice::Document> document = sluice::loadDocument(file);
  if (!document) return std::cerr << text(document.diagnostics()), 1;
  const auto workload = sluice::makeWorkload(*std::move(document), file.parent_path());
  if (!workload) return std::cerr << text(workload.diagnostics()), 1;

  const sluice::KnobValues knobs = defaultKnobs((*workload)->document);
  const auto point = sluice::evaluate(**workload, knobs, sluice::RecordMode::Count);
  if (!point) return std::cerr << text(point.diagnostics()), 1;
  std::cout << "default point: " << point->point.metrics.cycles << " cycles\n";

  sluice::ExploreOptions options;
  options.strategy = "nsga2";
  options.budget = 200;
  options.objectives = {"cycles", "on_chip_bytes"};
  const auto executor = sluice::makeExecutor();
  const auto exploration = sluice::explore(**workload, *executor, options);
  if (!exploration) return std::cerr << text(exploration.diagnostics()), 1;
  for (const std::size_t i : exploration->frontier) {
    for (const auto& [knob, value] : exploration->points[i].knobs) std::cout << knob << "=" << value << " ";
    std::cout << exploration->points[i].metrics.cycles << " cycles\n";
  }
}
