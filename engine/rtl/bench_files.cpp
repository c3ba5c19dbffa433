#include "engine/rtl/bench_files.h"

#include <algorithm>
#include <array>

#include "engine/operators/registry.h"

namespace sluice::inline rtl {
namespace {

/// "operator_1 in 0": a port of the operator, and which of the bundle.
std::string portText(const FlatOperator& op, const std::vector<PortSpec>& ports, std::uint32_t port) {
  for (const PortSpec& spec : ports) {
    const std::uint32_t width =
        spec.width.empty() ? 1 : static_cast<std::uint32_t>(op.parameters.integer(spec.width));
    if (port < width) return spec.name + " " + std::to_string(port);
    port -= width;
  }
  return "port 0";
}

std::string waitText(const RtlPlan& plan, const BlockedOperator& blocked) {
  const FlatOperator& op = plan.graph->operators[blocked.op];
  const FlatStream& stream = plan.graph->streams[blocked.stream];
  if (blocked.reason == WaitReason::Memory) return "memory memory 0";
  if (blocked.reason == WaitReason::Full)
    return "room " + portText(op, op.spec->outputs, stream.producer_port);
  return "token " + portText(op, op.spec->inputs, stream.consumer_port);
}

}  // namespace

std::string sizesFile(const TokenSizes& sizes) {
  const bool computes = sizes.elements > 0;
  const auto constant = [](const std::string& type, const std::string& name, std::uint64_t value) {
    return "  localparam " + type + " " + name + " = " + std::to_string(value) + ";\n";
  };
  std::string text = "// Sizes of this program.\n";
  text += "`define SLUICE_VALUE_BITS " + std::to_string(sizes.value_bits) + "\n";
  if (computes) text += "`define SLUICE_COMPUTES\n";
  text += "package sluice_program;\n" + constant("int", "GROUP_TOKENS", sizes.group_tokens + 1);
  if (computes)
    text += constant("int", "ELEMENTS", sizes.elements) + constant("bit", "BFLOAT16", sizes.bfloat16 ? 1 : 0);
  return text + "endpackage\n";
}

std::string testBench(const std::vector<std::string>& prefixes, const std::string& runs) {
  std::string text =
      "// Plays the program's inputs and prints what happens, a line each: the cycles at the end (or when it "
      "deadlocks),\n"
      "// the tokens of every stream, and in a deadlock who waits for what.\n"
      "/* verilator lint_off WIDTH */\n"
      "module testbench;\n  logic clk = 0, rst = 1;\n  logic [" +
      std::to_string(prefixes.size() - 1) + ":0] ended;\n";
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    text += "  " + prefixes[i] + "_run " + prefixes[i] + "_run (.clk, .rst, .ended(ended[" +
            std::to_string(i) + "]));\n";
  return text +
         "  always #1 clk = !clk;\n"
         "`ifdef SLUICE_RECORDS\n  initial begin\n    $dumpfile(\"out/run.vcd\");\n    $dumpvars;\n  "
         "end\n`endif\n"
         "  initial begin\n    #4 rst = 0;\n    wait (&ended);\n    $finish;\n  end\nendmodule\n\n" +
         runs;
}

namespace {

/// " lib/NAME.sv" of each module that is wanted.
template <typename Wanted>
std::string moduleFiles(const std::vector<RtlModule>& library, Wanted wanted) {
  std::string files;
  for (const RtlModule& module : library)
    if (wanted(module)) files += " lib/" + std::string(module.file) + ".sv";
  return files;
}

bool isPackage(const RtlModule& module) {
  return module.file.starts_with("sluice_");
}

/// What the run printed, and whether it is what a run should be: to its end, with the values that are
/// expected.
constexpr const char* simulation_target = R"make(# A run that ends has a line "cycles".
sim: out/result.txt
	@grep -E '^(cycles|deadlock|fault|waits|stored|elements) ' out/result.txt || true
	@if grep -q '^fault ' out/result.txt; then \
	  echo "sim: failed, an operator got what it cannot accept: see 'fault'"; exit 1; \
	elif grep -q '^deadlock ' out/result.txt; then \
	  echo "sim: failed, the program deadlocks: see 'waits' for who waits for what"; exit 1; \
	elif grep -q '^stored .* other values' out/result.txt; then \
	  echo "sim: failed, what was stored is not what is expected: see 'stored ... other values'"; exit 1; \
	elif ! grep -q '^cycles ' out/result.txt; then \
	  echo "sim: failed, the run stopped before its end"; exit 1; fi

)make";

/// What differs from what is expected: the first lines, and in a file all of them.
constexpr const char* check_target = R"make(check: out/result.txt
	sed 's/ TOP\./ /; s/\.inner_operator / /' out/result.txt | LC_ALL=C sort | grep -E '^(cycles|deadlock|fault|waits|tokens|stored)' > out/sorted.txt
	@if diff expected.txt out/sorted.txt > out/differences.txt; then echo the same; exit 0; fi; \
	for side in '>' '<'; do \
	  grep "^$$side" out/differences.txt | head -n 4; \
	  more=$$(($$(grep -c "^$$side" out/differences.txt) - 4)); \
	  test $$more -le 0 || echo "$$side ... and $$more more lines"; \
	done; \
	echo "check: failed, '>' is what the run has, '<' what is expected; all lines are in out/differences.txt"; exit 1

)make";

