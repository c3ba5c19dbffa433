#include "engine/tensor/dataflow/dataflow_text.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline tensor {

namespace {

constexpr const char* form = "see engine/tensor/dataflow/dataflow_text.h for the form";
constexpr std::array kinds{TaskKind::Compute,   TaskKind::Load, TaskKind::Store,
                           TaskKind::Converter, TaskKind::Fork, TaskKind::Join};

/// What is on the edge.
std::string edgeType(const DataflowDesign& design, const DataflowStream& stream) {
  return text(vectorisedType(sourceOf(design, stream).type, stream.vector));
}

class Attributes {
 public:
  void add(const std::string& attribute) { all_ += (all_.empty() ? "" : ", ") + attribute; }
  void shape(const std::string& name, std::span<const std::int64_t> shape) {
    if (!shape.empty()) add(name + " = " + shapeText(shape));
  }
  std::string text() const { return all_.empty() ? "" : " {" + all_ + "}"; }

 private:
  std::string all_;
};

class Printer {
 public:
  explicit Printer(const DataflowDesign& design) : design_(design) {}

  std::string print() const {
    std::string text = "dataflow {\n" + sluice::text(design_.program);
    for (std::size_t tensor = 0; tensor < design_.layouts.size(); ++tensor)  // in the program's order
      if (design_.program.tensors[tensor].role != TensorRole::Activation) text += layout(tensor);
    for (const TensorOperator& op : design_.program.operators) text += layout(op.output);
    for (const Task& task : design_.tasks) text += this->task(task);
    for (const DataflowStream& stream : design_.streams) text += this->stream(stream);
    return text + "}\n";
  }

 private:
  std::string tensor(std::size_t number) const { return named('%', design_.program.tensors[number].name); }

  std::string layout(std::size_t number) const {
    const ExternalLayout& layout = design_.layouts[number];
    Attributes attributes;
    attributes.shape("tile", layout.tile);
    attributes.shape("word", layout.vector);
    return layout == ExternalLayout{} ? "" : "layout " + tensor(number) + attributes.text() + "\n";
  }

  std::string ports(const std::vector<TaskPort>& ports) const {
    std::string list;
    for (const TaskPort& port : ports)
      list += (list.empty() ? "" : ", ") + std::string(port.external ? "external " : "") +
              tensor(port.tensor) + " : " + text(port.type);
    return " (" + list + ")";
  }

  std::string task(const Task& task) const {
    Attributes attributes;
    attributes.add("group = " + std::to_string(task.group));
    attributes.shape("buffer", task.buffer);
    if (task.before_loop > 0) attributes.add("before_loop = " + std::to_string(task.before_loop));
    const std::string what =
        task.kind == TaskKind::Compute ? " " + tensor(design_.program.operators[task.subject].output) : "";
    return "task " + named('@', task.name) + " = " + std::string(text(task.kind)) + what + attributes.text() +
           ports(task.inputs) + " ->" + ports(task.outputs) + "\n";
  }

  std::string end(PortRef port) const {
    return named('@', design_.tasks[port.task].name) + "[" + std::to_string(port.port) + "]";
  }

  std::string stream(const DataflowStream& stream) const {
    Attributes attributes;
    attributes.shape("vector", stream.vector);
    if (stream.folded) attributes.add("folded");
    if (stream.depth) attributes.add("depth = " + std::to_string(*stream.depth));
    return "stream " + end(stream.from) + " -> " + end(stream.to) + attributes.text() + " : " +
           edgeType(design_, stream) + "\n";
  }

  const DataflowDesign& design_;
};

class Parser {
 public:
  explicit Parser(TextReader& reader) : reader_(reader) {}

  DataflowDesign parse() {
    reader_.keyword("dataflow", "begin with dataflow {");
    reader_.expect('{');
    design_.program = readTensorProgram(reader_);
    if (!reader_.failed() && hasErrors(verify(design_.program)))
      reader_.fail("the program is wrong: " + verify(design_.program).front().cause,
                   verify(design_.program).front().fix);
    if (reader_.failed()) return {};
    for (std::size_t i = 0; i < design_.program.tensors.size(); ++i)
      tensors_[design_.program.tensors[i].name] = i;
    design_.layouts.resize(design_.program.tensors.size());
    while (!reader_.failed() && reader_.peek() != '}') {
      if (reader_.acceptWord("layout"))
        layout();
      else if (reader_.acceptWord("task"))
        task();
      else if (reader_.acceptWord("stream"))
        stream();
      else
        reader_.fail("layout, task or stream is expected", form);
    }
    reader_.expect('}');
    return std::move(design_);
  }

 private:
  std::size_t numbered(const std::map<std::string, std::size_t>& all, const std::string& what,
                       const std::string& name) {
    const auto found = all.find(name);
    if (found != all.end()) return found->second;
    reader_.fail("there is no " + what + " '" + name + "'", "define it above its first use");
    return 0;
  }
  std::size_t tensor() { return numbered(tensors_, "tensor", reader_.name('%')); }

  std::vector<std::int64_t> shape() {
    const Result<std::vector<std::int64_t>> read = parseTensorShape(reader_.word(), reader_.place());
    if (read) return *read;
    reader_.fail(read.diagnostics().front().cause, read.diagnostics().front().fix);
    return {};
  }

