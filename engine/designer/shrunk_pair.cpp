// Shrinking a pair of programs: the largest quantity that makes the plain program cheaper is divided by its
// smallest prime, again and again, as long as both programs keep their structure.

#include "engine/designer/shrunk_pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "engine/operators/functional.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline designer {
namespace {

/// Something of the document that may be shrunk.
struct Quantity {
  enum class Kind { Constant, Entries, Lengths, Argument, Extent };
  Kind kind = Kind::Constant;
  std::string name;        ///< for the report
  std::string owner;       ///< the constant, the input, the step's argument, the tensor program's node
  std::size_t step = 0;    ///< of an argument
  std::int64_t value = 0;  ///< at full size
};
using Sizes = std::vector<std::int64_t>;                // parallel to the quantities
using Programs = std::map<std::string, TensorProgram>;  // by the paths of their nodes

/// Quantities that are divided together.
struct Move {
  std::vector<std::size_t> members;
  std::int64_t least = 2;  // that each of them may become
  bool refused = false;
};

/// Refusals are what takes time: a search that has met this many settles for the size that it has.
constexpr int most_refusals = 100;
/// Below that there is little to gain, and more and more that a run no longer shows: constants and extents as
/// long as inputs are left alone, and the longest of lengths always.
constexpr std::int64_t least_width = 8, least_length = 128;
/// A step that takes off less than this share is not worth its while; nor does it count as shrinking where
/// FLOPs do not depend on a quantity, but are rounded.
constexpr double least_gain = 0.001;

std::int64_t largestOf(const IntTensor& tensor) {
  return tensor.data.empty() ? 0 : *std::ranges::max_element(tensor.data);
}

std::int64_t smallestPrime(std::int64_t value) {
  for (std::int64_t p = 2; p * p <= value; ++p)
    if (value % p == 0) return p;
  return value;
}

/// What must stay as it is: the operators, and which of the numbers among their parameters are more than 1.
std::string structureOf(const FlatGraph& graph) {
  std::string structure;
  const auto note = [&](const BoundInteger& number) { structure += number.value > 1 ? 'n' : '1'; };
  for (const FlatOperator& op : graph.operators) {
    structure += op.name + ':' + op.spec->kind + ' ';
    for (const auto& [name, value] : op.parameters.values()) {
      if (const auto* const number = std::get_if<BoundInteger>(&value)) note(*number);
      if (const auto* const list = std::get_if<std::vector<BoundInteger>>(&value))
        std::ranges::for_each(*list, note);
    }
    structure += '\n';
  }
  return structure;
}

/// The elements of all tensors that say how large they are.
double elementsInMemory(const FlatGraph& graph) {
  std::map<std::string, double> tensors;
  for (const FlatOperator& op : graph.operators) {
    const auto& values = op.parameters.values();
    const auto shape = values.find("tensor_shape"), tensor = values.find("tensor");
    if (shape == values.end() || tensor == values.end()) continue;
    const std::string& named = op.parameters.string("tensor");
    double elements = 1;
    for (const BoundInteger& extent : op.parameters.list("tensor_shape"))
      elements *= static_cast<double>(extent.value);
    double& most = tensors[named.empty() ? op.origin : named];
    most = std::max(most, elements);
  }
  double all = 0;
  for (const auto& [name, elements] : tensors) all += elements;
  return all;
}

/// Whether tensors consist of whole tiles, which only functional mode asks for. It is given no memory, so
/// that it fills none: that alone does not count.
bool consistsOfTiles(const FlatGraph& graph) {
  ComputeOptions options;
  options.memory_limit = 0;
  const auto functional = Functional::of(graph, options);
  return functional || std::ranges::all_of(functional.diagnostics(),
                                           [](const Diagnostic& found) { return found.code == "too-many"; });
}

/// Null: there is no such node.
Node* nodeAt(Document& document, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  Graph* const graph = findGraph(document, dot == std::string::npos ? "" : path.substr(0, dot));
  if (!graph) return nullptr;
  const auto found =
      std::ranges::find(graph->nodes, dot == std::string::npos ? path : path.substr(dot + 1), &Node::name);
  return found == graph->nodes.end() ? nullptr : &*found;
}

// --- a workload at other sizes --------------------------------------------------------------------------

void setInput(Workload& workload, const std::string& name, IntTensor tensor) {
  const auto data = workload.inputs.find(name);
  if (data == workload.inputs.end()) return;
  for (Input& input : workload.document.inputs) {
    if (input.name != name) continue;
    if (input.kind == InputKind::Routing) input.tokens = static_cast<std::int64_t>(tensor.shape.front());
    input.file.clear();
    input.counts.clear();
    input.data = tensor;
  }
  data->second.tensor = std::move(tensor);
}

IntTensor firstEntries(IntTensor tensor, std::int64_t entries) {
  const std::size_t row = tensor.data.size() / tensor.shape.front();
  tensor.shape.front() = static_cast<std::size_t>(entries);
  tensor.data.resize(tensor.shape.front() * row);
  return tensor;
}

/// Lengths that were at least 1 still are.
IntTensor scaled(IntTensor tensor, std::int64_t from, std::int64_t to) {
  for (std::int64_t& value : tensor.data) {
    const double share = static_cast<double>(to) / static_cast<double>(from);
    const auto less = static_cast<std::int64_t>(std::ceil(static_cast<double>(value) * share));
    value = value <= 0 ? value : std::clamp<std::int64_t>(less, 1, to);
  }
  return tensor;
}

/// One quantity of a workload gets another value. What a program does not have is left alone.
void setQuantity(Workload& workload, const Quantity& quantity, std::int64_t value) {
  Document& document = workload.document;
  const auto input = workload.inputs.find(quantity.owner);
  switch (quantity.kind) {
    case Quantity::Kind::Constant: {
      const auto found = document.constants.find(quantity.owner);
      if (found != document.constants.end() && found->second == Value(quantity.value))
        found->second = Value(value);
      break;
    }
    case Quantity::Kind::Entries:
      if (input != workload.inputs.end())
        setInput(workload, quantity.owner, firstEntries(input->second.tensor, value));
      break;
    case Quantity::Kind::Lengths:
      if (input != workload.inputs.end())
        setInput(workload, quantity.owner, scaled(input->second.tensor, quantity.value, value));
      break;
    case Quantity::Kind::Argument:
      if (quantity.step < document.schedule.size())
        document.schedule[quantity.step].arguments[quantity.owner] = Value(value);
      break;
    case Quantity::Kind::Extent:
      break;  // all extents of a tensor program at once
  }
}

// --- the search -----------------------------------------------------------------------------------------

class Shrinking {
 public:
  Shrinking(const Workload& plain, const Workload& scheduled, const KnobValues& knobs, PlainPrograms& known,
            ShrunkInputs inputs, const std::stop_token& stop)
      : full_{plain, scheduled, {}, 0, {}}, knobs_(knobs), known_(known), inputs_(inputs), stop_(stop) {
    full_.plain.document.schedule.clear();
  }

