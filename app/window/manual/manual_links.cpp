#include "app/window/manual/manual_links.h"

#include <QAction>
#include <QFile>
#include <QMainWindow>
#include <algorithm>

#include "app/window/designs/designs_controller.h"
#include "app/window/document/document_controller.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/samples.h"
#include "app/window/export/reproduce_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/panels.h"
#include "app/window/shell/view_spec.h"
#include "engine/energy/technology.h"
#include "engine/figures/figure.h"

namespace sluice::ui {
namespace {

/// "sample" and what stands behind the colon.
struct Parts {
  QString kind, name;
};

Parts partsOf(const QString& link) {
  return {link.section(QLatin1Char(':'), 0, 0), link.section(QLatin1Char(':'), 1)};
}

QString sampleFile(const QString& name) {
  return QStringLiteral("%1/%2.sluice").arg(samplesFolder(), name);
}

QAction* commandOf(const WindowContext& context, const QString& id) {
  const QList<QAction*>& all = context.commands->all();
  const auto found = std::ranges::find(all, id, &QAction::objectName);
  return found == all.end() ? nullptr : *found;
}

bool isView(const QString& id) {
  return std::ranges::any_of(viewRegistry().all(),
                             [&](const ViewSpec& view) { return id == QLatin1String(view.id); });
}

Diagnostic leadsNowhere(const QString& link, const char* cause) {
  return error("unknown-name", link.toStdString(), cause, "open the program that the page is about");
}

Result<Done> openSample(const WindowContext& context, const QString& link, const QString& name) {
  if (!QFile::exists(sampleFile(name))) return leadsNowhere(link, "there is no such sample");
  if (context.files->mayDiscard()) context.files->open(sampleFile(name));
  return Done{};
}

Result<Done> callCommand(const WindowContext& context, const QString& link, const QString& id) {
  QAction* command = commandOf(context, id);
  if (!command) return leadsNowhere(link, "there is no such command");
  if (!command->isEnabled()) return leadsNowhere(link, "the command cannot be called now");
  command->trigger();
  return Done{};
}

Result<Done> showView(const WindowContext& context, const QString& link, const QString& id) {
  if (!isView(id)) return leadsNowhere(link, "there is no such view");
  context.panels->raise(id);
  return Done{};
}

Result<Done> turnKnob(const WindowContext& context, const QString& link, const QString& change) {
  KnobValues knobs = context.documents->knobs();
  const auto knob = knobs.find(change.section(QLatin1Char('='), 0, 0).toStdString());
  bool whole = false;
  const qlonglong value = change.section(QLatin1Char('='), 1).toLongLong(&whole);
  if (knob == knobs.end() || !whole) return leadsNowhere(link, "the program has no such knob");
  knob->second = value;
  context.documents->setKnobs(knobs, QObject::tr("Turn %1").arg(QString::fromStdString(knob->first)));
  return Done{};
}

bool isTechnology(const QString& name) {
  const std::vector<std::string> names = builtinTechnologies();
  return std::ranges::find(names, name.toStdString()) != names.end();
}

Result<Done> chooseTechnology(const WindowContext& context, const QString& link, const QString& name) {
  if (!isTechnology(name)) return leadsNowhere(link, "there is no such technology");
  if (!context.documents->hasDocument()) return leadsNowhere(link, "no program is open");
  context.documents->edit(QObject::tr("Choose a technology"),
                          [&name](Document& document) { document.machine.technology = name.toStdString(); });
  return Done{};
}

/// With a budget, and all else as usual.
Result<Done> findDesignsOf(const WindowContext& context, const QString& link, const QString& budget) {
  DesignSearch search;
  search.request.budget = budget.toULongLong();
  if (search.request.budget == 0) return leadsNowhere(link, "the budget is no number of designs");
  context.window->findChild<DesignsController*>()->find(search);
  return Done{};
}

bool isFigure(const QString& name) {
  const std::vector<std::string> names = figureNames();
  return std::ranges::find(names, name.toStdString()) != names.end();
}

Result<Done> runFigure(const WindowContext& context, const QString& link, const QString& name) {
  if (!isFigure(name)) return leadsNowhere(link, "there is no such figure");
  context.files->reproduceWithDialog()->runFigure(name);
  return Done{};
}

}  // namespace

Result<Done> followLink(const WindowContext& context, const QString& link) {
  const auto [kind, name] = partsOf(link);
  if (kind == QLatin1String("sample")) return openSample(context, link, name);
  if (kind == QLatin1String("command")) return callCommand(context, link, name);
  if (kind == QLatin1String("show")) return showView(context, link, name);
  if (kind == QLatin1String("knob")) return turnKnob(context, link, name);
  if (kind == QLatin1String("figure")) return runFigure(context, link, name);
  if (kind == QLatin1String("designs")) return findDesignsOf(context, link, name);
  if (kind == QLatin1String("technology")) return chooseTechnology(context, link, name);
  if (kind != QLatin1String("select")) return leadsNowhere(link, "there is no such kind of link");
  context.jump(name);
  return Done{};
}

bool mayFollow(const WindowContext& context, const QString& link) {
  const auto [kind, name] = partsOf(link);
  if (kind == QLatin1String("sample")) return QFile::exists(sampleFile(name));
  if (kind == QLatin1String("command")) return commandOf(context, name) != nullptr;
  if (kind == QLatin1String("show")) return isView(name);
  if (kind == QLatin1String("figure")) return isFigure(name);
  if (kind == QLatin1String("designs")) return name.toULongLong() > 0;
  if (kind == QLatin1String("technology")) return isTechnology(name);
  return kind == QLatin1String("select") || kind == QLatin1String("knob");
}

}  // namespace sluice::ui
