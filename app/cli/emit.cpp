// sluice-cli emit: a design as a project for hardware. What it is written as is a subcommand: emit.h.

#include "app/cli/emit.h"

namespace sluice::cli {

Command emitCommand() {
  const auto run = [](Process&) -> int {
    throw WrongUse{"missing-argument", "emit needs a form: hls or rtl"};
  };
  return {
      .name = "emit",
      .summary =
          "write a design as a project for hardware: 'emit hls' for Vitis HLS, 'emit rtl' as SystemVerilog",
      .examples = {{"emit hls gpt2 --set tokens=4 --no-data -o gpt2_sources", "the C++ of a block"},
                   {"emit rtl sample_workloads/swiglu.sluice -o swiglu_rtl",
                    "a scheduled program, its FIFOs and its memory as modules that Verilator runs"}},
      .run = run,
      .commands = {emitHlsCommand(), emitRtlCommand()}};
}

}  // namespace sluice::cli