/// A run on other data than the program has would be of other tokens, or end without a word.
constexpr const char* data_rule = R"make(out/data.txt: $(wildcard data data/* data/*/*)
	@mkdir -p out
	@for each in $(DATA); do file=$${each%:*}; wanted=$${each##*:}; \
	  test -r $$file || { echo "data: failed, $$file is not there; $$wanted numbers are expected in it"; exit 1; }; \
	  LC_ALL=C awk -v file=$$file -v wanted=$$wanted ' \
	    { sub("//.*", ""); gsub("[ \t\r]", "") } \
	    $$0 == "" { next } \
	    $$0 !~ /^[0-9a-fA-F_]+$$/ { \
	      found = substr($$0, 1, 20); gsub("[^ -~]", "?", found); wrong = 1; \
	      print "data: failed, " file ", line " FNR ": a hexadecimal number is expected, and \047" found "\047 found"; exit } \
	    { numbers++ } \
	    END { \
	      if (!wrong && numbers != wanted) { \
	        wrong = 1; print "data: failed, " file ": " wanted " numbers are expected, one a line, and " numbers + 0 " found" }; \
	      exit wrong }' $$file || exit 1; \
	done
	@touch $@

)make";

/// The files that the test bench reads, with how many numbers each has.
std::string dataTargets(const std::vector<ProjectFile>& data) {
  std::string list;
  for (const ProjectFile& file : data)
    list += " " + file.path + ":" + std::to_string(std::ranges::count(file.bytes, '\n'));
  return "# What the test bench reads, and how many numbers each file has.\nDATA =" + list + "\n" + data_rule;
}

/// The files that Yosys reads, what it does, and the test bench with its netlist in the program's place.
std::string synthesisTargets(const std::vector<RtlModule>& library) {
  const std::string boxes = moduleFiles(library, [](const RtlModule& module) { return module.black_box; });
  const std::string beside =
      moduleFiles(library, [](const RtlModule& module) { return module.simulation && !isPackage(module); });
  return "# What Yosys (0.23 or later) reads: the program without the memories beside it.\n"
         "YOSYS ?= yosys\n"
         "DESIGN = sizes.sv lib/sluice_types.sv" +
         moduleFiles(library,
                     [](const RtlModule& module) {
                       return !module.black_box && !module.simulation && !isPackage(module);
                     }) +
         " program.sv\n"
         "BOXES =" +
         boxes +
         "\n\n"
         "synth: out/netlist.v\n\tcat out/cells.txt\n\n"
         "out/netlist.v: $(DESIGN) $(BOXES)\n\tmkdir -p out\n"
         "\t$(YOSYS) -q -p \"read_verilog -sv -defer $(DESIGN); read_verilog -sv -lib $(BOXES); hierarchy "
         "-check "
         "-top "
         "top; proc; opt; \\\n"
         "\t  memory; opt; check -assert; select -assert-none t:\\$$dlatch; tee -q -o out/cells.txt stat; "
         "write_verilog -noattr out/netlist.v\" \\\n"
         "\t  > out/synth.log 2>&1 || { cat out/synth.log; rm -f out/netlist.v; exit 1; }\n\n"
         "check-synth: out/synth/Vtestbench\n"
         "\tout/synth/Vtestbench | sed 's/ TOP\\./ /' | grep -E '^(cycles|deadlock) ' > "
         "out/synth/result.txt\n"
         "\tgrep -E '^(cycles|deadlock) ' expected.txt | diff - out/synth/result.txt && echo the same\n\n"
         "out/synth/Vtestbench: out/netlist.v testbench.sv\n\tmkdir -p out/synth\n"
         "\t$(COMPILE) --Mdir out/synth sizes.sv lib/sluice_types.sv lib/sluice_groups.sv $(BOXES)" +
         beside +
         " out/netlist.v testbench.sv \\\n"
         "\t  > out/synth/build.log 2>&1 || { cat out/synth/build.log; exit 1; }\n\n";
}

}  // namespace

