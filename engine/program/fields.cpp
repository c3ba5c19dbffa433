#include "engine/program/fields.h"

namespace sluice::inline program {
namespace {

using enum Need;
using M = Machine;
using B = BoundMachine;
using D = Dram;

constexpr std::int64_t million = std::int64_t{1} << 20;  // cycles: sums over all tiles stay far below 2^63
constexpr std::int64_t billion = std::int64_t{1} << 31;  // products of two of them stay within 64 bits

constexpr Range depths{1, billion}, cycles{0, million}, clock_range{1, 100'000}, parts{1, 1024};
constexpr Range channels{1, 1 << 16};  // each has a backlog, looked at in every cycle of requests
constexpr Range timing{0, 4096}, some{1, 4096}, bytes{1, million};
constexpr Range grid{1, 6};
constexpr std::monostate own;  // read and written by code of its own
constexpr std::string_view clocks = "memory cycles";

constexpr Field<Knob> knob_fields[]{
    {"name", &Knob::name, RequiredName},
    {"kind", &Knob::kind, Required},
    {"minimum", &Knob::minimum, Optional, "of a Range or PowerOfTwo"},
    {"maximum", &Knob::maximum, Optional, "of a Range or PowerOfTwo"},
    {"step", &Knob::step, Optional, "of a Range"},
    {"values", &Knob::list, Optional, "of a List"},
    {"choices", &Knob::choices, Optional,
     "of a Choice; in expressions the knob is the position of the choice"},
    {"default", own, Required, "one of the values; of a Choice the text"},
    {"help", &Knob::help},
};

constexpr Field<Node> node_fields[]{
    {"name", &Node::name, RequiredName, "unique in its graph; not `region`"},
    {"kind", &Node::kind, RequiredName, "a kind of [engine/operators](../operators/README.md), or `Region`"},
    {"parameters", &Node::parameters, Optional,
     "number, true/false, text or list, as the operator asks. `\"=knob\"` takes the chosen text of a Choice "
     "knob"},
    {"at", &Node::at, Optional, "position on the canvas; without one it is laid out"},
};

constexpr Field<Region> region_fields[]{
    {"count", &Region::count, Optional, "how many instances run side by side", 1},
    {"index", &Region::index, OptionalName,
     "the instance's number (0 ... count-1) for expressions in its program"},
    {"inputs", &Region::inputs, OptionalName,
     "ports; outside each is a bundle of `count` streams, inside a single one, `region.NAME`"},
    {"outputs", &Region::outputs, OptionalName, "the same"},
    {"widths", &Region::widths, Optional,
     "port: number, of streams of that port that every instance has, else 1; outside the bundle is "
     "`count` times as wide",
     1},
    {"by_instance", &Region::by_instance, Optional,
     "instances are laid out one after the other instead of operator by operator; only the order of off-chip "
     "memory ports follows from it"},
    {"collapsed", &Region::collapsed, Optional, "drawn as one box"},
    {"program", own, Required, "a graph"},
};

constexpr Field<Stream> stream_fields[]{
    {"from", &Stream::from, Required,
     "`node.port` is the whole port, `node.port[2]` one element of a bundle; the index is a number as above"},
    {"to", &Stream::to, Required, "the same"},
    {"depth", &Stream::depth, Optional, "of the FIFO; without one the machine's fifo_depth", depths,
     "tokens"},
};

constexpr Field<ScheduleStep> step_fields[]{
    {"transformation", &ScheduleStep::transformation, RequiredName},
    {"arguments", &ScheduleStep::arguments, Optional, "as parameters"},
    {"enabled", &ScheduleStep::enabled},
};

constexpr Field<Machine> machine_fields[]{
    {"name", &M::name, Optional, "", any_number, "", "Name"},
    {"fifo_depth", &M::fifo_depth, Optional, "of streams without a depth of their own", depths, "tokens",
     "FIFO depth", &B::fifo_depth},
    {"on_chip_bandwidth", &M::on_chip_bandwidth, Optional, "of one on-chip memory unit", Range(1, billion),
     "bytes/cycle", "On-chip bandwidth", &B::on_chip_bandwidth},
    {"on_chip_capacity", &M::on_chip_capacity, Optional, "0: unlimited", Range(0, std::int64_t{1} << 62),
     "bytes", "On-chip capacity", &B::on_chip_capacity},
    {"mock_bf16", &M::mock_bf16, Optional, "float32 tiles move as 2 bytes an element", any_number, "",
     "bfloat16 moves"},
    {"hbm_request_bytes", &M::hbm_request_bytes, Optional, "", bytes, "bytes", "Request",
     &B::hbm_request_bytes},
    {"hbm_channels", &M::hbm_channels, Optional, "", channels, "channels", "Channels", &B::hbm_channels},
    {"hbm_latency", &M::hbm_latency, Optional, "", cycles, "cycles", "Latency", &B::hbm_latency},
    {"hbm_initiation_interval", &M::hbm_initiation_interval, Optional, "between requests of one channel",
     Range(1, million), "cycles", "Initiation interval", &B::hbm_initiation_interval},
    {"hbm_start_up", &M::hbm_start_up, Optional, "paid by every request in reference mode", cycles, "cycles",
     "Start-up", &B::hbm_start_up},
    {"hbm_controller_wait", &M::hbm_controller_wait, Optional,
     "whether memory counts as waiting until an answer or until the cycle before: the reference simulator "
     "gives both, as its host threads race",
     Range(0, 1), "cycles", "Controller wait", &B::hbm_controller_wait},
    {"scratchpads", &M::scratchpads, Optional,
     "on-chip memory units that operators share; 0: every operator has its own", cycles, "units",
     "Scratchpads", &B::scratchpads},
    {"technology", &M::technology, Optional,
     "what actions cost, for energy, power and area: a name or a file, as in "
     "[engine/energy](../energy/README.md); without one nothing has a price",
     any_number, "", "Technology"},
    {"clock_mhz", &M::clock_mhz, Optional,
     "of the design, for energy and power; 0: that of a memory with banks, else the technology's",
     Range(0, 100'000), "MHz", "Clock", &B::clock_mhz},
    {"reference_mode", &M::reference_mode, Optional,
     "false: what the reference simulator does oddly is idealised", any_number, "", "As the reference"},
    {"hbm_model", &M::hbm_model, Optional,
     "node: the reference's memory node; hbm2, hbm3: a memory down to its banks", any_number, "", "Model"},
    {"hbm_timing", &M::hbm_timing, Optional,
     "what differs from the preset of `hbm2` or `hbm3`; refused with `node`"},
};

constexpr Field<Input> input_fields[]{
    {"name", &Input::name, RequiredName},
    {"kind", &Input::kind, Required, "Routing: experts of each token; Lengths: one number a request"},
    {"file", &Input::file, Optional,
     "`.npy` or `.npz`, relative to the `.sluice` file; or `set:...`, [a set of "
     "traces](../traces/README.md)"},
    {"counts", &Input::counts, Optional, "how many tokens go to each expert", 0, "", "Tokens an expert"},
    {"tokens", &Input::tokens, Optional, "0: as many as the trace has", Range(0, 1 << 26), "tokens",
     "Tokens"},
    {"experts", &Input::experts, Optional, "0: as many as the trace has", Range(0, million), "experts",
     "Experts"},
    {"top_k", &Input::top_k, Optional, "0: as many as the trace has", Range(0, 4096), "experts",
     "Experts a token"},
    {"seed", &Input::seed, Optional, "of the shuffling", 0, "", "Seed"},
    {"shape", own, Optional, "of the data, a list of whole numbers; without it that of the lists"},
    {"data", own, Optional,
     "row-major list of whole numbers; without a shape also lists nested as deep as there are dimensions"},
};

constexpr Field<FigurePanel> panel_fields[]{
    {"view", &FigurePanel::view, Required},
    {"span", &FigurePanel::span, Optional, "of the grid that it takes", grid, "columns", "Columns taken"},
    {"height", &FigurePanel::height, Optional, "of its picture; 0: as its view asks", Range(0, 2000),
     "points", "Height"},
    {"title", &FigurePanel::title, Optional, "above the picture", any_number, "", "Title"},
    {"caption", &FigurePanel::caption, Optional, "below it, beside the letter", any_number, "", "Caption"},
    {"x", &FigurePanel::x, Optional,
     "metric or knob of a Pareto plot, without one the first objective; metric of a distribution; experts "
     "by `rank` or by number (`expert`)",
     any_number, "", "Horizontal axis"},
    {"y", &FigurePanel::y, Optional,
     "metric or knob of a Pareto plot, without one the second objective; metric of boxes", any_number, "",
     "Vertical axis"},
    {"log_x", &FigurePanel::log_x, Optional, "logarithmic", any_number, "", "x logarithmic"},
    {"log_y", &FigurePanel::log_y, Optional, "logarithmic", any_number, "", "y logarithmic"},
    {"x_unit", &FigurePanel::x_unit, Optional,
     "prefix of the unit that the axis is labelled in, megabytes say; `fitting`: as its numbers are",
     any_number, "", "x unit"},
    {"y_unit", &FigurePanel::y_unit, Optional, "the same", any_number, "", "y unit"},
    {"x_range", &FigurePanel::x_range, Optional, "what is shown of the axis; else all there is", any_number,
     "", "x from, to"},
    {"y_range", &FigurePanel::y_range, Optional, "the same", any_number, "", "y from, to"},
    {"x_label", &FigurePanel::x_label, Optional, "instead of the axis's own, unit and all", any_number, "",
     "x label"},
    {"y_label", &FigurePanel::y_label, Optional, "the same", any_number, "", "y label"},
    {"legend", &FigurePanel::legend, Optional, "of a plot", any_number, "", "Legend"},
    {"hidden", &FigurePanel::hidden, Optional,
     "series of a Pareto plot, axes of parallel coordinates that are left out", any_number, "", "Left out"},
    {"rows", &FigurePanel::rows, Optional,
     "streams of the occupancy, parts of the names of the timeline's rows; without them the fullest "
     "streams, and all rows",
     any_number, "", "Rows"},
    {"knobs", &FigurePanel::knobs, Optional,
     "knob: value, of the design that it shows; the others have their defaults", any_number, "", "At"},
};

constexpr Field<Figure> figure_fields[]{
    {"name", &Figure::name, Required, "by which `sluice-cli export --figure` knows it"},
    {"width", &Figure::width, Optional, "240: a column, 504: a page of text", Range(72, 5000), "points",
     "Width"},
    {"text", &Figure::text, Optional, "", Range(4, 48), "points", "Text"},
    {"columns", &Figure::columns, Optional, "of the grid; panels fill it row by row", grid, "columns",
     "Columns"},
    {"letters", &Figure::letters, Optional, "(a), (b) ... below the panels", any_number, "", "Letters"},
    {"font", &Figure::font, Optional, "a family; without one the usual", any_number, "", "Font"},
    {"line_width", &Figure::line_width, Optional, "0: as suits the text", Range(0, 10), "points", "Lines"},
    {"marker_size", &Figure::marker_size, Optional, "0: as suits the text", Range(0, 30), "points",
     "Markers"},
    {"palette", &Figure::palette, Optional, "of series", any_number, "", "Palette"},
    {"grid", &Figure::grid, Optional, "of plots", any_number, "", "Grid"},
    {"panels", own, Optional, "a list of panels"},
};

constexpr Field<Provenance> provenance_fields[]{
    {"trust", own, Required,
     "`model`: simulated; `calibrated`: fitted to measurements; `rtl`: confirmed by register-transfer "
     "simulation; `published`: printed in the papers"},
    {"source", &Provenance::source, Optional, "what the cycles were held against"},
    {"detail", &Provenance::detail, Optional, "what was fitted, and how far off it is"},
    {"covers", &Provenance::covers, Optional,
     "hashes, a space between: of what was confirmed - of a document that was changed since, `trust` no "
     "longer "
     "holds - and of each design point that RTL ran, a colon and a hash of its recording behind it, "
     "or that papers print, `:published` behind it"},
};

constexpr Field<Dram> dram_fields[]{
    {"core_mhz", &D::core_mhz, Optional, "clock of the accelerator", clock_range, "MHz"},
    {"dram_mhz", &D::dram_mhz, Optional, "clock of the memory", clock_range, "MHz"},
    {"pseudo_channels", &D::pseudo_channels, Optional, "per channel", parts},
    {"bank_groups", &D::bank_groups, Optional, "per pseudo channel", parts},
    {"banks", &D::banks, Optional, "per bank group; 65536 in all channels together", parts},
    {"row_bytes", &D::row_bytes, Optional, "of one pseudo channel", bytes, "bytes"},
    {"burst_bytes", &D::burst_bytes, Optional, "", bytes, "bytes"},
    {"queue", &D::queue, Optional,
     "of a pseudo channel that its scheduler chooses from; 1: first in, first out", some, "bursts"},
    {"controller_latency", &D::controller_latency, Optional, "of the accelerator, there and back together",
     cycles, "cycles"},
    {"tBL", &D::tBL, Optional, "burst on the data bus", some, clocks},
    {"tCL", &D::tCL, Optional, "column access to data, reading", timing, clocks},
    {"tCWL", &D::tCWL, Optional, "the same, writing", timing, clocks},
    {"tRCD", &D::tRCD, Optional, "activate to access", timing, clocks},
    {"tRP", &D::tRP, Optional, "precharge", timing, clocks},
    {"tRAS", &D::tRAS, Optional, "activate to precharge", timing, clocks},
    {"tRTP", &D::tRTP, Optional, "read to precharge", timing, clocks},
    {"tWR", &D::tWR, Optional, "end of written data to precharge", timing, clocks},
    {"tCCD_S", &D::tCCD_S, Optional, "access to access of another bank group", some, clocks},
    {"tCCD_L", &D::tCCD_L, Optional, "access to access of the same bank group", some, clocks},
    {"tRRD_S", &D::tRRD_S, Optional, "activate to activate of another bank group", timing, clocks},
    {"tRRD_L", &D::tRRD_L, Optional, "activate to activate of the same bank group", timing, clocks},
    {"tFAW", &D::tFAW, Optional, "four activates", timing, clocks},
    {"tWTR_S", &D::tWTR_S, Optional, "end of written data to read of another bank group", timing, clocks},
    {"tWTR_L", &D::tWTR_L, Optional, "end of written data to read of the same bank group", timing, clocks},
    {"tRTW", &D::tRTW, Optional, "read to write", timing, clocks},
    {"tREFI", &D::tREFI, Optional, "between refreshes, more than tRFC + tRP + tRCD; 0: none", cycles, clocks},
    {"tRFC", &D::tRFC, Optional, "a refresh", Range(0, 1 << 16), clocks},
};

}  // namespace

template <>
std::span<const Field<Knob>> fields() {
  return knob_fields;
}
template <>
std::span<const Field<Node>> fields() {
  return node_fields;
}
template <>
std::span<const Field<Region>> fields() {
  return region_fields;
}
template <>
std::span<const Field<Stream>> fields() {
  return stream_fields;
}
template <>
std::span<const Field<ScheduleStep>> fields() {
  return step_fields;
}
template <>
std::span<const Field<Machine>> fields() {
  return machine_fields;
}
template <>
std::span<const Field<Input>> fields() {
  return input_fields;
}
template <>
std::span<const Field<Figure>> fields() {
  return figure_fields;
}
template <>
std::span<const Field<FigurePanel>> fields() {
  return panel_fields;
}
template <>
std::span<const Field<Provenance>> fields() {
  return provenance_fields;
}
template <>
std::span<const Field<Dram>> fields() {
  return dram_fields;
}

std::optional<Diagnostic> outOfRange(const Input& input) {
  for (const Field<Input>& field : fields<Input>()) {
    const auto number = field.as<std::int64_t>();
    if (!number || field.range.contains(input.*number)) continue;
    const std::int64_t given = input.*number;
    const bool above = given > field.range.maximum;
    return error("out-of-range",
                 Location(Where::Input, input.name) / Location(Where::Field, std::string(field.key)),
                 std::to_string(given) + (above ? " is more than " + std::to_string(field.range.maximum)
                                                : " is less than " + std::to_string(field.range.minimum)),
                 "give " + text(field.range));
  }
  return std::nullopt;
}

}  // namespace sluice::inline program
