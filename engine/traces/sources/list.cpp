// list: a text file with the path of a trace file on each line, relative to itself. Empty lines and those
// that begin with # do not count.

#include "engine/core/atomic_file.h"
#include "engine/traces/files.h"

namespace sluice::inline traces::sources::folder {

const TraceSource& definition();

}  // namespace sluice::inline traces::sources::folder

namespace sluice::inline traces::sources::list {

namespace {

bool reads(const FileLook& look) {
  return !look.folder && (look.file.extension() == ".txt" || look.file.extension() == ".list");
}

Result<TraceSet> make(const TraceRequest& request) {
  SLUICE_TRY(const std::string text, readFile(request.file));
  std::vector<NamedFile> files;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    files.push_back({line, request.file.parent_path() / line});
  }
  return readFiles(files, request);
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "list",
      .summary = "a text file (.txt, .list) with the path of a trace file on each line",
      .kinds = {InputKind::Routing, InputKind::Lengths, InputKind::Tensor},
      .options = folder::definition().options,
      .reads = reads,
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::list
