#include "engine/traces/files.h"

#include <algorithm>

#include "engine/traces/cut.h"
#include "engine/traces/registry.h"

namespace sluice::inline traces {
namespace {

Result<TraceSet> readOne(const TraceRequest& of, const std::filesystem::path& file) {
  TraceRequest request = of;
  request.file = file;
  request.place = Location(Where::Input, of.input.name, file.string());
  const FileLook look = lookAt(file);
  const TraceSource* const reader = findTraceReader(look);
  const bool nests = reader && (look.folder || reader->name == "list");
  if (!reader || nests || std::ranges::find(reader->kinds, of.input.kind) == reader->kinds.end()) {
    std::error_code ignored;
    const bool there = std::filesystem::exists(file, ignored);
    return error(there ? Code("wrong-format") : Code("file-not-found"), request.place,
                 there ? "it is no file of traces for this input" : "there is no such file",
                 "remove it, or give .npy, .npz or .csv");
  }
  return reader->make(request);
}

}  // namespace

TraceSet readFiles(const std::vector<NamedFile>& files, const TraceRequest& request) {
  TraceSet set;
  for (const auto& [name, file] : files) {
    Result<TraceSet> part = readOne(request, file);
    if (part) {
      append(set, *std::move(part), name);
      continue;
    }
    Diagnostic why = part.diagnostics().front();
    why.severity = Severity::Warning;
    set.left_out.push_back(std::move(why));
  }
  return set;
}

}  // namespace sluice::inline traces
