// Layout converters: one process fills a half of the buffer in the source's order, another drains the other
// half in the result's. The outer loops that both share run around the halves.

#include <algorithm>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/hls/stream_code.h"
#include "engine/tensor/hls/task_code.h"

namespace sluice::inline tensor {
namespace {

/// How many of the type's loops lie around the buffer: the first so many that run more than once, with those
/// of one trip between them.
std::size_t loopsAround(const ITensor& type, std::size_t shared) {
  std::size_t d = 0;
  for (; shared > 0 && d < type.loops.size(); ++d) shared -= type.loops[d].trips > 1 ? 1 : 0;
  return d;
}

class ConverterWriter {
 public:
  ConverterWriter(CodeWriter& code, const HlsPlan& plan, std::size_t number)
      : code_(code),
        plan_(plan),
        number_(number),
        task_(plan.design().tasks[number]),
        own_(plan.tasks[number]) {}

  void write() {
    const std::string type = plan_.formatOf(task_.inputs[0].tensor).type();
    const ITensor &source = task_.inputs[0].type, &result = task_.outputs[0].type;
    code_.comment("Layout converter \"", task_.name,
                  "\": ", plan_.design().program.tensors[task_.inputs[0].tensor].name);
    code_.comment("from ", text(source));
    code_.comment("to   ", text(result));
    code_.comment("two halves of ", shapeText(task_.buffer), ", inside ", task_.before_loop, " shared loops");
    code_.line("typedef ", type, " ", halfType(own_), "[", elementsOf(task_.buffer), "];");
    const std::string halves = "hls::stream_of_blocks<" + halfType(own_) + ">& halves";
    const std::size_t into = plan_.streamsInto(number_)[0];
    openFunction(code_, own_.first, {streamParameter(plan_.streams[into], "in0"), halves});
    side(source, "write", [&] {
      const TilePassing passing = taken(plan_, into, "in0");
      const std::string element = passing.open(code_);
      code_.line("half[", placed(source, element), "] = word[lane];");
      passing.close(code_);
    });
    const std::vector<std::size_t> from = plan_.streamsFrom(number_);
    std::vector<std::string> parameters{halves};
    for (std::size_t i = 0; i < from.size(); ++i)
      parameters.push_back(streamParameter(plan_.streams[from[i]], joined("out", i)));
    openFunction(code_, own_.second, parameters);
    side(result, "read", [&] {
      send(code_, plan_, from, type,
           [&](const std::string& element) { return "half[" + placed(result, element) + "]"; });
    });
  }

 private:
  template <class Body>
  void side(const ITensor& type, const char* lock, const Body& body) {
    const std::size_t around = loopsAround(type, task_.before_loop), all = type.loops.size();
    openLoops(code_, type, 0, around);
    if (around == 0) code_.open("");
    code_.line("hls::", lock, "_lock<", halfType(own_), "> half(halves);");
    openLoops(code_, type, around, all);
    body();
    for (std::size_t d = 0; d < all - around + std::max<std::size_t>(1, around); ++d) code_.close();
    code_.close();
    code_.blank();
  }

  /// The place in a half of an element of the tile at hand: at the offset in dimensions that the half holds
  /// whole, at 0 in the others.
  std::string placed(const ITensor& type, const std::string& element) const {
    const std::vector<std::int64_t>& shape = plan_.design().program.tensors[task_.inputs[0].tensor].shape;
    const TileShape tile = tileShape(type);
    std::vector<std::string> indices;
    for (std::size_t k = 0; k < tile.size(); ++k) {
      const std::string offset = task_.buffer[k] == shape[k] ? offsetText(type, k) : "0";
      const std::string inside = coordinate(element, tile, k);
      indices.push_back(offset == "0" ? inside : inside == "0" ? offset : offset + " + " + inside);
    }
    return elementAt(indices, task_.buffer);
  }

  CodeWriter& code_;
  const HlsPlan& plan_;
  std::size_t number_;
  const Task& task_;
  const HlsTask& own_;
};

}  // namespace

void writeConverter(CodeWriter& code, const HlsPlan& plan, std::size_t task) {
  ConverterWriter(code, plan, task).write();
}

}  // namespace sluice::inline tensor