  ShrunkPair run();

 private:
  Result<ProgramMeasure> measurePlain(const Workload& plain) const;
  Result<ProgramMeasure> measureScheduled(const Workload& scheduled) const;
  Programs programsOf(const Workload& workload) const;
  Diagnostics begin();

  void findConstants();
  void findInputs();
  void findArguments();
  void findExtents();
  std::vector<std::size_t> entriesLike(std::size_t quantity) const;
  std::vector<Move> widthMoves() const;
  std::vector<Move> singleMoves() const;
  std::vector<Move> furtherMoves() const;

  std::optional<Sizes> divided(const Move& move) const;
  bool keepsLengthsWithin(const Sizes& sizes) const;
  bool keepsEntriesCounted(const Sizes& sizes) const;
  Move* largest(std::vector<Move>& moves) const;
  bool shortensLengths(const Sizes& sizes) const;
  bool keepsSchedule(const Workload& scheduled) const;
  bool accepts(const Sizes& sizes, bool ask_schedule);
  void shrinkBy(std::vector<Move> moves, bool ask_schedule);
  void shrinkAll(bool ask_schedule);
  bool leap();
  std::optional<ShrunkPair> pairOf(const Sizes& sizes) const;
  bool setPrograms(Workload& workload, const Programs& programs, const Sizes& sizes) const;
  bool done() const { return now_.work <= wanted_work || stop_.stop_requested(); }

