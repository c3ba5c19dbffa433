#pragma once
// EditController: what the user does to the program's graph on the canvas, in the palette and by commands,
// turned into edits of the document. Everything is named by the shown program; what only the schedule made
// cannot be edited, and the reason is reported.

#include <QObject>
#include <QPointF>

#include "app/window/edit/graph_edits.h"
#include "app/window/shell/window_context.h"
#include "engine/program/flat_graph.h"
#include "widgets/canvas/canvas_link.h"

class QWidget;

namespace sluice::ui {

class EditController : public QObject {
  Q_OBJECT

 public:
  explicit EditController(const WindowContext& context);

  /// Why a stream may not be drawn; empty if it may.
  QString whyNot(const LinkWish& wish) const;
  void join(const LinkWish& wish);
  /// Adds an operator (or "Region") beside what is selected, or into the selected stream.
  void addKind(const QString& kind);
  /// What is selected, in the edited program; the diagnostic says what of it cannot be edited.
  Result<Selection> selection() const;

 signals:
  void refused(const sluice::Diagnostic& why);

 private:
  void addCommands();
  void addClipboardCommands();
  void connectCanvas();
  void updateEnabled();
  using Edit = std::function<Result<std::vector<std::string>>(Document&, const Selection&)>;
  /// What the edit takes away or brings together comes back to where it was with undo.
  enum class Undone { Anywhere, InPlace };
  /// Makes an edit that gives the nodes to select afterwards, or a refusal.
  void edit(const QString& label, const Edit& change, Undone undone = Undone::Anywhere);
  void add(const QString& kind, const QString& graph, const QPointF& at, const QString& stream);
  void removeSelected(const QString& label);
  void copy();
  void paste();
  void duplicate();
  void group();
  void dissolve();
  void rename(const QString& path, const QString& name);
  void replicate();
  void connectByDialog();
  void select(const std::vector<std::string>& paths);
  /// Where a new operator covers nothing that stands in the graph: there, or below it.
  QPointF freePlace(const std::string& graph, QPointF at) const;
  /// The stream as the document will have it: of a bundle the first free element, where the other end is one
  /// stream.
  std::optional<Stream> planned(const LinkWish& wish) const;
  Document joined(const std::string& graph, const Stream& stream) const;
  InputSet inputs() const;

  const WindowContext context_;
};

}  // namespace sluice::ui
