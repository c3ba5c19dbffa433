#include "engine/rtl/sv_names.h"

#include <algorithm>
#include <array>

#include "engine/program/spelling.h"

namespace sluice::inline rtl {
namespace {

/// Words of IEEE 1800-2017, names that generated modules use themselves, and one that a shell or a Makefile
/// would take for something else.
constexpr std::array reserved = std::to_array<std::string_view>(
    {"accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert", "assign",
     "assume", "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break", "buf", "bufif0",
     "bufif1", "byte", "case", "casex", "casez", "cell", "chandle", "checker", "class", "clocking", "cmos",
     "config", "const", "constraint", "context", "continue", "cover", "covergroup", "coverpoint", "cross",
     "deassign", "default", "defparam", "design", "disable", "dist", "do", "edge", "else", "end", "endcase",
     "endchecker", "endclass", "endclocking", "endconfig", "endfunction", "endgenerate", "endgroup",
     "endinterface", "endmodule", "endpackage", "endprimitive", "endprogram", "endproperty", "endsequence",
     "endspecify", "endtable", "endtask", "enum", "event", "eventually", "expect", "export", "extends",
     "extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin", "function",
     "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins", "illegal_bins",
     "implements", "implies", "import", "incdir", "include", "initial", "inout", "input", "inside",
     "instance", "int", "integer", "interconnect", "interface", "intersect", "join", "join_any", "join_none",
     "large", "let", "liblist", "library", "local", "localparam", "logic", "longint", "macromodule",
     "matches", "medium", "modport", "module", "nand", "negedge", "nettype", "new", "nexttime", "nmos", "nor",
     "noshowcancelled", "not", "notif0", "notif1", "null", "or", "output", "package", "packed", "parameter",
     "pmos", "posedge", "primitive", "priority", "program", "property", "protected", "pull0", "pull1",
     "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent", "pure", "rand", "randc", "randcase",
     "randsequence", "rcmos", "real", "realtime", "ref", "reg", "reject_on", "release", "repeat", "restrict",
     "return", "rnmos", "rpmos", "rtran", "rtranif0", "rtranif1", "s_always", "s_eventually", "s_nexttime",
     "s_until", "s_until_with", "scalared", "sequence", "shortint", "shortreal", "showcancelled", "signed",
     "small", "soft", "solve", "specify", "specparam", "static", "string", "strong", "strong0", "strong1",
     "struct", "super", "supply0", "supply1", "sync_accept_on", "sync_reject_on", "table", "tagged", "task",
     "this", "throughout", "time", "timeprecision", "timeunit", "tran", "tranif0", "tranif1", "tri", "tri0",
     "tri1", "triand", "trior", "trireg", "type", "typedef", "union", "unique", "unique0", "unsigned",
     "until", "until_with", "untyped", "use", "uwire", "var", "vectored", "virtual", "void", "wait",
     "wait_order", "wand", "weak", "weak0", "weak1", "while", "wildcard", "wire", "with", "within", "wor",
     "xnor", "xor",
     // of generated modules, and of the C++ that simulators make of them
     "clk", "inner_operator", "memory", "now", "report", "rst", "sluice", "status", "step", "std", "int8_t",
     "auto", "bool", "char", "delete", "double", "false", "float", "friend", "goto", "inline", "long",
     "mutable", "namespace", "operator", "private", "public", "register", "short", "signals", "sizeof",
     "switch", "template", "throw", "true", "try", "typename", "using", "volatile"});

std::string plain(std::string_view wish) {
  constexpr std::size_t longest = 80;
  std::string name;
  for (const char c : wish) {
    const bool word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (word)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
    if (name.size() == longest) break;
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "n");
  return name;
}

}  // namespace

std::string svName(std::string_view wish) {
  const std::string name = plain(wish);
  return std::ranges::find(reserved, name) == reserved.end() ? name : name + "_";
}

std::string SvNames::take(std::string_view wish, const std::vector<std::string>& suffixes) {
  const std::string name = freeName(svName(wish), [&](const std::string& other) {
    return taken_.contains(other) || std::ranges::any_of(suffixes, [&](const std::string& suffix) {
             return taken_.contains(other + suffix);
           });
  });
  taken_.insert(name);
  for (const std::string& suffix : suffixes) taken_.insert(name + suffix);
  return name;
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

}  // namespace sluice::inline rtl
