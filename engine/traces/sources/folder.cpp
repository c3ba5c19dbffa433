// folder: the trace files that lie in it and in its subfolders, by name.

#include <algorithm>

#include "engine/traces/files.h"

namespace sluice::inline traces::sources::folder {
namespace {

bool reads(const FileLook& look) {
  return look.folder;
}

Result<TraceSet> make(const TraceRequest& request) {
  std::vector<NamedFile> files;
  std::error_code failed;
  const std::filesystem::recursive_directory_iterator entries(request.file, failed);
  if (failed)
    return error("file-unreadable", request.place, "it cannot be listed: " + failed.message(),
                 "name a folder that you may read");
  for (const auto& entry : entries) {
    const std::string suffix = entry.path().extension().string();
    if (suffix == ".npy" || suffix == ".npz" || suffix == ".csv")
      files.push_back({entry.path().lexically_relative(request.file).generic_string(), entry.path()});
  }
  std::ranges::sort(files, {}, &NamedFile::name);
  return readFiles(files, request);
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "folder",
      .summary = "every .npy, .npz and .csv in a folder and its subfolders, by name",
      .kinds = {InputKind::Routing, InputKind::Lengths, InputKind::Tensor},
      .options = {{"key", "of the arrays in .npz files", OptionKind::Text},
                  {"layout", "as of numpy", OptionKind::Text, 0, 0, {"set", "layers"}},
                  {"column", "as of requests", OptionKind::Text},
                  {"batch", "requests a trace", OptionKind::Whole, 1, 1 << 26},
                  {"least", "as of requests", OptionKind::Whole, 0, 0x1p53},
                  {"most", "as of requests", OptionKind::Whole, 0, 0x1p53}},
      .reads = reads,
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::folder
