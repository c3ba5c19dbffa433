#include "engine/tensor/hls/hls_project.h"

#include <array>

#include "engine/core/embedded_files.h"
#include "engine/tensor/hls/bench_code.h"
#include "engine/tensor/hls/build_files.h"
#include "engine/tensor/hls/group_code.h"

namespace sluice::inline tensor {
namespace {

/// Where the headers of resources/hls/ lie in a project.
struct Header {
  std::string_view name, path;
};
constexpr std::array headers{
    Header{"dataflow", "src/dataflow.h"},      Header{"functions", "src/functions.h"},
    Header{"arrays", "bench/arrays.h"},        Header{"processes", "csim/processes.h"},
    Header{"hls_stream", "csim/hls_stream.h"}, Header{"hls_streamofblocks", "csim/hls_streamofblocks.h"},
    Header{"hls_vector", "csim/hls_vector.h"}};

void addHeaders(std::vector<ProjectFile>& files) {
  for (const EmbeddedFile& file : hlsFiles())
    for (const Header& header : headers)
      if (header.name == file.name) files.push_back({std::string(header.path), std::string(file.text)});
}

}  // namespace

Result<std::vector<ProjectFile>> hlsProject(const CompiledDesign& compiled, const HlsOptions& options) {
  SLUICE_TRY(const HlsPlan plan, hlsPlan(compiled));
  std::vector<ProjectFile> files;
  if (options.data) {
    SLUICE_TRY(files, benchData(plan, options.tensors));
  }
  files.push_back({"README.md", projectReadme(plan, options.platform)});
  files.push_back({"Makefile", projectMakefile(plan, options.platform)});
  files.push_back({"link/connectivity.cfg", connectivity(plan, options.platform)});
  files.push_back({"src/design.h", designHeader(plan)});
  for (std::size_t group = 0; group < plan.tops.size(); ++group)
    files.push_back({"src/" + plan.tops[group] + ".cpp", groupSource(plan, group)});
  files.push_back({"bench/testbench.cpp", benchSource(plan)});
  files.push_back({"out/.keep", ""});
  addHeaders(files);
  return files;
}

}  // namespace sluice::inline tensor
