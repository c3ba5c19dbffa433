// The operators of STeP's protobuf form. Where a name changed, both are here: a graph may be read by the
// schema that it was written by.

#include "engine/interchange/step_message_kinds.h"

namespace sluice::inline interchange {

namespace {

using F = From;
using Fields = std::vector<StepField>;

constexpr StepField in{"inp", F::Input, "input_id", "stream_idx"};
constexpr StepField input{"inp", F::Input, "input_id", "input_stream_idx"};
constexpr StepField trigger{"inp", F::OptionalInput, "input_id", "stream_idx"};
constexpr StepField in1{"in1", F::Input, "input_id1", "stream_idx1"},
    in2{"in2", F::Input, "input_id2", "stream_idx2"};
constexpr StepField inputs{"inps", F::Inputs, "input_id_list", "input_stream_idx_list"};
constexpr StepField ref{"ref", F::Input, "ref_id", "ref_stream_idx"};
constexpr StepField control{"ctl", F::Input, "control_id", "control_stream_idx"};
constexpr StepField function{"fn", F::Function, "func"}, init{"init", F::Init, "init_func"};
constexpr StepField bw{"bw", F::Same, "compute_bw"}, wb{"wb", F::Same, "write_back_mu"},
    rank{"rank", F::Same, "rank"};
constexpr StepField rows{"tile_row", F::Same, "tile_row"}, columns{"tile_col", F::Same, "tile_col"};
constexpr StepField par{"par", F::Same, "par_dispatch"}, view{"out", F::Same, "out_shape_tiled"};
constexpr StepField sw{"sw", F::Same, "switch_cycles"}, ways{"n", F::Same, "num_consumers"};
constexpr StepField padding{"pad", F::Padding, "pad_func"}, chunk{"chunk", F::Same, "chunk_size"},
    split{"dim", F::Same, "split_dim"}, ranks{"", F::Either, "input_stream_rank"};

Fields operator+(Fields a, const Fields& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Where a tensor lies and what file holds its numbers: `simulate --tensors` gives these.
const Fields place{{"", F::Either, "npy_path"},
                   {"", F::Either, "store_path"},
                   {"", F::Either, "tensor_shape_tiled"},
                   {"", F::Either, "base_addr_byte"},
                   {"", F::Unset, "transposed"}};
const Fields tile = place + Fields{rows, columns, par};
const Fields elements{{"scalar", F::Scalar, "dtype"}, {"", F::ElementBytes, "n_byte"}};
const Fields load = tile + elements + Fields{view, {"stride", F::Given, "stride"}};
const Fields load_ref = load + Fields{ref, {"trigger", F::Given, "trigger_rank"}};
const Fields extents{{"extents", F::Extents, "shape_path"}};

const std::vector<StepMessageKind> kinds{
    {"binarymap", "BinaryMap", {in1, in2, function, bw, wb, {"st", F::Given, "st_from_input"}}},
    {"unarymap", "UnaryMap", {in, function, bw, wb}},
    {"binarymap_accum", "BinaryMapAccum", {in1, in2, function, init, rank, bw, wb}},
    {"accum", "Accum", {in, function, init, rank, bw, wb}},
    {"accum_buffer",
     "AccumBuffer",
     {in, function, init, {"shape", F::Same, "buffer_shape"}, rank, bw, {"", F::Unset, "write_back_mu"}}},
    {"scan",
     "Scan",
     {in1,
      {"in2", F::OptionalInput, "input_id2", "stream_idx2"},
      {"ctr", F::Input, "ctr_id", "ctr_stream_idx"},
      {"fn", F::Function, "func1"},
      {"fn2", F::OptionalFunction, "func2"},
      init,
      bw,
      wb,
      {"inclusive", F::Same, "inclusive"},
      {"", F::Either, "chunk_factor"}}},  // the chunks come one after the other, each ended by a stop
    {"off_chip_load", "OffChipLoad", load},
    {"linear_off_chip_load", "OffChipLoad", load},
    {"dyn_off_chip_load", "DynOffChipLoad", load_ref},
    {"linear_off_chip_load_ref", "DynOffChipLoad", load_ref},
    {"dyn_linear_off_chip_load", "DynLinearOffChipLoad",
     tile + elements + Fields{{"", F::RequestBytes, "addr_offset"}} + extents},
    {"off_chip_store", "OffChipStore", tile + Fields{in}},
    {"dyn_off_chip_store", "DynOffChipStore", tile + extents + Fields{in}},
    {"random_off_chip_load", "RandomOffChipLoad",
     tile + elements +
         Fields{{"raddr", F::Input, "raddr_id", "raddr_stream_idx"}, {"", F::Either, "track_traffic"}}},
    {"random_off_chip_store", "RandomOffChipStore",
     tile + Fields{{"scalar", F::Scalar, "wdata_dtype"},
                   {"", F::ElementBytes, "n_byte"},
                   {"waddr", F::Input, "waddr_id", "waddr_stream_idx"},
                   {"wdata", F::Input, "wdata_id", "wdata_stream_idx"},
                   {"ackw", F::Same, "ack_based_on_waddr"},
                   {"", F::Either, "has_done_stream"},  // acknowledgements without a reader go nowhere
                   {"buffer", F::BufferDepth, "buffer_depth"}}},
    {"printer_context", "PrinterContext", {in}},
    {"consumer_context", "ConsumerContext", {in}},
    {"select_gen",
     "SelectGen",
     {{"multihot", F::Same, "is_multihot"},
      {"", F::Array, "npy_path"},
      {"", F::Either, "tensor_shape_tiled"}}},
    {"metadata_gen", "MetadataGen", {{"", F::Array, "npy_path"}, {"", F::Either, "tensor_shape_tiled"}}},
    {"expert_addr_gen",
     "ExpertAddrGen",
     {input, {"n", F::Same, "num_tile_per_expert"}, {"base", F::Same, "expert_addr_base"}}},
    {"cache_read_addr_gen",
     "CacheReadAddrGen",
     {{"idx", F::Input, "idx_id", "idx_stream_idx"},
      {"sl", F::Input, "seq_len_id", "seq_len_stream_idx"},
      {"off", F::Same, "offset_per_idx"}}},
    {"filter_last_tile", "FilterLastTile", {{"inp", F::Input, "seq_len_id", "seq_len_stream_idx"}}},
    {"flatmap_counter", "FlatmapCounter", {in}},
    {"counter", "Counter", {{"max", F::Same, "max"}, trigger}},
    {"counter_2d", "Counter2D", {{"rows", F::Same, "rows"}, {"cols", F::Same, "cols"}, trigger}},
    {"broadcast", "Broadcast", {in, ways}},
    {"flat_partition", "FlatPartition", {input, control, {"rank", F::Same, "partition_rank"}, ways, sw, wb}},
    {"shuffle",
     "Shuffle",
     {input, {"idx", F::Input, "index_id", "index_stream_idx"}, {"rank", F::Same, "rank"}, wb}},
    {"parallelize",
     "Parallelize",
     {input, {"rank", F::Same, "parallelize_rank"}, ways, sw, {"", F::Either, "write_back_mu"}}},
    {"flat_reassemble", "FlatReassemble", {inputs, control, {"rank", F::Same, "reassemble_rank"}, sw, wb}},
    {"static_reassemble",
     "StaticReassemble",
     {inputs, {"rank", F::Same, "merge_rank"}, sw, {"", F::Unset, "write_back_mu"}}},
    {"eager_merge", "EagerMerge", {inputs, {"rank", F::Same, "input_rank"}}},
    {"expand_ref", "ExpandRef", {in, ref, {"rank", F::Same, "expand_rank"}}},
    {"repeat_static", "RepeatStatic", {in, {"rf", F::Same, "repeat_factor"}}},
    {"repeat_ref", "RepeatRef", {input, ref, rank}},
    {"promote", "Promote", {in, {"rank", F::Same, "promote_rank"}}},
    {"promote_outer", "PromoteOuter", {in}},
    {"take_last", "TakeLast", {in}},
    {"flatten", "Flatten", {in, {"mn", F::Same, "min_rank"}, {"mx", F::Same, "max_rank"}}},
    {"reshape", "Reshape", {in, split, chunk, wb, {"outer", F::Same, "add_outer_dim"}, padding, ranks}},
    {"reshape_pad_stream",
     "ReshapePadStream",
     {in, split, chunk, wb, {"mask", F::Same, "have_pad_stream"}, padding, ranks}},
    {"retile_streamify",
     "RetileStreamify",
     {in, {"row", F::Same, "split_row"}, {"mask", F::Same, "filter_mask"}, {"", F::Unset, "chunk"}}},
    {"flatmap_filter_row_streamify",
     "FlatmapFilterRowStreamify",
     {in, {"mask", F::Input, "mask_id", "mask_stream_idx"}}},
    {"bufferize", "Bufferize", {in, rank, {"", F::Unset, "passthrough"}}},
    {"streamify", "Streamify", {in, {"rf", F::Same, "repeat_factor"}, rank}},
    {"static_streamify",
     "StaticStreamify",
     {in, {"stride", F::Same, "stride"}, {"out", F::Same, "out_shape"}, {"", F::Unset, "repeat_factor"}}},
    {"dyn_streamify",
     "DynStreamify",
     {input, ref, {"rank", F::Same, "bufferized_rank"}, {"rr", F::Same, "repeat_rank"}}}};

}  // namespace

std::span<const StepMessageKind> stepMessageKinds() {
  return kinds;
}

}  // namespace sluice::inline interchange
