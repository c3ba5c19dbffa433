// DMA: tiles between external memory and streams, by way of a ping-pong buffer of a tile. Memory is read and
// written in words of consecutive addresses, as far as tiles and the tensor's layout have them.

#include <algorithm>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/hls/stream_code.h"
#include "engine/tensor/hls/task_code.h"

namespace sluice::inline tensor {
namespace {

std::string blockParameter(const HlsTask& task) {
  return "hls::stream_of_blocks<" + halfType(task) + ">& halves";
}

class TransferWriter {
 public:
  TransferWriter(CodeWriter& code, const HlsPlan& plan, std::size_t number)
      : code_(code),
        plan_(plan),
        number_(number),
        task_(plan.design().tasks[number]),
        own_(plan.tasks[number]),
        port_(transferPort(task_)),
        tensor_(plan.tensors[port_.tensor]),
        tile_{"half", {elementsOf(tileShape(port_.type))}, {}, tensor_.format.type()} {}

  void load() {
    describe("Load \"");
    code_.line("typedef ", tensor_.format.type(), " ", halfType(own_), "[", tile_.size(), "];");
    openFunction(code_, own_.first, {"const " + wordType(tensor_) + "* memory", blockParameter(own_)});
    openTiles();
    lock("write");
    move(true);
    closeTiles();
    std::vector<std::string> parameters{blockParameter(own_)};
    const std::vector<std::size_t> from = plan_.streamsFrom(number_);
    for (std::size_t i = 0; i < from.size(); ++i)
      parameters.push_back(streamParameter(plan_.streams[from[i]], joined("out", i)));
    openFunction(code_, own_.second, parameters);
    code_.loop("token", tokenCount(port_.type));
    lock("read");
    send(code_, plan_, from, tile_.type, [&](const std::string& element) { return tile_.element(element); });
    code_.close();
    code_.close();
    code_.blank();
  }

  void store() {
    describe("Store \"");
    code_.line("typedef ", tensor_.format.type(), " ", halfType(own_), "[", tile_.size(), "];");
    const std::size_t into = plan_.streamsInto(number_)[0];
    openFunction(code_, own_.first, {streamParameter(plan_.streams[into], "in0"), blockParameter(own_)});
    code_.loop("token", tokenCount(port_.type));
    lock("write");
    receive(code_, plan_, into, "in0", tile_);
    code_.close();
    code_.close();
    code_.blank();
    openFunction(code_, own_.second, {blockParameter(own_), wordType(tensor_) + "* memory"});
    openTiles();
    lock("read");
    move(false);
    closeTiles();
  }

 private:
  void describe(const char* what) {
    code_.comment(what, task_.name, "\": ", plan_.design().program.tensors[port_.tensor].name, ", ",
                  text(port_.type));
  }

  /// Loops over the tiles; at0, at1 ... are the offsets.
  void openTiles() {
    openLoops(code_, port_.type, 0, port_.type.loops.size());
    if (port_.type.loops.empty()) code_.open("");
    for (std::size_t k = 0; k < port_.type.rank(); ++k)
      code_.line("const int at", k, " = ", offsetText(port_.type, k), ";");
  }
  void closeTiles() {
    for (std::size_t d = 0; d < std::max<std::size_t>(1, port_.type.loops.size()); ++d) code_.close();
    code_.close();
    code_.blank();
  }
  void lock(const char* side) { code_.line("hls::", side, "_lock<", halfType(own_), "> half(halves);"); }

  void move(bool reads) {
    const TileShape tile = tileShape(port_.type);
    std::string indices;
    for (std::size_t k = 0; k < tile.size(); ++k) {
      const std::string inside = coordinate("e", tile, k);
      indices += (k == 0 ? "" : ", ") + joined("at", k) + (inside == "0" ? "" : " + " + inside);
    }
    code_.loop("e", tile_.size(), tensor_.lanes);
    code_.pragma("pipeline II=1");
    code_.line("const int address = layout::", tensor_.address, "(", indices, ");");
    const std::string word = wordType(tensor_) + " word";
    code_.line(reads ? "const " : "", word, reads ? joined(" = memory[address / ", tensor_.lanes, "]") : "",
               ";");
    code_.loop("lane", tensor_.lanes);
    code_.pragma("unroll");
    if (reads)
      code_.line("half[e + lane] = ", readLane(tensor_, "word", "lane"), ";");
    else
      code_.line(writtenLane(tensor_, "word", "lane"), " = half[e + lane];");
    code_.close();
    if (!reads) code_.line("memory[address / ", tensor_.lanes, "] = word;");
    code_.close();
  }

  CodeWriter& code_;
  const HlsPlan& plan_;
  std::size_t number_;
  const Task& task_;
  const HlsTask& own_;
  const TaskPort& port_;
  const HlsTensor& tensor_;
  HlsArray tile_;
};

}  // namespace

std::string halfType(const HlsTask& task) {
  return task.buffer + "_t";
}

void writeTransfer(CodeWriter& code, const HlsPlan& plan, std::size_t task) {
  TransferWriter writer(code, plan, task);
  if (plan.design().tasks[task].kind == TaskKind::Load)
    writer.load();
  else
    writer.store();
}

/// at = sum of (i / tile) * tile_step + (i % tile / word) * word_step + (i % word) * element_step, where
/// tiles lie row-major among each other, words in a tile, elements in a word.
void writeAddress(CodeWriter& code, const HlsPlan& plan, std::size_t tensor) {
  const TensorValue& value = plan.design().program.tensors[tensor];
  const ExternalLayout& layout = plan.design().layouts[tensor];
  const std::size_t rank = value.shape.size();
  const auto& tile = layout.tile.empty() ? value.shape : layout.tile;
  const std::vector<std::int64_t> word =
      layout.vector.empty() ? std::vector<std::int64_t>(rank, 1) : layout.vector;
  std::vector<std::string> indices;
  std::vector<std::int64_t> extents;
  const auto digit = [&](std::size_t k, std::int64_t unit, std::int64_t radix, bool first) {
    extents.push_back(radix);
    const std::string own = unit == 1 ? joined("i", k) : joined("i", k, " / ", unit);
    indices.push_back(radix == 1 ? "0" : first ? own : joined(own, " % ", radix));
  };
  for (std::size_t k = 0; k < rank; ++k) digit(k, tile[k], value.shape[k] / tile[k], true);
  for (std::size_t k = 0; k < rank; ++k) digit(k, word[k], tile[k] / word[k], tile[k] == value.shape[k]);
  for (std::size_t k = 0; k < rank; ++k) digit(k, 1, word[k], word[k] == value.shape[k]);
  std::string parameters;
  for (std::size_t k = 0; k < rank; ++k) parameters += joined(k == 0 ? "" : ", ", "int i", k);
  code.comment(value.name, " ", shapeText(value.shape), "x", text(value.scalar),
               layout.tile.empty() ? std::string() : ", in tiles of " + shapeText(layout.tile),
               layout.vector.empty() ? std::string() : ", in words of " + shapeText(layout.vector));
  code.open("inline int ", plan.tensors[tensor].address, "(", parameters, ")");
  code.pragma("inline");
  for (std::size_t k = 0; k < rank; ++k)
    if (value.shape[k] == 1) code.line("(void)i", k, ";");
  code.line("return ", elementAt(indices, extents), ";");
  code.close();
}

}  // namespace sluice::inline tensor
