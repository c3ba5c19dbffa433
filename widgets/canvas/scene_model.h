#pragma once
// The scene model: which boxes and links a document shows, with their texts, ports and sizes; no painting and
// no places yet. An expanded region is a frame: a box whose inside is a group of its own.
//
// A graph of more than SceneModel::fold_from nodes is shown folded: runs of its operators, in the order of
// the document, stand in one box each, and the streams between two of them in one link. A run can be unfolded
// by itself. In a graph of any size, nodes that belong together, such as the kernels of a fusion group,
// equal layers or equal regions, can be folded in the same way.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/program/document.h"
#include "engine/program/operator_spec.h"

namespace sluice::ui {

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct ScenePort {
  std::string name;   ///< "out" or "out[2]"
  std::string label;  ///< drawn beside the dot; empty where the box has one port on that side
  std::string help;
  bool bundle = false;  ///< several streams in one: a ring around the dot
  bool known = true;    ///< false: a stream names it, the operator has no such port
  double y = 0;         ///< from the top of the box
};

struct SceneBox {
  enum class Kind { Operator, Region, Frame };
  Kind kind = Kind::Operator;
  std::string path;        ///< "expert.gate"; of a folded run that of its first node
  std::size_t folded = 0;  ///< nodes that stand in it, of a folded run or group, which is a Region; else 0
  std::string run;         ///< of a run, and of what was unfolded from it: the path of its first node
  std::string node_group;  ///< of a folded group: its name; the path is that of its first node
  std::string name, title, detail;  ///< three lines: "gate", "BinaryMapAccum", "matmul · rank 1"
  std::string category;             ///< palette group, empty for regions and unknown kinds
  std::string badge;                ///< "×128"
  std::size_t group = 0;            ///< the group it stands in
  std::size_t inside = nowhere;     ///< Frame: its own group
  std::vector<ScenePort> inputs, outputs;
  double width = 0, height = 0;                ///< of a Frame: the least it needs
  double folded_width = 0, folded_height = 0;  ///< of the box when its region is collapsed
  double text_left = 0, text_width = 0;        ///< where the lines go, between the port labels
  std::optional<Position> at;
};

struct SceneEnd {
  std::size_t box = 0, port = 0;  ///< an output of the box, or (inside a frame) an input of the frame; the
                                  ///< other way at the far end
};

struct SceneLink {
  std::string origin;  ///< "expert#gate.in"; of several between folded runs the first
  std::string name;    ///< "pack.out → gate.in1"
  std::string depth;   ///< as written; empty: the machine's
  std::size_t group = 0;
  SceneEnd from, to;
};

struct SceneGroup {
  std::string path;             ///< of the region, empty at the top
  std::size_t frame = nowhere;  ///< the box around it
  std::vector<std::size_t> boxes, links;
};

/// Between boxes, in points.
struct SceneGaps {
  double ranks = 0, nodes = 0;
};

struct SceneModel {
  static constexpr std::size_t fold_from = 1500, folded_boxes = 300;
  std::vector<SceneBox> boxes;  ///< in document order, a frame before what is in it
  std::vector<SceneLink> links;
  std::vector<SceneGroup> groups;  ///< the top first, outer before inner
  std::optional<SceneGaps> gaps;   ///< none: as there is room for labels

  std::size_t findBox(const std::string& path) const;  ///< or nowhere
  std::size_t findLink(const std::string& origin) const;
  /// The box that shows the node or stream: itself or the collapsed region that hides it; nowhere if there is
  /// none.
  std::size_t visibleBox(const std::string& path_or_origin) const;
  std::size_t depth(std::size_t group) const;  ///< 0 at the top

  std::unordered_map<std::string, std::size_t> by_path, by_origin;  ///< boxes and links
  std::unordered_map<std::string, std::size_t> in_run;  ///< nodes and streams in a folded run: its box
};

enum class TextRole { Name, Title, Detail, Port };
using TextWidth = std::function<double(const std::string& text, TextRole role)>;

enum class GroupKind {
  Fusion,  ///< kernels that are on the device at the same time
  EqualLayers,
  EqualRegions,
};

/// Nodes that can be shown as one box though no region holds them.
struct SceneNodeGroup {
  static constexpr std::size_t many_regions = 4;  ///< so many equal ones begin folded, as equal layers do

  GroupKind kind = GroupKind::Fusion;
  std::size_t count = 1;           ///< of the equal layers or regions that it consists of
  std::string name;                ///< "group 1"
  std::vector<std::string> nodes;  ///< paths; those of one graph stand in one box

  bool operator==(const SceneNodeGroup&) const = default;
};

/// What is shown as one box besides collapsed regions.
struct SceneFolding {
  std::set<std::string> unfolded = {};      ///< runs of a large graph whose nodes are shown
  std::vector<SceneNodeGroup> groups = {};  ///< those that are folded
};

/// Regions are collapsed or expanded as the document says. Streams that lead nowhere are left out (the
/// checker reports them).
SceneModel sceneModel(const Document& document, const Catalog& catalog, const TextWidth& text_width,
                      const SceneFolding& folding = {});

/// "rank 1 · tile [16, 64]": what of the parameters is worth a line; at most `length` characters.
std::string parameterLine(const Node& node, const OperatorSpec* spec, std::size_t length = 30);

/// Measures of boxes, in points.
struct SceneMeasures {
  static constexpr std::size_t crowd = 24;  ///< more boxes of a group are drawn closer together
  static constexpr double stripe = 5, padding = 11, minimum_width = 112, maximum_width = 236;
  static constexpr double port_pitch = 18, frame_title = 30, frame_padding = 26, rail = 14;
  static constexpr double rail_pitch = 26;  ///< of the ports at the sides of an open region
};

}  // namespace sluice::ui
