#include "engine/tensor/hls/build_files.h"

#include <cmath>

#include "engine/core/extents_text.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/group_code.h"

namespace sluice::inline tensor {
namespace {

std::int64_t hertz(const Platform& platform) {
  return std::llround(platform.clock_mhz * 1e6);
}

std::string allTops(const HlsPlan& plan) {
  std::string all;
  for (const std::string& top : plan.tops) all += (all.empty() ? "" : " ") + top;
  return all;
}

/// The rules that do without the vendor's compiler and linker.
constexpr const char* without_the_compiler = R"make(
KERNELS = $(TOPS:%=build/%.o)
# The host program does without the vendor's compiler; ap_int.h is that of csim/.
HOST_FLAGS = -std=c++17 -pthread -Wall -Wextra -Wno-unknown-pragmas -Isrc -Ibench -idirafter csim
XRT_FLAGS ?= $(if $(XILINX_XRT),-I$(XILINX_XRT)/include -L$(XILINX_XRT)/lib,-I/usr/include/xrt)
TARGET ?= hw

csim: build/csim
	mkdir -p out
	./build/csim

host_csim: build/host_csim
	mkdir -p out
	./build/host_csim csim

host: build/host

run: build/host build/design.xclbin
	mkdir -p out
	test $(TARGET) = hw || emconfigutil --platform $(PLATFORM) --od build
	$(if $(filter hw,$(TARGET)),,XCL_EMULATION_MODE=$(TARGET)) ./build/host build/design.xclbin

build/csim: $(KERNELS) build/testbench.o
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -o $@ $^

build/%.o: src/%.cpp $(wildcard src/*.h csim/*.h)
	mkdir -p build
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -c -o $@ $<

build/testbench.o: bench/testbench.cpp $(wildcard bench/*.h src/*.h csim/*.h)
	mkdir -p build
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -c -o $@ $<

build/host_csim: host/host.cpp csim/kernels.cpp $(KERNELS) $(wildcard host/*.h bench/*.h src/*.h csim/runtime/xrt/*.h)
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -Icsim/runtime -idirafter csim -o $@ $(filter %.cpp %.o,$^)

build/host: host/host.cpp $(wildcard host/*.h bench/*.h src/*.h)
	mkdir -p build
	$(CXX) $(CXXFLAGS) $(HOST_FLAGS) -o $@ $< $(XRT_FLAGS) -lxrt_coreutil

)make";

/// "`x` 4 x 16, `mask` 4 x 4": what the program reads from outside.
std::string arraysText(const HlsPlan& plan) {
  std::string list;
  for (const TensorValue& tensor : plan.design().program.tensors)
    if (tensor.role != TensorRole::Activation)
      list += (list.empty() ? "`" : ", `") + CodeWriter::commentText(tensor.name) + "` " +
              extentsText(tensor.shape);
  return list;
}

}  // namespace

std::string projectReadme(const HlsPlan& plan, const std::string& target) {
  std::size_t kernels = 0, converters = 0, transfers = 0;
  for (const Task& task : plan.design().tasks) {
    kernels += task.kind == TaskKind::Compute;
    converters += task.kind == TaskKind::Converter;
    transfers += isTransfer(task);
  }
  const auto shown = [](const std::string& text) { return CodeWriter::commentText(text); };
  return joined("# ", shown(plan.design().program.name), "\n\n", kernels, " kernels, ", converters,
                " layout converters, ", transfers, " transfers and ", plan.streams.size(), " streams in ",
                plan.tops.size(), plan.tops.size() == 1 ? " group, for " : " groups, for ", shown(target),
                ". Written by Sluice ", SLUICE_VERSION, ".\n\n",
                R"(| where | what |
| --- | --- |
| `src/` | a file for each group: a function for each task, and the top function that joins them |
| `bench/`, `data/` | the test bench, its inputs and the results that the program computes |
| `host/` | the host program, for the vendor's runtime (XRT) |
| `csim/` | streams with the emitted depths, ping-pong buffers, vectors and a runtime in place of the vendor's |
| `link/connectivity.cfg` | kernels, clock and memory channels for the linker |

* `make csim` compiles and runs everything with g++: every process of a dataflow region is a thread, every FIFO has its
  emitted depth, and compares the results. `./build/csim` ends with 0; with 1 where they differ; with 3, naming who waits
  for what, where all processes wait for each other; with 2 where an option or an array is wrong. `make` ends with 2 for each
  of these, as it does for any command that fails. `./build/csim --depth NAME=SLOTS` tries another depth, `--peaks` prints
  how full each stream was.
* `make csim VENDOR_HEADERS=DIR` compiles against the vendor's headers instead (`hls_stream.h`, `hls_streamofblocks.h`,
  `hls_vector.h`, with narrow numbers `ap_int.h`); processes then run one after the other.
* `make host_csim` runs the host program: its runtime is `csim/runtime/`, where a kernel is its C++ function and a buffer
  must be copied to the card, into the bank of its argument, before a kernel sees it.
* `make host` compiles and links it with the vendor's runtime: that of `XILINX_XRT`, or the system's (Debian's `libxrt-dev`).
* `make xclbin PLATFORM=...` runs the vendor's compiler and linker, `make run PLATFORM=...` the host program with what they
  made; `TARGET=hw_emu` emulates the hardware. They have not been run on this project. `./build/host XCLBIN --runs 10
  --device 0` runs the groups ten times; it ends as `./build/csim` does, and with 2 also where the runtime refuses something.

`data/expected_*.npy` belong to the inputs beside them: for others emit again with `--tensors FILE.npz`, an array of
float32 for each that is given, by name: )",
                arraysText(plan), R"(. Without `data/`
(`--no-data`) neither test bench nor host program has anything to run on. On which die of the card a task was placed is not
written down: the linker places.

Groups run one after the other: the host starts the next when the one before has ended. Results lie in `out/` afterwards.
)",
                plan.formats.empty()
                    ? "\nAll numbers are float32; the program's own scalars are in the comments.\n"
                    : "\nNumbers are those of the program's scalars (`src/numbers.h`). Integers stand for "
                      "themselves times a scale that\n"
                      "was measured on the inputs in `data/`.\n");
}

std::string projectMakefile(const HlsPlan& plan, const Platform& platform,
                            const std::string& vendor_headers) {
  return joined(
      R"make(# make csim, make host_csim: compile and run without the vendor's tools. make host, make xclbin PLATFORM=..., make run
# PLATFORM=...: with them.
CXX ?= g++
)make",
      vendor_headers.empty() ? "" : "VENDOR_HEADERS ?= " + vendor_headers + "\n",
      R"make(CSIM_HEADERS = $(if $(VENDOR_HEADERS),-isystem $(VENDOR_HEADERS),-Icsim)
CXXFLAGS ?= -O2
# Products and sums are rounded each for itself, on every machine.
CSIM_FLAGS = -std=c++17 -pthread -ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas $(CSIM_HEADERS) -Isrc -Ibench
TOPS = )make",
      allTops(plan), without_the_compiler, R"make(build/%.xo: src/%.cpp $(wildcard src/*.h)
	@test -n "$(PLATFORM)" || { echo "give the card's platform: make $(MAKECMDGOALS) PLATFORM=NAME, one of those that platforminfo -l lists"; exit 2; }
	mkdir -p build
	v++ -c -t $(TARGET) --platform $(PLATFORM) --hls.clock )make",
      hertz(platform), R"make(:$* -k $* -Isrc -o $@ $<

xclbin: build/design.xclbin

build/design.xclbin: $(TOPS:%=build/%.xo) link/connectivity.cfg
	v++ -l -t $(TARGET) --platform $(PLATFORM) --config link/connectivity.cfg -o $@ $(filter %.xo,$^)

clean:
	rm -rf build

.PHONY: csim host_csim host run xclbin clean
)make");
}

std::string connectivity(const HlsPlan& plan, const Platform& platform, const std::string& target,
                         std::span<const MemoryChannels> channels) {
  CodeWriter code;
  code.line("# For ", CodeWriter::commentText(target), ", ", platform.memory.channels, " channels of ",
            CodeWriter::commentText(platform.memory.kind));
  code.line("[clock]");
  code.line("defaultFreqHz=", hertz(platform));
  code.line("[connectivity]");
  for (std::size_t group = 0; group < plan.tops.size(); ++group) {
    const std::string& top = plan.tops[group];
    code.line("nk=", top, ":1:", top, "_1");
    for (const std::size_t task : transfersOf(plan, group)) {
      const std::size_t tensor = transferPort(plan.design().tasks[task]).tensor;
      code.line("sp=", top, "_1.", plan.tasks[task].memory, ":",
                channelText(channels[tensor], platform.memory));
    }
  }
  return code.text();
}

}  // namespace sluice::inline tensor
