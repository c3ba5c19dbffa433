#include "engine/rtl/rtl_code.h"

#include <algorithm>

namespace sluice::inline rtl {
namespace {

/// Lines of a module. What is behind `//` does not count when two modules are compared.
struct Line {
  std::string code, comment;
};

class Writer {
 public:
  void line(std::string code, const std::string& comment = {}) {
    lines_.push_back({std::move(code), comment.empty() ? std::string() : commentText(comment)});
  }
  void add(const Writer& other) { lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.end()); }
  std::string code() const {
    std::string text;
    for (const Line& line : lines_) text += line.code + "\n";
    return text;
  }
  std::string text() const {
    std::string text;
    for (const Line& line : lines_) {
      text += line.code;
      if (!line.comment.empty()) text += "  // " + line.comment;
      text += "\n";
    }
    return text;
  }

 private:
  std::vector<Line> lines_;
};

class ModuleWriter {
 public:
  ModuleWriter(const RtlPlan& plan, const std::vector<std::string>& module_names, std::size_t scope)
      : plan_(plan), module_names_(module_names), scope_(plan.scopes[scope]) {}

  /// From the ports on; without "module NAME". Recordings show what is inside of instances, and no wires.
  Writer body() {
    ports();
    for (const ScopeStream& stream : scope_.streams)
      if (stream.place == StreamPlace::Inside) fifo(stream);
    for (const std::size_t child : scope_.children) instance(plan_.scopes[child], module_names_[child]);
    for (const OperatorId op : scope_.operators) instance(op);
    writer_.line("  /* verilator tracing_on */");
    writer_.add(instances_);
    writer_.line("  /* verilator tracing_off */");
    writer_.line("  assign status = " + (statuses_.empty() ? "'0" : joined(statuses_, " | ")) + ";");
    writer_.line("endmodule");
    return std::move(writer_);
  }

 private:
  std::string typeText(StreamId stream) const { return text(plan_.inference->streams[stream]); }

  void ports() {
    writer_.line("(");
    writer_.line("    input logic clk, rst, report,");
    writer_.line("    input sluice::cycle_t now,");
    for (const ScopeStream& stream : scope_.streams) {
      if (stream.place == StreamPlace::Inside) continue;
      const bool out = stream.place == StreamPlace::Outgoing;
      writer_.line(out ? "    output sluice::push_t " + stream.name + ","
                       : "    input sluice::head_t " + stream.name + ",",
                   typeText(stream.stream));
      writer_.line(out ? "    input logic " + stream.name + "_ready,"
                       : "    output logic " + stream.name + "_take,");
    }
    for (const auto& [op, name] : scope_.memories) {
      writer_.line("    output sluice::ask_t " + name + ",");
      writer_.line("    input logic " + name + "_answered,");
    }
    writer_.line("    output sluice::status_t status");
    writer_.line(");");
  }

  void fifo(const ScopeStream& stream) {
    const std::string& name = stream.name;
    const FlatStream& flat = plan_.graph->streams[stream.stream];
    writer_.line("");
    writer_.line("", flat.name + ": " + typeText(stream.stream));
    writer_.line("  sluice::push_t " + name + "_push;");
    writer_.line("  sluice::head_t " + name + "_head;");
    writer_.line("  logic " + name + "_ready, " + name + "_take;");
    writer_.line("  sluice::status_t " + name + "_status;");
    statuses_.push_back(name + "_status");
    instances_.line("  stream_fifo #(.DEPTH(" + std::to_string(flat.depth) + ")) " + name + "_fifo (");
    instances_.line("      .clk, .rst, .report, .now, .push(" + name + "_push), .ready(" + name +
                    "_ready), .head(" + name + "_head), .take(" + name + "_take), .status(" + name +
                    "_status));");
  }

  /// What a producer's side is called here, what a consumer's is.
  std::string pushOf(StreamId id) const {
    const ScopeStream& stream = scope_.find(id);
    return stream.place == StreamPlace::Inside ? stream.name + "_push" : stream.name;
  }
  std::string headOf(StreamId id) const {
    const ScopeStream& stream = scope_.find(id);
    return stream.place == StreamPlace::Inside ? stream.name + "_head" : stream.name;
  }