  ShrunkPair full_, now_;
  const KnobValues& knobs_;
  PlainPrograms& known_;
  ShrunkInputs inputs_;
  const std::stop_token& stop_;
  std::vector<Quantity> quantities_;
  Programs plain_programs_, scheduled_programs_;  // at full size
  Sizes sizes_;
  std::string plain_structure_, scheduled_structure_;
  int refusals_ = 0;
};

Result<ProgramMeasure> measure(const Workload& plain, const KnobValues& knobs, const std::stop_token& stop) {
  ProgramMeasure measured;
  SLUICE_TRY(const std::vector<HeldProgram> held, heldPrograms(plain.document, knobs, stop));
  for (const HeldProgram& one : held) {
    measured.work += static_cast<double>(operationCount(one.program));
    for (const TensorValue& tensor : one.program.tensors)
      measured.work += static_cast<double>(elementCount(tensor));
    measured.structure += one.instance + '\n';
  }
  Workload rest = plain;
  eraseTensorPrograms(rest.document.program);
  if (rest.document.program.nodes.empty()) return measured;
  SLUICE_TRY(const SymbolicResult symbolic, evaluateSymbolic(rest, knobs, {}, stop));
  // Operator by operator: some may only be known after a run, and the sum with them.
  for (const CostValues& op : symbolic.operators)
    measured.work += op.flops.value_or(0) + op.off_chip_bytes.value_or(0);
  measured.work += elementsInMemory(symbolic.graph);
  measured.structure += structureOf(symbolic.graph);
  measured.fits_memory = consistsOfTiles(symbolic.graph);
  return measured;
}

Result<ProgramMeasure> Shrinking::measurePlain(const Workload& plain) const {
  return known_.measures.of(plain, [&] { return measure(plain, knobs_, stop_); });
}

/// Its work does not matter: no step makes much more of it.
Result<ProgramMeasure> Shrinking::measureScheduled(const Workload& scheduled) const {
  SLUICE_TRY(const ScheduledProgram made, applySchedule(scheduled.document, scheduled.inputs, knobs_, stop_));
  SLUICE_TRY(const FlatGraph graph, elaborate(made.document, knobs_, builtInCatalog(), stop_));
  SLUICE_CHECK(inferTypes(graph, made.inputs, stop_));
  // Compiled programs have a memory of their own.
  return ProgramMeasure{0, structureOf(graph), !made.compiled.empty() || consistsOfTiles(graph)};
}

/// Errors: what is wrong with a program at full size.
Diagnostics Shrinking::begin() {
  const Result<ProgramMeasure> plain = measurePlain(full_.plain);
  if (!plain) return plain.diagnostics();
  const Result<ProgramMeasure> scheduled = measureScheduled(full_.scheduled);
  if (!scheduled) return scheduled.diagnostics();
  plain_structure_ = plain->structure;
  scheduled_structure_ = scheduled->structure;
  full_.work = plain->work;
  now_ = full_;
  return {};
}

/// Of several instances the first: steps compile them only if they are alike.
Programs Shrinking::programsOf(const Workload& workload) const {
  Programs programs;
  const Result<std::vector<HeldProgram>> held = heldPrograms(workload.document, knobs_, stop_);
  if (held)
    for (const HeldProgram& one : *held) programs.emplace(one.path, one.program);
  return programs;
}

void Shrinking::findConstants() {
  for (const auto& [name, value] : full_.plain.document.constants) {
    const std::int64_t* const number = value.integer();
    if (number && *number > 1) quantities_.push_back({Quantity::Kind::Constant, name, name, 0, *number});
  }
}

void Shrinking::findInputs() {
  for (const auto& [name, input] : full_.plain.inputs) {
    if (input.kind == InputKind::Tensor || input.tensor.shape.empty()) continue;
    const auto entries = static_cast<std::int64_t>(input.tensor.shape.front());
    if (entries > 1) quantities_.push_back({Quantity::Kind::Entries, name + " entries", name, 0, entries});
    const std::int64_t largest = largestOf(input.tensor);
    if (input.kind == InputKind::Lengths && largest > 1)
      quantities_.push_back({Quantity::Kind::Lengths, name + " values", name, 0, largest});
  }
}

void Shrinking::findArguments() {
  const std::vector<ScheduleStep>& schedule = full_.scheduled.document.schedule;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (!schedule[i].enabled) continue;
    for (const auto& [name, value] : schedule[i].arguments) {
      const std::int64_t* const number = value.integer();
      if (!number || *number <= 1) continue;
      const std::string shown = "step " + std::to_string(i + 1) + " " + name;
      quantities_.push_back({Quantity::Kind::Argument, shown, name, i, *number});
    }
  }
}

