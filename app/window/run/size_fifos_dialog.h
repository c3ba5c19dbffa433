#pragma once
// SizeFifosDialog: chooses the depths of FIFOs by one of the strategies. What would change - depths, bytes,
// cycles - is simulated and shown before anything is applied.

#include <QDialog>
#include <memory>

#include "app/window/shell/background_work.h"
#include "engine/fifo/program_sizing.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QTextBrowser;

namespace sluice::ui {

class SizeFifosDialog : public QDialog {
  Q_OBJECT

 public:
  /// `regions`: those that can be chosen; `region` the first choice, "" for the whole program.
  SizeFifosDialog(std::shared_ptr<const Workload> workload, const KnobValues& knobs,
                  const std::vector<std::string>& regions, const std::string& region, QWidget* parent);

  /// Absent while it is being computed.
  const std::optional<Result<ProgramSizing>>& sizes() const { return sizes_; }
  QComboBox* region() const { return region_; }
  QComboBox* strategy() const { return strategy_; }
  QCheckBox* grouped() const { return grouped_; }

 private:
  void addStrategies();
  void ask();
  void show(Result<ProgramSizing> sizes);

  const std::shared_ptr<const Workload> workload_;
  const KnobValues knobs_;
  QComboBox *region_, *strategy_;
  QCheckBox* grouped_;
  QTextBrowser* shown_;
  QDialogButtonBox* buttons_;
  std::optional<Result<ProgramSizing>> sizes_;
  BackgroundWork computing_;
};

}  // namespace sluice::ui
