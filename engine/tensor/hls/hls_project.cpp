#include "engine/tensor/hls/hls_project.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/core/embedded_files.h"
#include "engine/tensor/hls/bench_code.h"
#include "engine/tensor/hls/build_files.h"
#include "engine/tensor/hls/group_code.h"
#include "engine/tensor/hls/host_code.h"
#include "engine/tensor/hls/memory_channels.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

/// Where the headers of resources/hls/ lie in a project.
struct Header {
  std::string_view name, path;
};
constexpr std::array headers{Header{"dataflow", "src/dataflow.h"},
                             Header{"functions", "src/functions.h"},
                             Header{"numbers", "src/numbers.h"},
                             Header{"ap_int", "csim/ap_int.h"},
                             Header{"arrays", "bench/arrays.h"},
                             Header{"options", "bench/options.h"},
                             Header{"processes", "csim/processes.h"},
                             Header{"card", "host/card.h"},
                             Header{"hls_stream", "csim/hls_stream.h"},
                             Header{"hls_streamofblocks", "csim/hls_streamofblocks.h"},
                             Header{"hls_vector", "csim/hls_vector.h"},
                             Header{"xrt_bo", "csim/runtime/xrt/xrt_bo.h"},
                             Header{"xrt_device", "csim/runtime/xrt/xrt_device.h"},
                             Header{"xrt_kernel", "csim/runtime/xrt/xrt_kernel.h"}};

bool isForNarrowNumbers(std::string_view header) {
  return header == "numbers" || header == "ap_int";
}

void addHeaders(std::vector<ProjectFile>& files, bool narrow) {
  for (const EmbeddedFile& file : hlsFiles())
    for (const Header& header : headers)
      if (header.name == file.name && (narrow || !isForNarrowNumbers(header.name)))
        files.push_back({std::string(header.path), std::string(file.text)});
}

/// The folder's absolute path, as a Makefile may have it. Errors: it lacks a header; its path needs escapes.
Result<std::string> headersFolder(const HlsOptions& options) {
  if (options.vendor_headers.empty()) return std::string();
  const std::filesystem::path folder = std::filesystem::absolute(options.vendor_headers).lexically_normal();
  const Location place(Where::File, folder.string());
  for (const std::string_view header : {"hls_stream.h", "hls_streamofblocks.h", "hls_vector.h", "ap_int.h"}) {
    std::error_code failed;
    const bool needed = options.narrow || !isForNarrowNumbers(header.substr(0, header.find('.')));
    if (needed && !std::filesystem::is_regular_file(folder / header, failed))
      return error("file-not-found", place, "there is no " + std::string(header) + " in it",
                   "name the folder of the vendor's headers");
  }
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(folder.string(), plain))
    return error("invalid-name", place, "make cannot take a path with such characters",
                 "give a link to it whose path has letters, digits and . _ - + alone");
  return folder.string();
}

/// What the design was made for.
std::string targetText(const HlsOptions& options) {
  if (!options.unplaced) return options.platform.title;
  return "machine '" + *options.unplaced +
         "', on no card (--platform places it): clock and memory are those of '" + options.platform.title +
         "'";
}

}  // namespace

Result<std::vector<ProjectFile>> hlsProject(const CompiledDesign& compiled, const HlsOptions& options) {
  const TensorProgram& program = compiled.design.program;
  SLUICE_TRY(const std::string vendor_headers, headersFolder(options));
  NarrowValues narrow;
  if (options.narrow) {
    SLUICE_CHECK(checkBenchData(program));
    SLUICE_TRY(narrow, narrowValues(program, options.tensors));
  }
  SLUICE_TRY(const HlsPlan plan, hlsPlan(compiled, std::move(narrow.formats)));
  SLUICE_TRY(const std::vector<MemoryChannels> channels, memoryChannels(plan, options.platform));
  std::vector<ProjectFile> files;
  if (options.data) {
    SLUICE_CHECK(checkBenchData(program));
    if (!options.narrow) {
      SLUICE_TRY(narrow.values, exactTensorValues(program, options.tensors));
    }
    files = benchData(plan, options.tensors, narrow.values);
  }
  files.push_back({"README.md", projectReadme(plan, targetText(options))});
  files.push_back({"Makefile", projectMakefile(plan, options.platform, vendor_headers)});
  files.push_back(
      {"link/connectivity.cfg", connectivity(plan, options.platform, targetText(options), channels)});
  files.push_back({"src/design.h", designHeader(plan)});
  files.push_back({"src/layout.h", layoutHeader(plan)});
  for (std::size_t group = 0; group < plan.tops.size(); ++group)
    files.push_back({"src/" + plan.tops[group] + ".cpp", groupSource(plan, group)});
  files.push_back({"bench/testbench.cpp", benchSource(plan)});
  files.push_back({"host/host.cpp", hostSource(plan, channels, options.platform.memory)});
  files.push_back({"csim/kernels.cpp", simulatedKernels(plan, channels)});
  files.push_back({"out/.keep", ""});
  addHeaders(files, options.narrow);
  return files;
}

}  // namespace sluice::inline tensor