void Shrinking::findExtents() {
  plain_programs_ = programsOf(full_.plain);
  scheduled_programs_ = programsOf(full_.scheduled);
  for (const auto& [path, program] : plain_programs_) {
    std::set<std::int64_t> extents;
    for (const TensorValue& tensor : program.tensors)
      extents.insert(tensor.shape.begin(), tensor.shape.end());
    for (const std::int64_t extent : extents) {
      const std::string shown = path + " extent " + std::to_string(extent);
      if (extent > 1) quantities_.push_back({Quantity::Kind::Extent, shown, path, 0, extent});
    }
  }
}

/// Constants that no input has as many entries as, and lengths. The others come later: how many tokens there
/// are is what many steps are about, and how wide they are makes most of the work.
std::vector<Move> Shrinking::widthMoves() const {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const bool width = quantities_[i].kind == Quantity::Kind::Constant && entriesLike(i).empty();
    if (width || quantities_[i].kind == Quantity::Kind::Lengths) moves.push_back({{i}, least_width});
  }
  return moves;
}

/// The inputs that have as many entries as the quantity is large.
std::vector<std::size_t> Shrinking::entriesLike(std::size_t quantity) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < quantities_.size(); ++i)
    if (quantities_[i].kind == Quantity::Kind::Entries && quantities_[i].value == quantities_[quantity].value)
      found.push_back(i);
  return found;
}

/// Constants, some of them together with the inputs that have as many entries, extents and lengths.
std::vector<Move> Shrinking::singleMoves() const {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const Quantity::Kind kind = quantities_[i].kind;
    if (kind == Quantity::Kind::Entries || kind == Quantity::Kind::Argument) continue;
    Move together{{i}, 2};
    if (kind == Quantity::Kind::Constant)
      for (const std::size_t entries : entriesLike(i)) together.members.push_back(entries);
    if (together.members.size() > 1) moves.push_back(together);
    moves.push_back({{i}, 2});
  }
  return moves;
}

std::vector<Move> Shrinking::furtherMoves() const {
  std::vector<Move> moves = singleMoves();
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].kind == Quantity::Kind::Entries) moves.push_back({{i}, 2});
    for (std::size_t k = i + 1; k < quantities_.size(); ++k) {
      const bool arguments =
          quantities_[i].kind == Quantity::Kind::Argument && quantities_[k].kind == Quantity::Kind::Argument;
      if (!arguments) moves.push_back({{i, k}, 2});
    }
  }
  return moves;
}

/// The sizes after a move; nothing where its members may not be shrunk, or have no divisor in common.
std::optional<Sizes> Shrinking::divided(const Move& move) const {
  const auto is_input = [&](std::size_t member) {
    return quantities_[member].kind == Quantity::Kind::Entries ||
           quantities_[member].kind == Quantity::Kind::Lengths;
  };
  if (inputs_ == ShrunkInputs::No && std::ranges::any_of(move.members, is_input)) return std::nullopt;
  std::int64_t common = 0;
  for (const std::size_t member : move.members)
    if (quantities_[member].kind != Quantity::Kind::Lengths) common = std::gcd(common, sizes_[member]);
  const std::int64_t prime = common == 0 ? 2 : smallestPrime(common);
  if (common == 1) return std::nullopt;
  Sizes sizes = sizes_;
  for (const std::size_t member : move.members) {
    sizes[member] = (sizes[member] + prime - 1) / prime;
    const bool lengths = quantities_[member].kind == Quantity::Kind::Lengths;
    if (sizes[member] < (lengths ? least_length : move.least)) return std::nullopt;
  }
  return sizes;
}

