#pragma once
// HeldPlaces: where boxes stood and how lines ran when the user edited the program, so that the edit moves
// nothing else. It is a matter of the session: no document knows of it. Places are those that are seen, in
// the coordinates of a box's group: Node::at cannot say every place beside an open region (writtenPosition).

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "widgets/canvas/arrangement.h"

namespace sluice::ui {

struct HeldBox {
  LayoutPoint at;
  double width = 0, height = 0;
  SceneBox::Kind kind = SceneBox::Kind::Operator;
  std::optional<Position> written;  ///< what the document said of it
  Position meant;                   ///< what it would have to say to bring it there
};

/// An open region, from inside: what its content takes, and where the ports at its sides begin.
struct HeldFrame {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::optional<double> first_rail, last_rail;
};

class HeldPlaces {
 public:
  bool empty() const { return boxes_.empty(); }
  /// What is shown; of boxes that are not shown, the last that was known stays, for undo.
  void take(const SceneModel& model, const Arrangement& shown);
  /// The box has been put there by hand, and the document will say `written` of it.
  void put(const SceneModel& model, const Arrangement& shown, std::size_t box, Position written);
  /// A node, with what is in it, gets another path, and stands `by` further on in its group.
  void follow(const std::string& from, const std::string& to, LayoutPoint by = {});
  void release(const std::set<std::string>& nodes);  ///< with what is in them

  bool holdsAll(const SceneModel& model) const;  ///< every box that is shown
  /// Where the box is to stay, unless the document places it elsewhere now.
  const HeldBox* find(const SceneBox& box) const;
  const HeldFrame* findFrame(const std::string& path) const;
  /// How the stream ran between two points of its group; they may lie `further` apart on a line than these.
  const std::vector<LayoutPoint>* findCurve(const std::string& origin, LayoutPoint start, LayoutPoint end,
                                            double further) const;

 private:
  void hold(const SceneModel& model, const Arrangement& shown, std::size_t id,
            const std::optional<Position>& written, Position meant);

  /// One of each place that a document gave the box or did not give it; the newest last.
  std::map<std::string, std::vector<HeldBox>> boxes_;
  std::map<std::string, HeldFrame> frames_;
  /// By the stream's origin, in its group; one for each two ends, the newest last.
  std::map<std::string, std::vector<std::vector<LayoutPoint>>> curves_;
};

/// Of each program that the canvas shows by turns, by its name.
using HeldPrograms = std::map<std::string, HeldPlaces>;

}  // namespace sluice::ui
