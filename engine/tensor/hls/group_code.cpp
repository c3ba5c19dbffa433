#include "engine/tensor/hls/group_code.h"

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/hls/stream_code.h"
#include "engine/tensor/hls/task_code.h"

namespace sluice::inline tensor {
namespace {

std::string topHead(const HlsPlan& plan, std::size_t group) {
  std::string parameters;
  for (const std::size_t task : transfersOf(plan, group))
    parameters += (parameters.empty() ? "\n    " : ",\n    ") + memoryPointer(plan, task) + " " +
                  plan.tasks[task].memory;
  return "void " + plan.tops[group] + "(" + parameters + ")";
}

class TopWriter {
 public:
  TopWriter(CodeWriter& code, const HlsPlan& plan, std::size_t group)
      : code_(code), plan_(plan), design_(plan.design()), group_(group) {}

  void write() {
    code_.comment("Group ", group_, " of ", plan_.tops.size());
    code_.open("extern \"C\" ", topHead(plan_, group_));
    for (const std::size_t task : transfersOf(plan_, group_))
      code_.pragma("interface m_axi port=", plan_.tasks[task].memory, " bundle=", plan_.tasks[task].memory,
                   " offset=slave");
    code_.pragma("interface s_axilite port=return");
    code_.pragma("dataflow");
    for (std::size_t stream = 0; stream < plan_.streams.size(); ++stream) declareStream(stream);
    for (const std::size_t task : plan_.tasksOf(group_)) declareBuffer(task);
    code_.line("DATAFLOW_PROCESSES;");
    for (const std::size_t task : plan_.tasksOf(group_)) call(task);
    code_.close();
  }

 private:
  void declareStream(std::size_t number) {
    const DataflowStream& stream = design_.streams[number];
    const HlsStream& own = plan_.streams[number];
    if (design_.tasks[stream.from.task].group != group_) return;
    code_.comment(text(vectorisedType(sourceOf(design_, stream).type, stream.vector)), ": ",
                  stream.folded ? "folded, " : "", own.tokens, " tokens of ", own.beats, " beats");
    declareFifo(code_, own);
    if (own.cutter.empty()) return;
    code_.comment(text(sourceOf(design_, stream).type), ": ", own.tiles.tokens, " tokens of ",
                  own.tiles.beats, " beats");
    declareFifo(code_, own.tiles);
  }

  void declareBuffer(std::size_t task) {
    const HlsTask& own = plan_.tasks[task];
    if (own.buffer.empty()) return;
    code_.line("DATAFLOW_BUFFER(tasks::", halfType(own), ", ", own.buffer, ");");
  }

  void process(const std::string& function, const std::vector<std::string>& arguments) {
    std::string list;
    for (const std::string& argument : arguments) list += (list.empty() ? "" : ", ") + argument;
    code_.line("DATAFLOW_PROCESS(tasks::", function, "(", list, "));");
  }

  void cut(const HlsStream& stream) {
    if (!stream.cutter.empty()) process(stream.cutter, {stream.tiles.name, stream.name});
  }

  void call(std::size_t task) {
    const HlsTask& own = plan_.tasks[task];
    std::vector<std::string> in, out;
    for (const std::size_t stream : plan_.streamsInto(task)) in.push_back(plan_.streams[stream].name);
    for (const std::size_t stream : plan_.streamsFrom(task))
      out.push_back(plan_.streams[stream].given().name);
    const auto with = [](std::vector<std::string> list, const std::vector<std::string>& more) {
      list.insert(list.end(), more.begin(), more.end());
      return list;
    };
    switch (design_.tasks[task].kind) {
      case TaskKind::Load:
        process(own.first, {own.memory, own.buffer});
        return process(own.second, with({own.buffer}, out));
      case TaskKind::Store:
        process(own.first, with(in, {own.buffer}));
        return process(own.second, {own.buffer, own.memory});
      case TaskKind::Converter:
        process(own.first, with(in, {own.buffer}));
        return process(own.second, with({own.buffer}, out));
      case TaskKind::Compute:
      case TaskKind::Fork:
      case TaskKind::Join:
        process(own.name, with(in, out));
        for (const std::size_t stream : plan_.streamsFrom(task)) cut(plan_.streams[stream]);
    }
  }

  CodeWriter& code_;
  const HlsPlan& plan_;
  const DataflowDesign& design_;
  std::size_t group_;
};

void writeTask(CodeWriter& code, const HlsPlan& plan, std::size_t task) {
  switch (plan.design().tasks[task].kind) {
    case TaskKind::Load:
    case TaskKind::Store:
      return writeTransfer(code, plan, task);
    case TaskKind::Converter:
      return writeConverter(code, plan, task);
    case TaskKind::Compute:
    case TaskKind::Fork:
    case TaskKind::Join:
      writeKernel(code, plan, task);
      for (const std::size_t stream : plan.streamsFrom(task)) writeCutter(code, plan, stream);
  }
}

}  // namespace

std::vector<std::size_t> transfersOf(const HlsPlan& plan, std::size_t group) {
  std::vector<std::size_t> transfers;
  for (const std::size_t task : plan.tasksOf(group))
    if (isTransfer(plan.design().tasks[task])) transfers.push_back(task);
  return transfers;
}

std::string memoryPointer(const HlsPlan& plan, std::size_t transfer) {
  const Task& task = plan.design().tasks[transfer];
  const std::string word = wordType(plan.tensors[transferPort(task).tensor]);
  return (task.kind == TaskKind::Load ? "const " : "") + word + "*";
}

std::string groupSource(const HlsPlan& plan, std::size_t group) {
  CodeWriter code;
  code.comment("Group ", group, " of ", plan.design().program.name,
               ": its tasks, and the region that joins them.");
  code.blank();
  code.line("#include \"dataflow.h\"");
  code.line("#include \"design.h\"");
  code.line("#include \"functions.h\"");
  code.blank();
  code.line("namespace tasks {");
  code.blank();
  for (const std::size_t task : plan.tasksOf(group)) writeTask(code, plan, task);
  code.line("}  // namespace tasks");
  code.blank();
  TopWriter(code, plan, group).write();
  return code.text();
}

std::string designHeader(const HlsPlan& plan) {
  CodeWriter code;
  code.line("#pragma once");
  code.comment(plan.design().program.name, ": its groups, which run one after the other.");
  code.blank();
  code.line("#include \"dataflow.h\"");
  code.line("#include \"layout.h\"");
  if (!plan.formats.empty()) code.line("#include \"numbers.h\"");
  code.blank();
  for (std::size_t group = 0; group < plan.tops.size(); ++group)
    code.line("extern \"C\" ", topHead(plan, group), ";");
  return code.text();
}

std::string layoutHeader(const HlsPlan& plan) {
  CodeWriter code;
  code.line("#pragma once");
  code.comment(plan.design().program.name, ": where tensors lie in external memory.");
  code.blank();
  code.comment("Addresses of elements, counted in elements.");
  code.line("namespace layout {");
  code.blank();
  for (std::size_t tensor = 0; tensor < plan.tensors.size(); ++tensor) {
    if (!plan.tensors[tensor].moved) continue;
    writeAddress(code, plan, tensor);
    code.blank();
  }
  code.line("}  // namespace layout");
  return code.text();
}

}  // namespace sluice::inline tensor