std::string projectMakefile(const std::vector<RtlModule>& library, const std::vector<ProjectFile>& data,
                            bool synthesizable) {
  // Packages before those who use them.
  constexpr std::array<std::string_view, 4> packages{"sluice_float32", "sluice_types", "sluice_tiles",
                                                     "sluice_groups"};
  std::string sources = "sizes.sv";
  for (const std::string_view package : packages) sources += " lib/" + std::string(package) + ".sv";
  sources += moduleFiles(library, [](const RtlModule& module) { return !isPackage(module); });
  return std::string(
             "# make sim: runs the test bench; fails where the run does not end, or stores other values than "
             "expected.\n"
             "# make check: runs it and compares with what the simulator says, be it a deadlock.\n"
             "# make vcd: records who waits for what, and how full FIFOs are, in out/run.vcd.\n"
             "# make tokens: writes every token of every FIFO into out/tokens.txt.\n") +
         (synthesizable ? "# make synth: Yosys reads the program; its cells. make check-synth: the netlist "
                          "in the test bench.\n"
                        : "") +
         "VERILATOR ?= verilator\n"
         "# 1: the C++ of the simulation in one file, which takes half the processor time.\n"
         "JOBS ?= 2\n"
         "OPTIMISATION ?= -O1\n"
         "COMPILE = $(VERILATOR) --binary --timing -j $(JOBS) --top-module testbench -Wno-fatal -Wno-lint "
         "\\\n"
         "  $(if $(filter 1,$(JOBS)),,--output-split 100000) -CFLAGS \"$(OPTIMISATION)\" \\\n"
         "  -MAKEFLAGS \"$(if $(filter 1,$(JOBS)),VM_PARALLEL_BUILDS=0) OPT_FAST=$(OPTIMISATION) "
         "OPT_SLOW=-O0 "
         "OPT_GLOBAL=-O1\"\n"
         "SOURCES = " +
         sources + " program.sv testbench.sv\n\n" + simulation_target + check_target + dataTargets(data) +
         "vcd: out/run.vcd\n\n"
         "out/run.vcd: out/recorded/Vtestbench out/data.txt $(wildcard data "
         "data/*)\n\tout/recorded/Vtestbench > "
         "out/recorded/result.txt\n\n"
         "out/recorded/Vtestbench: $(SOURCES)\n\tmkdir -p out/recorded\n"
         "\t$(COMPILE) --trace -DSLUICE_RECORDS --Mdir out/recorded $(SOURCES) > out/recorded/build.log 2>&1 "
         "|| { "
         "cat out/recorded/build.log; exit 1; }\n\n"
         "# README.md says what its columns are.\n"
         "tokens: out/tokens.txt\n\n"
         "out/tokens.txt: out/told/Vtestbench out/data.txt $(wildcard data data/*)\n\tout/told/Vtestbench > "
         "out/told/result.txt\n"
         "\techo fifo number cycle stop targets > out/tokens.txt\n"
         "\tsed -n 's/^token TOP\\.//p' out/told/result.txt >> out/tokens.txt\n\n"
         "out/told/Vtestbench: $(SOURCES)\n\tmkdir -p out/told\n"
         "\t$(COMPILE) -DSLUICE_TELLS_TOKENS --Mdir out/told $(SOURCES) > out/told/build.log 2>&1 || { cat "
         "out/told/build.log; exit 1; }\n\n"
         "# The folder, too: that a file is gone is a change.\n"
         "out/result.txt: out/Vtestbench out/data.txt $(wildcard data data/*)\n\tout/Vtestbench > "
         "out/result.txt "
         "|| { tail -n 5 out/result.txt; exit 1; }\n\n"
         "out/Vtestbench: $(SOURCES)\n\tmkdir -p out\n"
         "\t$(COMPILE) --Mdir out $(SOURCES) > out/build.log 2>&1 || { cat out/build.log; exit 1; }\n\n" +
         (synthesizable ? synthesisTargets(library) : "") +
         "clean:\n\trm -rf out\n\n.PHONY: sim check vcd tokens " +
         (synthesizable ? "synth check-synth " : "") +
         "clean\n# What a run has left half is not taken for its result.\n.DELETE_ON_ERROR:\n";
}