/// A constant that bounded all lengths still does: it may be the room that each of them has in memory.
bool Shrinking::keepsLengthsWithin(const Sizes& sizes) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].kind != Quantity::Kind::Lengths) continue;
    for (std::size_t k = 0; k < quantities_.size(); ++k)
      if (quantities_[k].kind == Quantity::Kind::Constant && quantities_[k].value >= quantities_[i].value &&
          sizes[k] < sizes[i])
        return false;
  }
  return true;
}

/// Inputs that had as many entries as a constant says still do.
bool Shrinking::keepsEntriesCounted(const Sizes& sizes) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].kind != Quantity::Kind::Entries) continue;
    bool named = false, counted = false;
    for (std::size_t k = 0; k < quantities_.size(); ++k) {
      if (quantities_[k].kind != Quantity::Kind::Constant || quantities_[k].value != quantities_[i].value)
        continue;
      named = true;
      counted |= sizes[k] == sizes[i];
    }
    if (named && !counted) return false;
  }
  return true;
}

/// The move of the largest quantity, the first of several; null: none is left. So extents shrink evenly.
Move* Shrinking::largest(std::vector<Move>& moves) const {
  Move* best = nullptr;
  std::int64_t most = 0;
  for (Move& move : moves) {
    if (move.refused) continue;
    const std::optional<Sizes> sizes = divided(move);
    move.refused = !sizes;
    // Both may become right again by other moves.
    if (!sizes || !keepsLengthsWithin(*sizes) || !keepsEntriesCounted(*sizes)) continue;
    std::int64_t value = 0;
    for (const std::size_t member : move.members) value = std::max(value, sizes_[member]);
    if (value <= most) continue;
    most = value;
    best = &move;
  }
  return best;
}

/// Tensor programs with other extents; false: there is no such program.
bool Shrinking::setPrograms(Workload& workload, const Programs& programs, const Sizes& sizes) const {
  for (const auto& [path, full] : programs) {
    std::map<std::int64_t, std::int64_t> extents;
    for (std::size_t i = 0; i < quantities_.size(); ++i)
      if (quantities_[i].kind == Quantity::Kind::Extent && quantities_[i].owner == path &&
          quantities_[i].value != sizes[i])
        extents.emplace(quantities_[i].value, sizes[i]);
    if (extents.empty()) continue;
    TensorProgram program = full;
    for (TensorValue& tensor : program.tensors)
      for (std::int64_t& extent : tensor.shape)
        if (const auto found = extents.find(extent); found != extents.end()) extent = found->second;
    Node* const node = nodeAt(workload.document, path);
    if (!node || hasErrors(verify(program))) return false;
    node->parameters = {{"text", Value(text(program))}};
  }
  return true;
}

std::optional<ShrunkPair> Shrinking::pairOf(const Sizes& sizes) const {
  ShrunkPair pair = full_;
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (sizes[i] == quantities_[i].value) continue;
    setQuantity(pair.plain, quantities_[i], sizes[i]);
    setQuantity(pair.scheduled, quantities_[i], sizes[i]);
    pair.sizes.emplace(quantities_[i].name, sizes[i]);
  }
  const bool legal = setPrograms(pair.plain, plain_programs_, sizes) &&
                     setPrograms(pair.scheduled, scheduled_programs_, sizes);
  return legal ? std::optional(std::move(pair)) : std::nullopt;
}

bool Shrinking::keepsSchedule(const Workload& scheduled) const {
  const Result<ProgramMeasure> measured = measureScheduled(scheduled);
  return measured && measured->fits_memory && measured->structure == scheduled_structure_;
}

