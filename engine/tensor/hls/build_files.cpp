#include "engine/tensor/hls/build_files.h"

#include <cmath>
#include <map>

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

}  // namespace

std::string projectReadme(const HlsPlan& plan, const Platform& platform) {
  std::size_t kernels = 0, converters = 0, transfers = 0;
  for (const Task& task : plan.design().tasks) {
    kernels += task.kind == TaskKind::Compute;
    converters += task.kind == TaskKind::Converter;
    transfers += isTransfer(task);
  }
  const auto shown = [](const std::string& text) { return CodeWriter::commentText(text); };
  return joined("# ", shown(plan.design().program.name), "\n\n", kernels, " kernels, ", converters,
                " layout converters, ", transfers, " transfers and ", plan.streams.size(), " streams in ",
                plan.tops.size(), " groups, for ", shown(platform.title), ", written by Sluice ",
                SLUICE_VERSION, ".\n\n",
                R"(| where | what |
| --- | --- |
| `src/` | a file for each group: a function for each task, and the top function that joins them |
| `bench/`, `data/` | the test bench, its inputs and the results that the program computes |
| `csim/` | streams with the emitted depths, ping-pong buffers and vectors in place of the vendor's headers |
| `link/connectivity.cfg` | kernels, clock and memory channels for the linker |

* `make csim` compiles and runs everything with g++: every process of a dataflow region is a thread, every FIFO has its
  emitted depth. It compares the results and ends with 0; with 1 where they differ; with 3, naming who waits for what,
  where all processes wait for each other. `./build/csim --depth NAME=SLOTS` tries another depth, `--peaks` prints how
  full each stream was.
* `make csim VENDOR_HEADERS=DIR` compiles against the vendor's headers instead (`hls_stream.h`, `hls_streamofblocks.h`,
  `hls_vector.h`, with narrow numbers `ap_int.h`); processes then run one after the other.
* `make xclbin PLATFORM=...` runs the vendor's compiler and linker. It has not been run on this project.

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
      R"make(# make csim: compile and run without the vendor's tools. make xclbin PLATFORM=...: with them.
CXX ?= g++
)make",
      vendor_headers.empty() ? "" : "VENDOR_HEADERS ?= " + vendor_headers + "\n",
      R"make(CSIM_HEADERS = $(if $(VENDOR_HEADERS),-isystem $(VENDOR_HEADERS),-Icsim)
CXXFLAGS ?= -O2
# Products and sums are rounded each for itself, on every machine.
CSIM_FLAGS = -std=c++17 -pthread -ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas $(CSIM_HEADERS) -Isrc -Ibench
TOPS = )make",
      allTops(plan), R"make(
CSIM_OBJECTS = $(TOPS:%=build/%.o) build/testbench.o

csim: build/csim
	mkdir -p out
	./build/csim

build/csim: $(CSIM_OBJECTS)
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -o $@ $^

build/%.o: src/%.cpp $(wildcard src/*.h csim/*.h)
	mkdir -p build
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -c -o $@ $<

build/testbench.o: bench/testbench.cpp $(wildcard bench/*.h src/*.h csim/*.h)
	mkdir -p build
	$(CXX) $(CXXFLAGS) $(CSIM_FLAGS) -c -o $@ $<

build/%.xo: src/%.cpp
	test -n "$(PLATFORM)"
	mkdir -p build
	v++ -c -t hw --platform $(PLATFORM) --hls.clock )make",
      hertz(platform), R"make(:$* -k $* -Isrc -o $@ $<

xclbin: $(TOPS:%=build/%.xo)
	v++ -l -t hw --platform $(PLATFORM) --config link/connectivity.cfg -o build/design.xclbin $^

clean:
	rm -rf build

.PHONY: csim xclbin clean
)make");
}

std::string connectivity(const HlsPlan& plan, const Platform& platform) {
  const bool hbm = platform.memory.kind.starts_with("HBM");
  std::map<std::size_t, std::size_t> channels;  // of each storage
  CodeWriter code;
  code.line("# ", CodeWriter::commentText(platform.title), ": ", platform.memory.channels, " channels of ",
            CodeWriter::commentText(platform.memory.kind));
  code.line("[clock]");
  code.line("defaultFreqHz=", hertz(platform));
  code.line("[connectivity]");
  for (std::size_t group = 0; group < plan.tops.size(); ++group) {
    const std::string& top = plan.tops[group];
    code.line("nk=", top, ":1:", top, "_1");
    for (const std::size_t task : transfersOf(plan, group)) {
      const std::size_t tensor = transferPort(plan.design().tasks[task]).tensor;
      const std::size_t next = channels.size() % static_cast<std::size_t>(platform.memory.channels);
      const std::size_t channel = channels.try_emplace(plan.tensors[tensor].storage, next).first->second;
      code.line("sp=", top, "_1.", plan.tasks[task].memory, ":", hbm ? "HBM" : "DDR", "[", channel, "]");
    }
  }
  return code.text();
}

}  // namespace sluice::inline tensor
