#pragma once
// Views: what the window can export. Each is brought by a view of the window (view_spec.h); the export
// dialog, "copy as picture" and batch runs know no others.

#include <functional>
#include <optional>
#include <vector>

#include "engine/core/diagnostic.h"
#include "widgets/export/exportable.h"

class QWidget;

namespace sluice::ui {

/// What a view shows; lists are in this order.
enum class ViewGroup { Points, Run, Program, Tables, Deadlock, Comparison };

struct View {
  QString id;     ///< "pareto": of files
  QString title;  ///< for people
  ViewGroup group = ViewGroup::Points;
  QWidget* widget = nullptr;
  /// With the keyboard in it, the view is meant while it shows; null: the widget.
  const QWidget* area = nullptr;
  bool is_table = false;
  std::function<Exportable(const View&)> exportable = {};
  /// Why there is nothing to export; none: there is.
  std::function<std::optional<Diagnostic>()> missing = [] { return std::optional<Diagnostic>(); };
  /// What there is to know of it on paper, at a width in points.
  std::function<QString(int width)> note = {};
};

class Views {
 public:
  void add(View view);
  /// In the order of the groups; within a group, as they were added.
  const std::vector<View>& all() const { return all_; }
  /// Null if there is none.
  const View* find(const QString& id) const;
  /// Asking for one that was not added is a bug and throws.
  const View& view(const QString& id) const;
  /// The view that the keyboard is in; else the first that is seen.
  const View& focused() const;
  /// What a user looks at: likewise, but the canvas, where the keyboard rests, only where no view in front
  /// has something to export.
  const View& lookedAt() const;

 private:
  const View* inFront(const QWidget* area) const;

  std::vector<View> all_;
};

/// For View::missing.
std::optional<Diagnostic> missingUnless(bool there, const char* place, const char* cause, const char* fix);

}  // namespace sluice::ui
