#include "engine/tensor/hls/stream_code.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/hls/task_code.h"

namespace sluice::inline tensor {
namespace {

const ITensor& typeAt(const HlsPlan& plan, std::size_t stream, bool input) {
  const DataflowStream& own = plan.design().streams[stream];
  return (input ? targetOf(plan.design(), own) : sourceOf(plan.design(), own)).type;
}

/// Elements of some bits lie side by side in a word, of whole bytes they are a vector.
bool isInBits(const HlsTensor& tensor) {
  return tensor.format.bits < 8;
}

bool sameOrder(const HlsPlan& plan, std::size_t a, std::size_t b) {
  const HlsFifo &first = plan.streams[a].given(), &second = plan.streams[b].given();
  return first.vector == second.vector && first.lanes == second.lanes;
}

/// The number in its tile of the element that is sent as number `sent`; the vectors of a tile follow each
/// other row-major.
std::string elementSent(const std::string& sent, const TileShape& tile,
                        const std::vector<std::int64_t>& vector) {
  if (vector.empty() || vector == tile) return sent;
  const std::int64_t size = elementsOf(vector);
  TileShape counts(tile.size());
  for (std::size_t k = 0; k < tile.size(); ++k) counts[k] = tile[k] / vector[k];
  std::vector<std::string> indices;
  for (std::size_t k = 0; k < tile.size(); ++k) {
    const std::string outer = coordinate(joined(sent, " / ", size), counts, k);
    const std::string inner = coordinate(joined(sent, " % ", size), vector, k);
    const bool has_outer = outer != "0", has_inner = inner != "0";
    const std::string outer_term = vector[k] == 1 ? outer : joined(outer, " * ", vector[k]);
    indices.push_back(has_outer && has_inner ? joined(outer_term, " + ", inner)
                      : has_outer            ? outer_term
                                             : inner);
  }
  return elementAt(indices, tile);
}

}  // namespace

std::int64_t HlsArray::size() const {
  return elementsOf(shape);
}

std::string HlsArray::element(const std::string& number) const {
  if (shape.size() == 1) return name + "[" + number + "]";
  std::string text = name;
  for (std::size_t k = 0; k < shape.size(); ++k) text += "[" + coordinate(number, shape, k) + "]";
  return text;
}

std::string beatType(const NumberFormat& format, std::int64_t lanes) {
  const std::string type = format.type();
  return joined("hls::vector<", type, ", ", lanes, ">");
}

std::string wordType(const HlsTensor& tensor) {
  if (!isInBits(tensor)) return beatType(tensor.format, tensor.lanes);
  return joined("ap_uint<", tensor.lanes * tensor.format.bits, ">");
}

std::string writtenLane(const HlsTensor& tensor, const std::string& word, const std::string& lane) {
  if (!isInBits(tensor)) return word + "[" + lane + "]";
  const std::string low = lane == "0" ? "0" : joined(tensor.format.bits, " * ", inBrackets(lane));
  return joined(word, ".range(", low, " + ", tensor.format.bits - 1, ", ", low, ")");
}

std::string readLane(const HlsTensor& tensor, const std::string& word, const std::string& lane) {
  const std::string bits = writtenLane(tensor, word, lane);
  return isInBits(tensor) ? tensor.format.type() + "(" + bits + ")" : bits;
}

std::string valueOf(const NumberFormat& format, const std::string& element) {
  if (!format.isNarrow()) return element;
  return joined("numbers::As<", format.type(), " >::value(", element, ", ", floatLiteral(format.scale), ")");
}

std::string keptAs(const NumberFormat& format, const std::string& value) {
  if (!format.isNarrow()) return value;
  return joined("numbers::As<", format.type(), " >::of(", value, ", ", floatLiteral(format.scale), ")");
}

std::string streamParameter(const HlsFifo& fifo, const std::string& name) {
  return "hls::stream<" + beatType(fifo.format, fifo.lanes) + ">& " + name;
}

void declareFifo(CodeWriter& code, const HlsFifo& fifo) {
  code.line("hls::stream<", beatType(fifo.format, fifo.lanes), ", ", fifo.slots, "> ", fifo.name, "(\"",
            fifo.name, "\");");
  code.pragma("stream variable=", fifo.name, " depth=", fifo.slots);
}

void declare(CodeWriter& code, const HlsArray& array, std::int64_t lanes) {
  std::string extents;
  for (const std::int64_t extent : array.shape) extents += joined("[", extent, "]");
  code.line(array.type, " ", array.name, extents, ";");
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    std::int64_t banks = k < array.banks.size() ? array.banks[k] : 1;
    if (k + 1 == array.shape.size()) banks = std::max(banks, lanes);
    banks = std::min(banks, array.shape[k]);
    if (banks > 1 && banks == array.shape[k])
      code.pragma("array_partition variable=", array.name, " complete dim=", k + 1);
    else if (banks > 1)
      code.pragma("array_partition variable=", array.name, " cyclic factor=", banks, " dim=", k + 1);
  }
}

