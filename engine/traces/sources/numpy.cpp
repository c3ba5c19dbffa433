// numpy: an array with an axis more than the input has, or a longer one that is cut into batches.

#include "engine/interchange/numpy.h"
#include "engine/traces/cut.h"

namespace sluice::inline traces::sources::numpy {
namespace {

bool reads(const FileLook& look) {
  const std::string suffix = look.file.extension().string();
  return !look.folder && (suffix == ".npy" || suffix == ".npz" || look.first_line.starts_with("\x93NUMPY"));
}

Diagnostic misfit(const TraceRequest& request, const IntTensor& tensor, std::string fix) {
  std::string shape;
  for (const std::size_t extent : tensor.shape)
    shape += (shape.empty() ? "[" : ", ") + std::to_string(extent);
  return error("trace-mismatch", request.place, "no set of traces of this input has the shape " + shape + "]",
               std::move(fix));
}

/// [tokens, layers, k] as vLLM exports it, or of several requests one after the other.
TraceSet cutLayers(const IntTensor& tensor, const TraceRequest& request) {
  const std::size_t rank = tensor.shape.size(), k = tensor.shape.back(), layers = tensor.shape[rank - 2];
  const std::size_t tokens = layers * k == 0 ? 0 : tensor.data.size() / (layers * k);
  TraceSet set;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    IntTensor rows{{tokens, k}, {}};
    for (std::size_t token = 0; token < tokens; ++token) {
      const auto from = tensor.data.begin() + static_cast<std::ptrdiff_t>((token * layers + layer) * k);
      rows.data.insert(rows.data.end(), from, from + static_cast<std::ptrdiff_t>(k));
    }
    cutBatches(set, rows, request.input.tokens, "layer " + std::to_string(layer) + ", ", "tokens",
               request.place);
  }
  return set;
}

Result<TraceSet> routings(const IntTensor& tensor, const TraceRequest& request) {
  const std::size_t rank = tensor.shape.size();
  const auto tokens = static_cast<std::size_t>(request.input.tokens);
  const std::string layout = request.options.text("layout");
  if (layout == "layers" && (rank == 3 || rank == 4)) return cutLayers(tensor, request);
  if (layout == "layers" || rank < 2 || rank > 3)
    return misfit(request, tensor,
                  "give [traces, tokens, k]; or with layout=layers [tokens, layers, k] or [requests, tokens, "
                  "layers, k]");
  if (rank == 3 && layout.empty() && tokens > 0 && tensor.shape[1] != tokens) {
    return misfit(request, tensor,
                  "the second extent is the " + std::to_string(tokens) +
                      " tokens of a trace; if it is the layers, as vLLM exports them, add layout=layers");
  }
  if (rank == 3) return cutAxis(tensor, "trace ");
  TraceSet set;
  cutBatches(set, tensor, request.input.tokens, "", "tokens", request.place);
  return set;
}

Result<TraceSet> make(const TraceRequest& request) {
  Result<IntTensor> read = loadWholeNumbers(request.file, request.options.text("key"));
  if (!read) {
    Diagnostics wrong = read.diagnostics();
    if (wrong.front().code == "unknown-name") {
      wrong.front().place = request.place;
      wrong.front().fix = "name one of these: key=NAME behind the set";
    }
    return wrong;
  }
  const IntTensor tensor = *std::move(read);
  if (request.input.kind == InputKind::Routing) return routings(tensor, request);
  if (tensor.shape.empty()) return misfit(request, tensor, "give an array with an axis over the traces");
  if (request.input.kind == InputKind::Lengths && tensor.shape.size() == 1) {
    TraceSet set;
    cutBatches(set, tensor, request.options.whole("batch", 0), "", "requests", request.place);
    return set;
  }
  if (request.input.data && tensor.shape.size() == request.input.data->shape.size()) {
    TraceSet one;  // of as many axes as the document's own values: no axis over traces
    one.traces.push_back({"trace 0", 0, tensor});
    return one;
  }
  if (tensor.shape.size() < 2) return misfit(request, tensor, "give an array with an axis over the traces");
  return cutAxis(tensor, "trace ");
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "numpy",
      .summary =
          "a .npy or .npz file with a leading axis over the traces, or longer recordings, cut into batches; "
          "a Tensor of as many axes as the input is one trace",
      .kinds = {InputKind::Routing, InputKind::Lengths, InputKind::Tensor},
      .options =
          {{"key", "of the array in an .npz", OptionKind::Text},
           {"layout",
            "of a routing: set is [traces, tokens, k]; layers is [tokens, layers, k], as vLLM exports it",
            OptionKind::Text,
            0,
            0,
            {"set", "layers"}},
           {"batch", "requests a trace, of lengths in one row", OptionKind::Whole, 1, 1 << 26}},
      .reads = reads,
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::numpy