  void begin(const std::string& name) {
    writer_.line("  sluice::status_t " + name + "_status;");
    statuses_.push_back(name + "_status");
    connections_ = {".clk", ".rst", ".report", ".now", ".status(" + name + "_status)"};
  }
  void connect(const std::string& port, const std::string& to) {
    connections_.push_back("." + port + "(" + to + ")");
  }
  void end(const std::string& head) {
    instances_.line("  " + head + " (");
    for (std::size_t i = 0; i < connections_.size(); i += 6) {
      const std::vector<std::string> some(
          connections_.begin() + static_cast<std::ptrdiff_t>(i),
          connections_.begin() + static_cast<std::ptrdiff_t>(std::min(i + 6, connections_.size())));
      instances_.line("      " + joined(some, ", ") + (i + 6 < connections_.size() ? "," : ");"));
    }
  }

  void instance(const Scope& child, const std::string& module) {
    instances_.line("");
    instances_.line("", "region " + child.path);
    begin(child.instance);
    for (const ScopeStream& stream : child.streams) {
      if (stream.place == StreamPlace::Outgoing) {
        connect(stream.name, pushOf(stream.stream));
        connect(stream.name + "_ready", scope_.find(stream.stream).name + "_ready");
      } else if (stream.place == StreamPlace::Incoming) {
        connect(stream.name, headOf(stream.stream));
        connect(stream.name + "_take", scope_.find(stream.stream).name + "_take");
      }
    }
    for (const auto& [op, name] : child.memories) {
      connect(name, scope_.memoryOf(op));
      connect(name + "_answered", scope_.memoryOf(op) + "_answered");
    }
    end(module + " " + child.instance);
  }

  void instance(OperatorId id) {
    const FlatOperator& op = plan_.graph->operators[id];
    const PlannedOperator& planned = plan_.operators[id];
    instances_.line("");
    instances_.line("", op.name + ": " + op.spec->kind);
    begin(planned.instance);
    bundles(op, op.spec->inputs, op.inputs, false);
    bundles(op, op.spec->outputs, op.outputs, true);
    if (planned.module->memory) {
      connect("memory", scope_.memoryOf(id));
      connect("memory_answered", scope_.memoryOf(id) + "_answered");
    }
    std::vector<std::string> parameters;
    for (const auto& [name, value] : planned.parameters) parameters.push_back("." + name + "(" + value + ")");
    end(planned.module->name() + (parameters.empty() ? " " : " #(" + joined(parameters, ", ") + ") ") +
        planned.instance);
  }

  /// The streams of each port; of a bundle the last one first.
  void bundles(const FlatOperator& op, const std::vector<PortSpec>& ports,
               const std::vector<StreamId>& streams, bool output) {
    std::size_t next = 0;
    for (const PortSpec& port : ports) {
      const bool bundle = !port.width.empty();
      const std::size_t width = bundle ? static_cast<std::size_t>(op.parameters.integer(port.width)) : 1;
      std::vector<std::string> data, answers;
      for (std::size_t i = width; i-- > 0;) {
        const StreamId stream = streams[next + i];
        data.push_back(output ? pushOf(stream) : headOf(stream));
        answers.push_back(scope_.find(stream).name + (output ? "_ready" : "_take"));
      }
      next += width;
      const std::string name = svName(port.name);
      if (bundle && width == 0) {
        if (!output) connect(name, "'0");
        continue;
      }
      connect(name, bundle ? "{" + joined(data, ", ") + "}" : data[0]);
      connect(name + (output ? "_ready" : "_take"), bundle ? "{" + joined(answers, ", ") + "}" : answers[0]);
    }
  }

  const RtlPlan& plan_;
  const std::vector<std::string>& module_names_;
  const Scope& scope_;
  Writer writer_, instances_;
  std::vector<std::string> statuses_, connections_;
};

}  // namespace

std::string commentText(const std::string& text) {
  std::string plain;
  for (const char c : text) plain += c >= ' ' && c <= '~' && c != '\\' ? c : '?';
  return plain;
}

