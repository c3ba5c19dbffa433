#include "app/window/document/shown_program.h"

#include <QSettings>

#include "app/window/document/document_edits.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

QString settingsKey() {
  return QStringLiteral("view/afterSchedule");
}

}  // namespace

QString stepName(std::size_t position, const ScheduleStep& step) {
  return QObject::tr("step %1, %2").arg(position + 1).arg(qt(step.transformation));
}

ShownProgram::ShownProgram(QObject* parent)
    : QObject(parent), wants_scheduled_(QSettings().value(settingsKey(), true).toBool()) {}

void ShownProgram::open(const Document& plain) {
  scheduled_program_.reset();
  trace_.reset();
  places_.clear();
  collapsed_.clear();
  plain_ = plain;
  update();
}

void ShownProgram::setPlain(const Document& plain) {
  plain_ = plain;
  update();
}

void ShownProgram::setSimulated(const std::shared_ptr<const SymbolicResult>& result) {
  scheduled_program_.reset();
  if (result && result->scheduled) scheduled_program_ = {result->scheduled, &result->scheduled->document};
  if (hasSchedule()) update();
}

void ShownProgram::setTrace(const std::shared_ptr<const ScheduleTrace>& trace) {
  trace_ = trace;
  const bool complete = trace->stages.size() == trace->steps.size() + 1;
  if (!scheduled_program_ && complete && trace->steps.size() == plain_.schedule.size()) {
    scheduled_program_ = {trace, &trace->stages.back()};
    return update();
  }
  emit readOnlyChanged();
}

void ShownProgram::wantScheduled(bool scheduled) {
  if (wants_scheduled_ == scheduled) return;
  wants_scheduled_ = scheduled;
  QSettings().setValue(settingsKey(), scheduled);
  update();
}

void ShownProgram::update() {
  scheduled_ = wants_scheduled_ && hasSchedule() && scheduled_program_;
  shown_ = scheduled_ ? *scheduled_program_ : plain_;
  to_plain_ = {};
  if (scheduled_) {
    dress(shown_.program, &plain_.program, "");
    to_plain_ = matchPrograms(shown_.program, plain_.program);
  }
  for (const auto& [path, collapsed] : collapsed_) setCollapsed(shown_, path, collapsed);
  emit changed();
  emit readOnlyChanged();
}

void ShownProgram::dress(Graph& graph, const Graph* plain, const std::string& prefix) const {
  for (Node& node : graph.nodes) {
    const Node* twin = plain ? plain->find(node.name) : nullptr;
    const std::string path = prefix + node.name;
    if (twin) {
      node.at = twin->at;
    } else if (const auto at = places_.find(path); at != places_.end()) {
      node.at = at->second;
    }
    if (!node.body) continue;
    const bool region_twin = twin && twin->body;
    if (region_twin) node.body->collapsed = twin->body->collapsed;
    dress(node.body->body, region_twin ? &twin->body->body : nullptr, path + ".");
  }
}

bool ShownProgram::isInPlain(const std::string& path) const {
  return findNode(plain_, path) != nullptr;
}

bool ShownProgram::isPlainStream(const std::string& id) const {
  return !scheduled_ || to_plain_.streams.contains(id);
}

QHash<QString, QString> ShownProgram::readOnly() const {
  QHash<QString, QString> result;
  if (!scheduled_) return result;
  readOnlyInto(shown_.program, "", result);
  const auto plain = streamsById(plain_);
  for (const auto& [id, stream] : namedStreams(shown_)) {
    if (!to_plain_.streams.contains(id)) {
      result[qt(id)] = tr("Not in the program itself: the schedule joins these ports.");
    } else if (plain.at(id)->depth != stream->depth) {
      result[qt(id)] = tr("Its depth is set by the schedule.");
    }
  }
  return result;
}

void ShownProgram::readOnlyInto(const Graph& graph, const std::string& path,
                                QHash<QString, QString>& result) const {
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const Node& node : graph.nodes) {
    if (!to_plain_.nodes.contains(prefix + node.name))
      result[qt(prefix + node.name)] = madeBy(prefix + node.name);
    if (node.body) readOnlyInto(node.body->body, prefix + node.name, result);
  }
}

QString ShownProgram::madeBy(const std::string& path) const {
  const bool changed = isInPlain(path);
  const QString what = changed ? tr("Changed by schedule %1. Edit it in the Program view.")
                               : tr("Made by schedule %1. Edit the step to change it.");
  if (trace_) {
    // What is inside a region that a step made was made with it.
    const auto& steps = changed ? trace_->changed_by : trace_->made_by;
    for (std::string name = path;;) {
      const auto found = steps.find(name);
      if (found != steps.end() && found->second < plain_.schedule.size())
        return what.arg(stepName(found->second, plain_.schedule[found->second]));
      const std::size_t dot = name.rfind('.');
      if (changed || dot == std::string::npos) break;
      name.resize(dot);
    }
  }
  return changed ? tr("Changed by the schedule. Edit it in the Program view.") : tr("Made by the schedule.");
}

void ShownProgram::place(const std::string& path, Position at) {
  places_[path] = at;
  update();
}

void ShownProgram::collapse(const std::string& path, bool collapsed) {
  collapsed_[path] = collapsed;
  update();
}

}  // namespace sluice::ui
