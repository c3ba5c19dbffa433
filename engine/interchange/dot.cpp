#include "engine/interchange/dot.h"

#include <graphviz/cgraph.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "engine/core/cancelled.h"
#include "engine/core/json_extent.h"
#include "engine/interchange/import_refusal.h"
#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"

namespace sluice::inline interchange {

namespace {

using nlohmann::ordered_json;

void replaceAll(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// A DOT string. It cannot hold a backslash before a quote; JSON has another spelling for both.
std::string quoted(std::string text) {
  replaceAll(text, "\"", "\\\"");
  return "\"" + text + "\"";
}
std::string quoted(const ordered_json& value) {
  std::string text = value.dump();
  replaceAll(text, "\\\\", "\\u005c");
  replaceAll(text, "\\\"", "\\u0022");
  return quoted(text);
}
/// Names, endpoints and titles: as they are, where DOT and the reader take them for what they are.
std::string plain(const ordered_json& text) {
  const std::string& content = text.get_ref<const std::string&>();
  const bool odd = content.find_first_of("\"\\\n") != std::string::npos || tooMuchJson(content) ||
                   !ordered_json::parse(content, nullptr, false).is_discarded();
  return odd ? quoted(text) : quoted(content);
}

class DotWriter {
 public:
  std::string write(ordered_json document) {
    const ordered_json program = document.at("program");
    document.erase("program");
    const std::string title = document.value("title", "");
    text_ = "digraph " + plain(title.empty() ? ordered_json("program") : ordered_json(title)) + " {\n";
    text_ += "  graph [rankdir=TB, fontname=\"sans-serif\", sluice=" + quoted(document) + "];\n";
    text_ += "  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n";
    graph(program, "", "", "  ");
    return text_ + "}\n";
  }

 private:
  /// `path`: of the nodes in it; `region`: whose body it is.
  void graph(const ordered_json& program, const std::string& path, const std::string& region,
             const std::string& indent) {
    std::set<std::string> regions;
    for (const ordered_json& node : program.at("nodes")) {
      const std::string name = node.at("name");
      if (node.contains("program")) {
        regions.insert(name);
        cluster(node, path + name, indent);
      } else {
        text_ += indent + plain(path + name) +
                 " [label=" + quoted(name + "\\n" + node.at("kind").get<std::string>()) +
                 ", kind=" + plain(node.at("kind"));
        for (const char* key : {"parameters", "at"})
          if (node.contains(key)) text_ += std::string(", ") + key + "=" + quoted(node.at(key));
        text_ += "];\n";
      }
    }
    const auto end = [&](const std::string& endpoint) {
      const std::size_t dot = endpoint.find('.');
      const std::string node = endpoint.substr(0, dot), port = endpoint.substr(dot, endpoint.find('[') - dot);
      if (node == boundary_name) return region + port;
      return path + node + (regions.contains(node) ? port : "");
    };
    for (const ordered_json& stream : program.at("streams")) {
      text_ += indent + plain(end(stream.at("from"))) + " -> " + plain(end(stream.at("to"))) +
               " [from=" + plain(stream.at("from")) + ", to=" + plain(stream.at("to"));
      if (stream.contains("depth")) text_ += ", depth=" + quoted(stream.at("depth"));
      text_ += "];\n";
    }
  }

  void cluster(ordered_json node, const std::string& path, const std::string& indent) {
    const ordered_json program = node.at("program");
    node.erase("program");
    const std::string inner = indent + "  ";
    text_ += indent + "subgraph " + plain("cluster_" + path) + " {\n" + inner +
             "label=" + plain(node.at("name")) + "; region=" + quoted(node) + ";\n";
    for (const char* side : {"inputs", "outputs"}) {
      if (!node.contains(side)) continue;
      for (const ordered_json& port : node.at(side)) {
        text_ += inner + plain(path + "." + port.get<std::string>()) + " [label=" + plain(port) +
                 ", shape=ellipse];\n";
      }
    }
    graph(program, path + "/", path, inner);
    text_ += indent + "}\n";
  }

  std::string text_;
};

struct Close {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};

std::string attribute(void* object, const char* name) {
  const char* const value = agget(object, const_cast<char*>(name));
  return value ? value : "";
}

/// A value that was written as JSON, or as bare text.
ordered_json value(const std::string& text) {
  if (const auto why = tooMuchJson(text))
    refuseImport("file-too-large", "a value of it cannot be read: " + *why);
  ordered_json parsed = ordered_json::parse(text, nullptr, false);
  return parsed.is_discarded() ? ordered_json(text) : parsed;
}
std::string word(const std::string& text) {
  const ordered_json parsed = value(text);
  return parsed.is_string() ? parsed.get<std::string>() : text;
}

std::string lastPart(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Throws ImportRefusal for what cannot be decided. A stop request leaves the rest out.
class Reader {
 public:
  Reader(Agraph_t* root, std::stop_token stop) : root_(root), stop_(std::move(stop)) {}

  ordered_json document() {
    const std::string rest = attribute(root_, "sluice");
    ordered_json document = rest.empty() ? ordered_json{{"sluice", Document::current_version}} : value(rest);
    if (!document.is_object())
      refuseImport("json-type", "the attribute sluice of the graph is no JSON object");
    document["program"] = graph(root_, "", 0);
    return document;
  }

 private:
  struct Placed {
    std::uint64_t order;
    ordered_json content;
  };

  /// The region that a subgraph is: subgraphs inherit attributes, so it must go by the subgraph's own name.
  static std::optional<ordered_json> regionOf(Agraph_t* subgraph) {
    const ordered_json region = value(attribute(subgraph, "region"));
    const std::string name = word(agnameof(subgraph));
    if (!region.is_object() || !name.starts_with("cluster_")) return {};
    const std::string own = lastPart(name.substr(8));
    return region.contains("name") && region.at("name") == own ? std::optional(region) : std::nullopt;
  }

  /// Regions directly in `graph`; other subgraphs only arrange nodes.
  static void regionsIn(Agraph_t* graph, std::vector<std::pair<Agraph_t*, ordered_json>>& found, int depth) {
    if (depth > max_region_depth) refuseImport("too-many", "subgraphs are nested too deep");
    for (Agraph_t* inner = agfstsubg(graph); inner; inner = agnxtsubg(inner)) {
      if (auto region = regionOf(inner)) {
        found.emplace_back(inner, *region);
      } else {
        regionsIn(inner, found, depth + 1);
      }
    }
  }

  static ordered_json inOrder(std::vector<Placed> things) {
    std::ranges::stable_sort(things, {}, &Placed::order);
    ordered_json list = ordered_json::array();
    for (Placed& thing : things) list.push_back(std::move(thing.content));
    return list;
  }

  ordered_json graph(Agraph_t* graph, const std::string& region, int depth) {
    if (depth > max_region_depth) refuseImport("too-many", "regions are nested too deep");
    std::vector<std::pair<Agraph_t*, ordered_json>> regions;
    regionsIn(graph, regions, 0);
    std::vector<Placed> nodes, streams;
    for (auto& [inner, node] : regions) {
      Agnode_t* const first = agfstnode(inner);
      node["program"] = this->graph(inner, word(agnameof(inner)).substr(8), depth + 1);
      nodes.push_back({first ? AGSEQ(first) : ~std::uint64_t{0}, std::move(node)});
    }
    const auto in_region = [&](auto* thing) {
      return std::ranges::any_of(regions, [&](const auto& r) { return agcontains(r.first, thing) != 0; });
    };
    for (Agnode_t* node = agfstnode(graph); node && !stop_.stop_requested(); node = agnxtnode(graph, node)) {
      for (Agedge_t* edge = agfstout(graph, node); edge; edge = agnxtout(graph, edge)) {
        if (!in_region(edge)) streams.push_back({AGSEQ(edge), stream(edge, region)});
      }
      if (!in_region(node) && !isBoundary(node, region)) nodes.push_back({AGSEQ(node), operation(node)});
    }
    return {{"nodes", inOrder(std::move(nodes))}, {"streams", inOrder(std::move(streams))}};
  }

  static bool isBoundary(Agnode_t* node, const std::string& region) {
    return !region.empty() && word(agnameof(node)).starts_with(region + ".");
  }

  static ordered_json operation(Agnode_t* node) {
    const std::string name = word(agnameof(node)), kind = attribute(node, "kind");
    if (kind.empty()) refuseImport("missing-field", "node \"" + name + "\" has no attribute kind");
    ordered_json operation = {{"name", lastPart(name)}, {"kind", word(kind)}};
    for (const char* key : {"parameters", "at"}) {
      const std::string text = attribute(node, key);
      if (!text.empty()) operation[key] = value(text);
    }
    return operation;
  }

  static ordered_json stream(Agedge_t* edge, const std::string& region) {
    ordered_json stream = {{"from", end(edge, agtail(edge), "from", "tailport", ".out", region)},
                           {"to", end(edge, aghead(edge), "to", "headport", ".in", region)}};
    const std::string depth = attribute(edge, "depth");
    if (!depth.empty()) stream["depth"] = value(depth);
    return stream;
  }

  static std::string end(Agedge_t* edge, Agnode_t* node, const char* key, const char* port_key,
                         const std::string& usual, const std::string& region) {
    if (std::string given = word(attribute(edge, key)); !given.empty()) return given;
    const std::string name = word(agnameof(node)), port = word(attribute(edge, port_key));
    if (isBoundary(node, region)) return std::string(boundary_name) + name.substr(region.size());
    std::string last = lastPart(name);
    if (last.find('.') != std::string::npos) return last;
    return last + (port.empty() ? usual : "." + port);
  }

  Agraph_t* root_;
  std::stop_token stop_;
};

/// What follows the graph stays in cgraph's scanner, and would come before the next text; so does that it is
/// in the middle of a text, a comment or HTML.
void forgetTheRest() {
  const std::string brackets(1000, '>');
  for (const char* const end : {"", "\"", "*/", brackets.c_str()}) {
    while (Agraph_t* const next = agmemread(end)) agclose(next);
    if (Agraph_t* const clean = agmemread("digraph {}")) return void(agclose(clean));
  }
}

struct Text {
  std::string_view rest;
  std::stop_token stop;
};

/// How cgraph reads a text: piece after piece, none after a stop request. Its own way for files ends in the
/// middle of long strings.
extern "C" int readPiece(void* text, char* into, int size) {
  auto& [rest, stop] = *static_cast<Text*>(text);
  if (stop.stop_requested()) return 0;
  const std::string_view piece = rest.substr(0, static_cast<std::size_t>(size));
  std::copy(piece.begin(), piece.end(), into);
  rest.remove_prefix(piece.size());
  return static_cast<int>(piece.size());
}

/// The graph that a text holds, or why it is not one graph and nothing else.
class OneGraph {
 public:
  explicit OneGraph(Text text) {
    agseterr(AGMAX);  // what is wrong comes back in the diagnostic, not on stderr
    agreseterrors();
    reading_.afread = readPiece;
    disciplines_.io = &reading_;
    graph_.reset(agread(&text, &disciplines_));
    const Graph second(graph_ ? agread(&text, &disciplines_) : nullptr);
    why_ = second                          ? "a second graph follows the first"
           : agerrors() > 0 && aglasterr() ? aglasterr()
                                           : "it holds no graph";
    why_.erase(why_.find_last_not_of(" \r\n") + 1);
    if (second || agerrors() > 0) graph_.reset();
    forgetTheRest();
  }
  OneGraph(const OneGraph&) = delete;
  OneGraph& operator=(const OneGraph&) = delete;
  Agraph_t* graph() const { return graph_.get(); }
  const std::string& why() const { return why_; }

 private:
  using Graph = std::unique_ptr<Agraph_t, Close>;

  Agiodisc_t reading_ = AgIoDisc;
  Agdisc_t disciplines_ = AgDefaultDisc;
  std::string why_;
  Graph graph_;  ///< last: it points to the above
};

}  // namespace

std::string writeDot(const Document& document) {
  return DotWriter().write(ordered_json::parse(writeDocument(document)));
}

Result<Document> readDot(std::string_view text, const std::string& name, const std::stop_token& stop) {
  const auto refusal = [&](Code code, const std::string& cause, const std::string& fix) {
    return error(code, Location(Where::File, name), cause, fix);
  };
  if (text.find('\0') != std::string_view::npos)
    return refusal("wrong-format", "a zero byte: this is not a text",
                   "give a .dot file; it is text in UTF-8");
  // Graphviz minds none of these behind a graph.
  text = text.substr(0, text.find_last_not_of(" \t\r\n\f\v;\x1a") + 1);
  const OneGraph read({text, stop});
  if (stop.stop_requested()) return cancelledDiagnostic();
  if (!read.graph()) {
    return refusal("text-syntax", "the text is not one DOT graph: " + read.why(),
                   "write one graph in a file, as in digraph { a [kind=...]; a -> b; }");
  }
  if (!agisdirected(read.graph()))
    return refusal("wrong-format", "the graph is undirected",
                   "streams have a direction: write digraph and ->");
  try {
    const ordered_json document = Reader(read.graph(), stop).document();
    if (stop.stop_requested()) return cancelledDiagnostic();
    return parseDocument(document.dump(), name, stop);
  } catch (const ImportRefusal& problem) {
    return problem.at(Location(Where::File, name),
                      "write \"a\" [kind=Map, parameters=\"{...}\"], with JSON as in a .sluice file");
  } catch (const ordered_json::exception& problem) {
    return refusal("wrong-format", problem.what(), "write texts in UTF-8, values as JSON");
  }
}

}  // namespace sluice::inline interchange
