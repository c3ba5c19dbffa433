#include "app/window/tensor/placement_controller.h"

#include <QFileDialog>
#include <algorithm>

#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

PlacementController::PlacementController(PlacementPage* page, QObject* parent)
    : QObject(parent), page_(page) {
  for (const std::string& name : builtinPlatforms())
    if (const Result<Platform> platform = platformNamed(name))
      page->addPlatform(qt(name), qt(platform->title));
  page->addPlatform(QStringLiteral("u55c"), {});
  connect(page, &PlacementPage::changed, this, &PlacementController::place);
  connect(page, &PlacementPage::partChosen, this,
          [this](const QString& part) { choose(part.toStdString()); });
  connect(page, &PlacementPage::platformFileWanted, this, [this] {
    const QString file = QFileDialog::getOpenFileName(page_, tr("Open a card"), {},
                                                      tr("Machine files (*.json);;All files (*)"));
    if (!file.isEmpty()) openPlatform(file);
  });
}

void PlacementController::openPlatform(const QString& file) {
  const Result<Platform> platform = loadPlatform(file.toStdString());
  if (!platform) return page_->tell(inlineText(platform.diagnostics().front()));
  page_->addPlatform(file, qt(platform->title.empty() ? platform->name : platform->title));
  place();
}

void PlacementController::setTrace(std::shared_ptr<const ScheduleTrace> trace) {
  trace_ = std::move(trace);
  seen_.want();
}

void PlacementController::place() {
  QStringList programs;
  if (trace_)
    for (const auto& [path, program] : trace_->compiled.back())
      if (program->finished) programs << qt(path);
  page_->setPrograms(programs);
  if (programs.isEmpty()) return placing_.forget();
  const Result<Platform> platform = platformNamed(page_->platform().toStdString());
  if (!platform) return page_->tell(inlineText(platform.diagnostics().front()));
  placing_.ask([this, program = program(),
                platform = *platform](const std::stop_token& stop) -> BackgroundWork::Answer {
    const TensorCompilation& compilation = program->compilation;
    const auto placed = std::make_shared<const PlacedOnCard>(
        placedOnCard(compilation.compiled, compilation.options, platform, stop));
    return [this, placed] { page_->setPlaced(*placed); };
  });
}

std::shared_ptr<const CompiledProgram> PlacementController::program() const {
  if (!trace_) return nullptr;
  const CompiledPrograms& compiled = trace_->compiled.back();
  const auto found = compiled.find(page_->program().toStdString());
  return found == compiled.end() ? nullptr : found->second;
}

/// FIFOs are no nodes.
void PlacementController::choose(const std::string& part) {
  const std::shared_ptr<const CompiledProgram> shown = program();
  if (!shown || !shown->finished) return;
  const std::string path = page_->program().toStdString();
  const std::size_t dot = path.rfind('.');
  const std::string prefix = dot == std::string::npos ? "" : path.substr(0, dot + 1);
  const std::vector<Task>& tasks = shown->compilation.compiled.design.tasks;
  const auto found = std::ranges::find(tasks, part, &Task::name);
  if (found == tasks.end()) return;
  emit nodeChosen(qt(prefix + shown->lowered.nodes[static_cast<std::size_t>(found - tasks.begin())]));
}

}  // namespace sluice::ui
