#pragma once
// What the canvas and its helper process sluice-layout say to each other: plain lines of ASCII, numbers
// always with a decimal point (Graphviz switches LC_NUMERIC, so nothing here may look at the locale). Shared
// by both sides, hence without Qt.
//
//   request                                            answer
//   sluice-layout 1                                    sluice-layout 1
//   gaps RANK NODE                                     size WIDTH HEIGHT
//   node WIDTH HEIGHT first|middle|last in Y.. out Y.. node X Y              one for each node, in the
//   request's order edge FROM OUTPUT TO INPUT                          edge X Y X Y ...      one for each
//   edge: 3k+1 points of a Bezier curve end                                                end
//
// All lengths are in points, x to the right, y down, X Y of a node is its top left corner. The Y of a port
// counts from the top of its node. FROM and TO are positions of nodes (0, 1, ...), OUTPUT and INPUT positions
// in the node's port lists. `first` and `last` nodes go to the left and right end. The helper answers one
// request and exits with 0, or writes one line to stderr and exits with 1.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/result.h"

namespace sluice::ui {

struct LayoutPoint {
  double x = 0, y = 0;
  bool operator==(const LayoutPoint&) const = default;
};

enum class LayoutRank { First, Middle, Last };

struct LayoutNode {
  double width = 0, height = 0;
  LayoutRank rank = LayoutRank::Middle;
  std::vector<double> inputs, outputs;  ///< y of each port on the left and on the right side
  bool operator==(const LayoutNode&) const = default;
};

struct LayoutEdge {
  std::size_t from = 0, output = 0, to = 0, input = 0;
  bool operator==(const LayoutEdge&) const = default;
};

struct LayoutGraph {
  double rank_gap = 112, node_gap = 28;
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;
  bool operator==(const LayoutGraph&) const = default;
};

struct LayoutResult {
  double width = 0, height = 0;
  std::vector<LayoutPoint> nodes;               ///< top left corners
  std::vector<std::vector<LayoutPoint>> edges;  ///< 3k+1 Bezier points each
  bool operator==(const LayoutResult&) const = default;
};

namespace layout_protocol {

inline constexpr std::string_view greeting = "sluice-layout 1";
inline constexpr std::size_t maximum_nodes = 20000, maximum_edges = 80000;
inline constexpr double maximum_length = 1e7;

/// The words of one line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool next(std::string_view& word) {
    const std::size_t begin = rest_.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return false;
    const std::size_t end = std::min(rest_.find_first_of(" \t\r", begin), rest_.size());
    word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return true;
  }

  template <class Number>
  bool number(Number& value) {
    std::string_view word;
    return next(word) && parse(word, value);
  }

  template <class Number>
  static bool parse(std::string_view word, Number& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return false;
    if constexpr (std::is_floating_point_v<Number>)
      return std::isfinite(value) && std::abs(value) <= maximum_length;
    return true;
  }

 private:
  std::string_view rest_;
};

template <class Number>
void append(std::string& text, Number number) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  text += ' ';
  text.append(digits, end);
}

inline bool readRank(std::string_view word, LayoutRank& rank) {
  if (word == "first")
    rank = LayoutRank::First;
  else if (word == "middle")
    rank = LayoutRank::Middle;
  else if (word == "last")
    rank = LayoutRank::Last;
  else
    return false;
  return true;
}

inline std::string_view text(LayoutRank rank) {
  return rank == LayoutRank::First ? "first" : rank == LayoutRank::Last ? "last" : "middle";
}

inline bool readNode(Words words, LayoutGraph& graph) {
  LayoutNode node;
  std::string_view word;
  if (!words.number(node.width) || !words.number(node.height) || node.width <= 0 || node.height <= 0)
    return false;
  if (!words.next(word) || !readRank(word, node.rank) || !words.next(word) || word != "in") return false;
  std::vector<double>* ports = &node.inputs;
  while (words.next(word)) {
    if (word == "out" && ports == &node.inputs) {
      ports = &node.outputs;
      continue;
    }
    double y = 0;
    if (!Words::parse(word, y) || y < 0 || y > node.height) return false;
    ports->push_back(y);
  }
  if (ports != &node.outputs || graph.nodes.size() >= maximum_nodes) return false;
  graph.nodes.push_back(std::move(node));
  return true;
}

