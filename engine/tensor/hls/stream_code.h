#pragma once
// How tiles pass streams: beats of several elements, in the order of the stream's vectors, to and from
// arrays.

#include <functional>
#include <string>

#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/hls_plan.h"

namespace sluice::inline tensor {

/// An array of a kernel: row-major, in one to four dimensions.
struct HlsArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> banks;  ///< of each dimension that is accessed at once; empty: one
  std::string type = "float";

  std::int64_t size() const;
  /// "x[e]", "x[e / 16][e % 16]": its element of that number.
  std::string element(const std::string& number) const;
};

/// "hls::vector<float, 16>".
std::string beatType(const NumberFormat& format, std::int64_t lanes);
/// What an element that is kept so stands for, and the other way round: "numbers::As<ap_int<8> >::value(x,
/// 0.5f)".
std::string valueOf(const NumberFormat& format, const std::string& element);
std::string keptAs(const NumberFormat& format, const std::string& value);
/// A word of the tensor's memory: "hls::vector<float, 16>"; of elements that are no whole bytes,
/// "ap_uint<512>".
std::string wordType(const HlsTensor& tensor);
/// An element of a word, to be written, and as it is read: "word[lane]"; "word.range(4 * lane + 3, 4 *
/// lane)".
std::string writtenLane(const HlsTensor& tensor, const std::string& word, const std::string& lane);
std::string readLane(const HlsTensor& tensor, const std::string& word, const std::string& lane);
/// "hls::stream<hls::vector<float, 16>>& NAME".
std::string streamParameter(const HlsFifo& fifo, const std::string& name);
/// hls::stream<...> NAME("NAME"), with its depth.
void declareFifo(CodeWriter& code, const HlsFifo& fifo);

/// "float x[8][16];" with its partition; `lanes` are written or read of it at once.
void declare(CodeWriter& code, const HlsArray& array, std::int64_t lanes);

/// Loops over the beats of a tile on a FIFO; inside, `element` is the number of the lane's element in the
/// tile (an expression), `lane` its lane.
struct TilePassing {
  const HlsFifo& fifo;
  TileShape tile;
  std::string port;  ///< the parameter of the function
  bool input = false;

  /// Everything before the body of the loop over lanes; `element` is what the body uses.
  std::string open(CodeWriter& code) const;
  void close(CodeWriter& code) const;
};
/// Of a stream's tiles as its consumer takes them.
TilePassing taken(const HlsPlan& plan, std::size_t stream, const std::string& port);

/// A tile from a stream into an array: what its elements stand for, unless the array keeps them as the stream
/// does.
void receive(CodeWriter& code, const HlsPlan& plan, std::size_t stream, const std::string& port,
             const HlsArray& array);
/// A tile into all of these streams, whose parameters are out0, out1 ...; `value` gives what its element of a
/// number is, of this type.
void send(CodeWriter& code, const HlsPlan& plan, std::span<const std::size_t> streams,
          const std::string& type, const std::function<std::string(const std::string&)>& value);
/// The function that sends the tiles of a stream in vectors, if it has one.
void writeCutter(CodeWriter& code, const HlsPlan& plan, std::size_t stream);

/// What a stream carries, and how, as comments before a function.
void describeStream(CodeWriter& code, const HlsPlan& plan, std::size_t stream, const std::string& port,
                    bool input);

/// Loops of a stream type from `from` on: for (int l0 = 0; ...).
void openLoops(CodeWriter& code, const ITensor& type, std::size_t from, std::size_t to);
/// The offset in dimension k, over loops l0, l1 ...
std::string offsetText(const ITensor& type, std::size_t k);

}  // namespace sluice::inline tensor