bool Shrinking::shortensLengths(const Sizes& sizes) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i)
    if (quantities_[i].kind == Quantity::Kind::Lengths && sizes[i] < sizes_[i]) return true;
  return false;
}

/// Takes the sizes where the programs allow it and the plain one becomes cheaper.
bool Shrinking::accepts(const Sizes& sizes, bool ask_schedule) {
  std::optional<ShrunkPair> pair = pairOf(sizes);
  if (!pair) return false;
  const Result<ProgramMeasure> plain = measurePlain(pair->plain);
  if (!plain || !plain->fits_memory || plain->structure != plain_structure_) return false;
  // What lengths cost is only known after a run, as a rule: shorter ones are always taken to be cheaper.
  const double most = shortensLengths(sizes) ? now_.work : now_.work * (1 - least_gain);
  if (plain->work > most) return false;
  if (ask_schedule && !keepsSchedule(pair->scheduled)) return false;
  pair->work = plain->work;
  now_ = *std::move(pair);
  sizes_ = sizes;
  return true;
}

void Shrinking::shrinkBy(std::vector<Move> moves, bool ask_schedule) {
  while (!done() && refusals_ < most_refusals) {
    Move* const move = largest(moves);
    if (!move) return;
    move->refused = !accepts(*divided(*move), ask_schedule);
    refusals_ += move->refused;
  }
}

void Shrinking::shrinkAll(bool ask_schedule) {
  // Extents of a tensor program depend on each other: alone, only a few would become small.
  if (plain_programs_.empty()) {
    shrinkBy(widthMoves(), ask_schedule);
    shrinkBy(singleMoves(), ask_schedule);
  }
  if (ask_schedule || !plain_programs_.empty()) shrinkBy(furtherMoves(), ask_schedule);
}

/// Shrinks the plain program alone and asks the schedule once, at the end: steps may take long, compiling
/// above all. False: its steps are not content with that, and everything is as before.
bool Shrinking::leap() {
  const Sizes sizes = sizes_;
  shrinkAll(false);
  if (done() && keepsSchedule(now_.scheduled)) return true;
  now_ = full_;
  sizes_ = sizes;
  refusals_ = 0;
  return false;
}

ShrunkPair Shrinking::run() {
  const Diagnostics wrong = begin();
  if (!wrong.empty()) {
    full_.why = causeOf(wrong);
    return full_;
  }
  findConstants();
  findInputs();
  findArguments();
  findExtents();
  for (const Quantity& quantity : quantities_) sizes_.push_back(quantity.value);
  if (!done() && !leap()) {
    shrinkAll(true);
  }
  if (stop_.stop_requested()) {
    now_.why = "cancelled";
  } else if (now_.work > most_work) {
    now_.why = "a run at the smallest size that was found takes " +
               std::to_string(static_cast<std::uint64_t>(std::min(now_.work, 0x1p62))) +
               " FLOPs, bytes and elements, more than " +
               std::to_string(static_cast<std::uint64_t>(most_work));
  }
  return std::move(now_);
}

}  // namespace

ShrunkPair shrink(const Workload& plain, const Workload& scheduled, const KnobValues& knobs,
                  PlainPrograms& known, ShrunkInputs inputs, const std::stop_token& stop) {
  return Shrinking(plain, scheduled, knobs, known, inputs, stop).run();
}

std::string causeOf(const Diagnostics& diagnostics) {
  if (isCancelled(diagnostics)) return "cancelled";
  return text(diagnostics.front().place) + ": " + diagnostics.front().cause;
}

Result<std::vector<HeldProgram>> heldPrograms(const Document& document, const KnobValues& knobs,
                                              const std::stop_token& stop) {
  SLUICE_TRY(const FlatGraph graph, elaborate(document, knobs, builtInCatalog(), stop));
  std::vector<HeldProgram> held;
  for (const FlatOperator& op : graph.operators) {
    if (!definitionOf(op).holds_program) continue;
    SLUICE_TRY(TensorProgram program, tensorProgramOf(op));
    held.push_back({op.origin, op.name, std::move(program)});
  }
  return held;
}

}  // namespace sluice::inline designer