std::string programModules(const RtlPlan& plan, const std::string& prefix) {
  std::vector<std::string> names(plan.scopes.size());
  std::map<std::string, std::string> name_of_code;
  SvNames taken;
  std::string text;
  for (std::size_t at = plan.scopes.size(); at-- > 0;) {  // what is inside comes first
    const Scope& scope = plan.scopes[at];
    const Writer body = ModuleWriter(plan, names, at).body();
    auto [found, made] = name_of_code.emplace(body.code(), std::string());
    if (made) {
      const std::string origin = scope.path.substr(0, scope.path.find_last_of('['));
      found->second = taken.take(at == 0 ? prefix : prefix + "_" + origin);
      text += at == 0 ? "// The program.\n"
                      : "// The region " + commentText(scope.path) + ", and all that are like it.\n";
      text += "module " + found->second + " " + body.text() + "\n";
    }
    names[at] = found->second;
  }
  return text;
}

std::string runModule(const RtlPlan& plan, const std::string& prefix, const std::string& point) {
  const BoundMachine& machine = plan.graph->machine;
  const std::size_t ports = plan.memory_ports.size();
  const Scope& top = plan.scopes[0];
  std::string text =
      "// The program with its memory. A cycle of the machine is as many edges of the clock as tokens move "
      "one after the\n"
      "// other in it, and one more: the edge at which nothing moves ends the cycle. Cycles in which nothing "
      "would\n"
      "// change are left out: of all waits, the lowest power of 2 that none of them ends before.\n"
      "module " +
      prefix +
      "_run (\n    input logic clk, rst,\n    output logic ended\n);\n"
      "  /* verilator tracing_on */\n  sluice::cycle_t now;\n" +
      (point.empty() ? "" : "  wire [127:0] emitted_point = 128'h" + point + ";\n") +
      "  /* verilator tracing_off */\n"
      "  logic report;\n  sluice::status_t program_status, memory_status, status;\n"
      "  wire step = !status.moves && !report && !ended;\n"
      "  sluice::cycle_t next;\n  assign next = now + (status.pending & (~status.pending + 1'b1));\n";
  std::string connections;
  for (std::size_t port = 0; port < ports; ++port) {
    const std::string& name = top.memoryOf(plan.memory_ports[port]);
    connections += ",\n      ." + name + "(ask[" + std::to_string(port) + "]), ." + name +
                   "_answered(answered[" + std::to_string(port) + "])";
  }
  if (ports > 0) {
    text +=
        "  sluice::ask_t [" + std::to_string(ports - 1) + ":0] ask;\n  logic [" + std::to_string(ports - 1) +
        ":0] answered;\n  off_chip_memory #(.PORTS(" + std::to_string(ports) + "), .CHANNELS(" +
        std::to_string(machine.hbm_channels) + "), .INTERVAL(" +
        std::to_string(machine.hbm_initiation_interval) + "), .LATENCY(" +
        std::to_string(std::max<std::uint64_t>(1, machine.hbm_start_up + machine.hbm_latency)) +
        ")) off_chip (\n      .clk, .rst, .now, .step, .next, .ask, .answered, .status(memory_status));\n";
  } else {
    text += "  assign memory_status = '0;\n";
  }
  text += "  /* verilator tracing_on */\n  " + prefix +
          " top (\n      .clk, .rst, .report, .now, .status(program_status)" + connections + ");\n";
  text +=
      "  /* verilator tracing_off */\n  assign status = program_status | memory_status;\n"
      "  always_ff @(posedge clk) begin\n"
      "    if (rst) begin\n      now <= '0;\n      report <= 0;\n      ended <= 0;\n    end else if (report) "
      "begin\n"
      "      report <= 0;\n      ended <= 1;\n    end else if (step) begin\n"
      "      if (!status.unsettled) $display(\"cycles %m %0d\", now);\n"
      "      else if (!status.pending) $display(\"deadlock %m\\nnow %0d\", now);\n"
      "      if (!status.unsettled || !status.pending) report <= 1;\n      else now <= next;\n    "
      "end\n  end\n"
      "endmodule\n";
  return text;
}

}  // namespace sluice::inline rtl