std::string TilePassing::open(CodeWriter& code) const {
  code.loop("beat", elementsOf(tile) / fifo.lanes);
  code.pragma("pipeline II=1");
  code.line(input ? "const " : "", beatType(fifo.format, fifo.lanes), " word",
            input ? " = " + port + ".read()" : "", ";");
  code.loop("lane", fifo.lanes);
  code.pragma("unroll");
  code.line("const int sent = beat * ", fifo.lanes, " + lane;");
  const std::string element = elementSent("sent", tile, fifo.vector);
  if (element == "sent") return element;
  code.line("const int element = ", element, ";");
  return "element";
}

void TilePassing::close(CodeWriter& code) const {
  code.close();
  if (!input) code.line(port, ".write(word);");
  code.close();
}

TilePassing taken(const HlsPlan& plan, std::size_t stream, const std::string& port) {
  return {plan.streams[stream], tileShape(typeAt(plan, stream, true)), port, true};
}

void receive(CodeWriter& code, const HlsPlan& plan, std::size_t stream, const std::string& port,
             const HlsArray& array) {
  const TilePassing passing = taken(plan, stream, port);
  const std::string element = passing.open(code);
  const NumberFormat& format = plan.streams[stream].format;
  const std::string got = "word[lane]";
  code.line(array.element(element), " = ", array.type == format.type() ? got : valueOf(format, got), ";");
  passing.close(code);
}

void send(CodeWriter& code, const HlsPlan& plan, std::span<const std::size_t> streams,
          const std::string& type, const std::function<std::string(const std::string&)>& value) {
  std::vector<bool> sent(streams.size(), false);
  // Those that go in one order are written at once, when there is a slot in all of them, as in the simulator.
  // Of several orders that of the deepest FIFO comes first: what goes to it waits for what comes of the
  // others.
  std::vector<std::size_t> order(streams.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return plan.streams[streams[i]].holds; });
  for (const std::size_t i : order) {
    if (sent[i]) continue;
    const TilePassing passing{plan.streams[streams[i]].given(), tileShape(typeAt(plan, streams[i], false)),
                              joined("out", i), false};
    const std::string element = passing.open(code);
    const NumberFormat& format = plan.streams[streams[i]].format;
    code.line("word[lane] = ", type == format.type() ? value(element) : keptAs(format, value(element)), ";");
    code.close();
    std::vector<std::size_t> together;
    std::string outs;
    for (const std::size_t j : order) {
      if (sent[j] || !sameOrder(plan, streams[i], streams[j])) continue;
      together.push_back(j);
      outs += joined(outs.empty() ? "" : ", ", "out", j);
      sent[j] = true;
    }
    if (together.size() > 1) code.line("DATAFLOW_ROOM(", outs, ");");
    for (const std::size_t j : together) code.line("out", j, ".write(word);");
    code.close();
  }
}

void writeCutter(CodeWriter& code, const HlsPlan& plan, std::size_t stream) {
  const HlsStream& own = plan.streams[stream];
  if (own.cutter.empty()) return;
  const ITensor& type = typeAt(plan, stream, false);
  code.comment("Tiles of ", own.name, ", in vectors");
  describeStream(code, plan, stream, "out0", false);
  openFunction(code, own.cutter, {streamParameter(own.tiles, "in0"), streamParameter(own, "out0")});
  code.loop("token", tokenCount(type));
  const HlsArray tile{"tile", {elementsOf(tileShape(type))}, {}, own.format.type()};
  declare(code, tile, std::max(own.tiles.lanes, own.lanes));
  for (const bool input : {true, false}) {
    const TilePassing passing{input ? own.tiles : own, tileShape(type), input ? "in0" : "out0", input};
    const std::string element = tile.element(passing.open(code));
    code.line(input ? element + " = word[lane];" : "word[lane] = " + element + ";");
    passing.close(code);
  }
  code.close();
  code.close();
  code.blank();
}

void describeStream(CodeWriter& code, const HlsPlan& plan, std::size_t stream, const std::string& port,
                    bool input) {
  const DataflowStream& own = plan.design().streams[stream];
  code.comment(port, ": ", text(vectorisedType(typeAt(plan, stream, input), own.vector)));
}

void openLoops(CodeWriter& code, const ITensor& type, std::size_t from, std::size_t to) {
  for (std::size_t d = from; d < to; ++d) code.loop(joined("l", d), type.loops[d].trips);
}

std::string offsetText(const ITensor& type, std::size_t k) {
  std::vector<std::int64_t> factors;
  std::vector<std::string> names;
  for (std::size_t d = 0; d < type.loops.size(); ++d) {
    factors.push_back(type.loops[d].trips == 1 ? 0 : type.stride(k, d));
    names.push_back(joined("l", d));
  }
  return affineText(type.map[k].constant, factors, names);
}

}  // namespace sluice::inline tensor