inline bool readEdge(Words words, LayoutGraph& graph) {
  LayoutEdge edge;
  std::string_view word;
  if (!words.number(edge.from) || !words.number(edge.output) || !words.number(edge.to) ||
      !words.number(edge.input))
    return false;
  if (words.next(word) || graph.edges.size() >= maximum_edges) return false;
  if (edge.from >= graph.nodes.size() || edge.to >= graph.nodes.size()) return false;
  if (edge.output >= graph.nodes[edge.from].outputs.size() ||
      edge.input >= graph.nodes[edge.to].inputs.size())
    return false;
  graph.edges.push_back(edge);
  return true;
}

inline bool readPoints(Words words, std::vector<LayoutPoint>& points) {
  std::string_view word;
  while (words.next(word)) {
    LayoutPoint point;
    if (!Words::parse(word, point.x) || !words.number(point.y)) return false;
    points.push_back(point);
  }
  return true;
}

inline Diagnostic refused(std::size_t line, std::string cause) {
  return error("text-syntax", "line " + std::to_string(line), std::move(cause),
               "send what widgets/canvas/layout_protocol.h describes; is the helper of another version?");
}

/// Gives each line to `read(keyword, words)`, which says whether it is right; checks greeting and end.
template <class Read>
Result<Done> readLines(std::string_view message, Read read) {
  std::size_t number = 0;
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    const std::string_view line = message.substr(0, end);
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    if (++number == 1) {
      if (line != greeting) return refused(number, "expected \"" + std::string(greeting) + "\"");
      continue;
    }
    Words words(line);
    std::string_view keyword;
    if (!words.next(keyword)) continue;
    if (keyword == "end") return Done{};
    if (!read(keyword, words))
      return refused(number, "cannot read \"" + std::string(line.substr(0, 80)) + "\"");
  }
  return refused(number, "the message stops before its \"end\"");
}

inline std::string encode(const LayoutGraph& graph) {
  std::string message(greeting);
  message += "\ngaps";
  append(message, graph.rank_gap);
  append(message, graph.node_gap);
  for (const LayoutNode& node : graph.nodes) {
    message += "\nnode";
    append(message, node.width);
    append(message, node.height);
    message.append(" ").append(text(node.rank)).append(" in");
    for (const double y : node.inputs) append(message, y);
    message += " out";
    for (const double y : node.outputs) append(message, y);
  }
  for (const LayoutEdge& edge : graph.edges) {
    message += "\nedge";
    for (const std::size_t number : {edge.from, edge.output, edge.to, edge.input}) append(message, number);
  }
  return message + "\nend\n";
}

inline Result<LayoutGraph> decodeGraph(std::string_view message) {
  LayoutGraph graph;
  SLUICE_CHECK(readLines(message, [&](std::string_view keyword, Words words) {
    if (keyword == "gaps") {
      return words.number(graph.rank_gap) && words.number(graph.node_gap) && graph.rank_gap >= 0 &&
             graph.node_gap >= 0;
    }
    return keyword == "node" ? readNode(words, graph) : keyword == "edge" && readEdge(words, graph);
  }));
  return graph;
}

inline std::string encode(const LayoutResult& result) {
  std::string message(greeting);
  message += "\nsize";
  append(message, result.width);
  append(message, result.height);
  const auto points = [&](std::string_view keyword, const std::vector<LayoutPoint>& list) {
    message.append("\n").append(keyword);
    for (const LayoutPoint& point : list) {
      append(message, point.x);
      append(message, point.y);
    }
  };
  for (const LayoutPoint& node : result.nodes) points("node", {node});
  for (const auto& edge : result.edges) points("edge", edge);
  return message + "\nend\n";
}

/// Refuses an answer that does not fit the graph that was asked about.
inline Result<LayoutResult> decodeResult(std::string_view message, const LayoutGraph& graph) {
  LayoutResult result;
  SLUICE_CHECK(readLines(message, [&](std::string_view keyword, Words words) {
    if (keyword == "size") return words.number(result.width) && words.number(result.height);
    std::vector<LayoutPoint> points;
    if (!readPoints(words, points)) return false;
    if (keyword == "node" && points.size() == 1)
      result.nodes.push_back(points.front());
    else if (keyword == "edge" && points.size() >= 4 && points.size() % 3 == 1)
      result.edges.push_back(std::move(points));
    else
      return false;
    return true;
  }));
  if (result.nodes.size() != graph.nodes.size() || result.edges.size() != graph.edges.size()) {
    return refused(0, "the answer has " + std::to_string(result.nodes.size()) + " nodes and " +
                          std::to_string(result.edges.size()) + " edges, the question had " +
                          std::to_string(graph.nodes.size()) + " and " + std::to_string(graph.edges.size()));
  }
  return result;
}

}  // namespace layout_protocol
}  // namespace sluice::ui