  /// `{name = value, ...}`, if there are any.
  template <class Attribute>
  void attributes(Attribute&& attribute) {
    if (!reader_.accept('{')) return;
    do {
      const std::string name = reader_.word();
      if (!attribute(name)) reader_.fail("there is no attribute '" + name + "' here", form);
    } while (reader_.accept(','));
    reader_.expect('}');
  }
  std::int64_t count() {
    reader_.expect('=');
    return static_cast<std::int64_t>(reader_.number());
  }
  std::vector<std::int64_t> shapeValue() {
    reader_.expect('=');
    return shape();
  }

  void layout() {
    const std::size_t number = tensor();
    ExternalLayout layout;
    attributes([&](const std::string& name) {
      if (name == "tile") return layout.tile = shapeValue(), true;
      if (name == "word") return layout.vector = shapeValue(), true;
      return false;
    });
    if (!reader_.failed()) design_.layouts[number] = std::move(layout);
  }

  ITensor type() {
    const std::string_view written = reader_.bracketed();
    if (reader_.failed()) return {};
    const Result<WrittenITensor> type = parseITensor(written);
    if (type) return type->type;
    reader_.fail(text(type.diagnostics().front().place) + ": " + type.diagnostics().front().cause,
                 type.diagnostics().front().fix);
    return {};
  }

  std::vector<TaskPort> ports() {
    std::vector<TaskPort> list;
    reader_.expect('(');
    if (reader_.accept(')')) return list;
    do {
      TaskPort port;
      port.external = reader_.acceptWord("external");
      port.tensor = tensor();
      reader_.expect(':');
      port.type = type();
      list.push_back(std::move(port));
    } while (!reader_.failed() && reader_.accept(','));
    reader_.expect(')');
    return list;
  }

  void arrow() {
    reader_.expect('-');
    reader_.expect('>');
  }

  TaskKind kind() {
    const std::string name = reader_.word();
    for (const TaskKind kind : kinds)
      if (text(kind) == name) return kind;
    std::string known;
    for (const TaskKind kind : kinds) known += (known.empty() ? "" : ", ") + std::string(text(kind));
    reader_.fail("there is no task of kind '" + name + "'", "the kinds are " + known);
    return {};
  }

  void task() {
    Task task;
    task.name = reader_.name('@');
    reader_.expect('=');
    task.kind = kind();
    if (task.kind == TaskKind::Compute) {
      const std::size_t written = tensor();
      const auto writer = writers(design_.program)[written];
      if (!writer && !reader_.failed())
        reader_.fail("no operator writes '" + design_.program.tensors[written].name + "'",
                     "name the tensor that the task's operator writes");
      task.subject = writer.value_or(0);
    }
    attributes([&](const std::string& name) {
      if (name == "group") return task.group = static_cast<std::size_t>(count()), true;
      if (name == "buffer") return task.buffer = shapeValue(), true;
      if (name == "before_loop") return task.before_loop = static_cast<std::size_t>(count()), true;
      return false;
    });
    task.inputs = ports();
    arrow();
    task.outputs = ports();
    if (!reader_.failed() && !tasks_.emplace(task.name, design_.tasks.size()).second)
      reader_.fail("task '" + task.name + "' is defined twice", "give one of them another name");
    design_.tasks.push_back(std::move(task));
  }

  PortRef end(bool output) {
    PortRef port;
    port.task = numbered(tasks_, "task", reader_.name('@'));
    reader_.expect('[');
    port.port = reader_.number();
    reader_.expect(']');
    if (reader_.failed()) return {};
    const Task& task = design_.tasks[port.task];
    const std::size_t there = (output ? task.outputs : task.inputs).size();
    if (port.port >= there)
      reader_.fail("task '" + task.name + "' has " + std::to_string(there) +
                       (output ? " outputs" : " inputs") + ", none with number " + std::to_string(port.port),
                   "count its ports from 0");
    return port;
  }

  void stream() {
    DataflowStream stream;
    stream.from = end(true);
    arrow();
    stream.to = end(false);
    attributes([&](const std::string& name) {
      if (name == "vector") return stream.vector = shapeValue(), true;
      if (name == "folded") return stream.folded = true;
      if (name == "depth") return stream.depth = count(), true;
      return false;
    });
    reader_.expect(':');
    const ITensor written = type();
    if (reader_.failed()) return;
    const ITensor& source = sourceOf(design_, stream).type;
    if (!stream.vector.empty() && !vectorDivides(stream.vector, source))
      return reader_.fail("its vector does not divide the tiles " + elementText(source), form);
    if (const std::string needed = edgeType(design_, stream); text(written) != needed)
      return reader_.fail("what its producer sends is " + needed + ", not " + text(written),
                          "give the stream the type of its producer's port, or of its vectors");
    design_.streams.push_back(std::move(stream));
  }

  TextReader& reader_;
  DataflowDesign design_;
  std::map<std::string, std::size_t> tensors_, tasks_;
};

}  // namespace

std::string text(const DataflowDesign& design) {
  return Printer(design).print();
}

Result<DataflowDesign> parseDataflowDesign(std::string_view text, const Location& place) {
  return readWhole<DataflowDesign>(text, place, form, "design",
                                   [](TextReader& reader) { return Parser(reader).parse(); });
}

}  // namespace sluice::inline tensor
