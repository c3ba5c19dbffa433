#pragma once
// MainWindow: puts the parts together and connects them. What they do is theirs: documents
// (DocumentController) and their files (FileCommands), the engine (SessionController), showing results
// (ResultsView), commands (Commands), the middle (Workspace).

#include <QMainWindow>
#include <QPalette>
#include <filesystem>

#include "app/window/document/document_controller.h"
#include "app/window/document/shown_program.h"
#include "app/window/export/export_dialog.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/theme.h"
#include "app/window/shell/views.h"
#include "app/window/shell/window_context.h"

class QToolBar;

namespace sluice::ui {

class ArrangeController;
class DeadlockScreen;
class DesignsController;
class CompareController;
class EditController;
class FileCommands;
class Onboarding;
class Inspector;
class KnobPanel;
class MetricsBar;
class OperatorPalette;
class Panels;
class RecentFiles;
class CrashRecovery;
class ScheduleController;
class SelectionLinks;
class StatusPanel;
class TensorCommands;
class TimeController;
class Workspace;
struct MadeView;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// `layout_helper`: the program sluice-layout; empty: the one beside the application.
  explicit MainWindow(const QString& layout_helper = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// What goes wrong stands in the diagnostics list.
  bool openFile(const QString& file);
  bool saveFile(const QString& file);
  bool exportFile(const QString& file, const ExportChoice& choice);
  void setTheme(ThemeChoice choice);
  /// A node path, or a stream's origin or name, as in diagnostics.
  void jumpTo(const QString& place);

  DocumentController* documents() { return &documents_; }
  SessionController* session() { return &session_; }
  ShownProgram* shownProgram() { return &shown_; }
  ScheduleController* schedule() const;
  Workspace* workspace() const { return workspace_; }
  Views& views() { return views_; }
  KnobPanel* knobs() const;
  Inspector* inspector() const { return context_.inspector; }
  MetricsBar* metrics() const { return context_.metrics; }
  Commands* commands() const { return commands_; }
  OperatorPalette* operators() const { return context_.operators; }
  EditController* edits() const { return edits_; }
  ArrangeController* arranging() const { return arranging_; }
  CrashRecovery* keeping() const { return keeping_; }
  Onboarding* onboarding() const { return onboarding_; }
  TensorCommands* tensors() const { return tensors_; }
  DeadlockScreen* deadlock() const;
  DesignsController* designs() const;
  TimeController* time() const;
  CompareController* comparison() const;
  void showFileDiagnostics(const Diagnostics& diagnostics);
  SelectionLinks* selection() const { return selection_; }

 protected:
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void addCommands();
  void addEditCommands();
  void addViewCommands();
  std::vector<MadeView> makeViews();
  void buildBars();
  void placeViews(const std::vector<MadeView>& made);
  void connectFiles();
  void connectDocument();
  void connectCanvas();
  void connectViews();
  void showProblems(int errors, int warnings);
  void forgetLast();
  void showOpened();
  void showChange(const DesignState& before);
  void usePoint(int index);
  void keepLayout();
  void updateTitle();
  void updateEnabled();

  QPalette desktop_;  ///< of the desktop, before a theme
  DocumentController documents_;
  SessionController session_;
  ShownProgram shown_;
  Views views_;
  Commands* commands_;
  Workspace* workspace_;
  Panels* panels_;
  StatusPanel* status_;
  RecentFiles* recent_;
  WindowContext context_;
  ResultsView* results_ = nullptr;
  QToolBar* filters_ = nullptr;  ///< of the explored points
  int errors_ = 0;               ///< that the diagnostics tell of
  std::filesystem::path opened_;
  FileCommands* files_ = nullptr;
  TensorCommands* tensors_ = nullptr;
  SelectionLinks* selection_ = nullptr;
  EditController* edits_ = nullptr;
  ArrangeController* arranging_ = nullptr;
  CrashRecovery* keeping_ = nullptr;
  Onboarding* onboarding_ = nullptr;
};

}  // namespace sluice::ui