std::string projectReadme() {
  return "# A streaming tensor program as SystemVerilog\n\n"
         "`make sim` runs the test bench with Verilator (5.006 or later) and prints the cycles at the end, "
         "or who waits for\n"
         "what in a deadlock. It fails, and says why, where the run deadlocks, an operator gets what it "
         "cannot "
         "accept, or what was\n"
         "stored is not what is expected. `make check` compares all that, and the tokens of every stream, "
         "with "
         "what Sluice's simulator\n"
         "says (`expected.txt`); a deadlock that is expected there is none of its failures. The first "
         "differences are printed, all are\nin `out/differences.txt`. A file in `data/` that is damaged is "
         "named, with what is expected in it. `make vcd` "
         "records at every cycle for what each operator waits and how many "
         "tokens "
         "are in each\nFIFO, in `out/run.vcd`: `sluice-cli compare FILE --measured out/run.vcd` shows it "
         "beside the "
         "model.\n\n"
         "`make tokens` writes when every token of every FIFO arrives, a line each in the order in which "
         "they "
         "are sent, into\n`out/tokens.txt`:\n\n"
         "| column | |\n| --- | --- |\n"
         "| `fifo` | the path of the FIFO |\n"
         "| `number` | of the token in it, from 0 on |\n"
         "| `cycle` | in which its reader may see it, which is after the one in which it is sent |\n"
         "| `stop` | how many of the innermost dimensions end with it; 0: none |\n"
         "| `targets` | of a selector the outputs that it chooses, a bit each, in hexadecimal; 0 of all "
         "other "
         "tokens |\n\n"
         "`make synth` has Yosys (0.23 or later) read the program and prints its cells; `make check-synth` "
         "runs the "
         "netlist in the\ntest bench. Both memories, off chip and of buffers and tuples, stay outside. "
         "(Programs "
         "whose tiles carry elements have\nneither.)\n\n"
         "| file | what |\n| --- | --- |\n"
         "| `program.sv` | the program and its regions, operators and FIFOs under the program's names |\n"
         "| `lib/` | one module a kind of operator, the FIFO, the off-chip memory |\n"
         "| `testbench.sv`, `data/` | the test bench and the inputs that it plays |\n"
         "| `sizes.sv` | sizes of this program |\n\n"
         "Tokens carry kinds, sizes and stop levels, no elements; computing is a count of cycles.\n";
}

std::string expectedText(const RtlPlan& plan, const SimulationResult& run, const std::string& prefix) {
  const std::string above = "testbench." + prefix + "_run";
  std::vector<std::string> lines;
  if (run.fault) {
    lines.push_back("fault " + above + "." + operatorPath(plan, run.fault->op));
  } else if (run.deadlock) {
    lines.push_back("deadlock " + above);
    for (const BlockedOperator& blocked : run.deadlock->blocked)
      lines.push_back("waits " + above + "." + operatorPath(plan, blocked.op) + " " +
                      waitText(plan, blocked));
  } else {
    lines.push_back("cycles " + above + " " + std::to_string(run.cycles));
  }
  for (StreamId stream = 0; stream < run.streams.size(); ++stream)
    lines.push_back("tokens " + above + "." + streamPath(plan, stream) + " " +
                    std::to_string(run.streams[stream].tokens));
  if (plan.computed)
    for (const auto& [op, tiles] : plan.computed->operators)
      if (definitionOf(plan.graph->operators[op]).memory == MemoryRole::Writer)
        lines.push_back("stored " + above + "." + operatorPath(plan, op) + ".tiles as expected");
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace sluice::inline rtl
