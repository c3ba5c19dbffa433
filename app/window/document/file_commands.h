#pragma once
// FileCommands: opening, saving, exporting, composing and reproducing figures, with their dialogs. What goes
// wrong is reported as diagnostics, never as a box.

#include <QObject>

#include "app/window/export/export_dialog.h"
#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/core/diagnostic.h"

class QMainWindow;

namespace sluice::inline importers {
struct ImportOptions;
}

namespace sluice::inline emitters {
struct Emitter;
}

namespace sluice::inline program {
struct Document;
}

namespace sluice::ui {

class Commands;
class DocumentController;
class FigureComposer;
class ReproduceDialog;
class Views;
struct Template;

class FileCommands : public QObject {
  Q_OBJECT

 public:
  explicit FileCommands(const WindowContext& context);

  /// A Sluice document, or a program of another tool, which becomes a document without a file.
  bool open(const QString& file);
  /// The suffixes of what can be opened: "*.sluice *.onnx ...".
  static QString openable();
  bool saveAs(const QString& file);
  bool exportTo(const QString& file, const ExportChoice& choice);

  void openWithDialog();
  /// An empty program without a name.
  void startEmpty();
  void startFrom(const Template& chosen);
  bool save();
  bool saveAsWithDialog();
  void exportWithDialog();
  /// The view that has the keyboard goes to the clipboard, as PDF, SVG, pixels and CSV.
  void copyPicture();
  /// The document's figures.
  void composeWithDialog();
  ReproduceDialog* reproduceWithDialog();
  /// The program as a project for hardware.
  void projectWithDialog(const Emitter& emitter);
  /// Says what went wrong, or `message`.
  bool report(const Result<Done>& result, const QString& message);
  /// Whether the document may go: it is saved, or the user says so.
  bool mayDiscard();

 signals:
  /// Of the last file; empty if all went well.
  void reported(const sluice::Diagnostics& diagnostics);
  /// "Saved ...".
  void succeeded(const QString& message);
  /// The document has this file now.
  void fileUsed(const QString& file);

 private:
  void addCommands(Commands* commands);
  void addTemplates(Commands* commands);
  void addProjects(Commands* commands);
  void start(const Document& document);
  /// "base.sluice", or "base-2.sluice": a name that no file has, where the last document is or the program
  /// was started, but not among the samples.
  QString freeFile(const QString& base) const;
  bool import(const QString& file, const ImportOptions& options);

  const WindowContext context_;
  DocumentController* documents_;
  const Views* views_;
  QMainWindow* window_;
  BackgroundWork imports_;
  FigureComposer* composer_ = nullptr;    ///< once it was asked for
  ReproduceDialog* reproduce_ = nullptr;  ///< kept, so that its results are there when it is opened again
};

}  // namespace sluice::ui
