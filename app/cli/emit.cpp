// sluice-cli emit: a design as a project for hardware. What it is written as is a subcommand: emit.h.

#include "app/cli/emit.h"

namespace sluice::cli {

Command emitCommand() {
  const auto run = [](Process&) -> int { throw WrongUse{"missing-argument", "emit needs a form: hls"}; };
  return {.name = "emit",
          .summary = "write a design as a project for hardware: 'emit hls' for Vitis HLS",
          .examples = {{"emit hls gpt2 --set tokens=4 --no-data -o gpt2_sources", "the C++ of a block"},
                       {"emit hls gpt2 --set tokens=4 --set tile=32 --platform u55c -o gpt2_u55c",
                        "placed on a card, with what the test bench reads"}},
          .run = run,
          .commands = {emitHlsCommand()}};
}

}  // namespace sluice::cli
