#include "app/window/edit/step_text.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/explorer/tables.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_shapes = 40, most_names = 24;

QString html(const std::string& text) {
  return qt(text).toHtmlEscaped();
}

/// The argument that says what the step works on: the first that names a node or port.
const ArgumentSpec* subjectOf(const Transformation& transformation) {
  for (const ArgumentSpec& argument : transformation.spec.arguments)
    if (namesNode(argument) || namesPort(argument)) return &argument;
  return nullptr;
}

/// "rows: tile = 16", a knob and where it stands; "regions = 16" of a knob with the argument's own name;
/// anything else as written, "axis: columns".
QString argumentText(const std::string& name, const Value& value, const Document& document,
                     const KnobValues& knobs) {
  std::string written = text(value);
  if (written.starts_with('=')) written.erase(0, 1);
  const QString label = qt(name).replace(QLatin1Char('_'), QLatin1Char(' '));
  for (const Knob& knob : document.knobs) {
    const auto position = knobs.find(knob.name);
    if (knob.name != written || position == knobs.end()) continue;
    const auto choice = static_cast<std::size_t>(position->second);
    const bool chosen = knob.kind == KnobKind::Choice && choice < knob.choices.size();
    const QString now = chosen ? qt(knob.choices[choice]) : QString::number(position->second);
    return name == written ? QStringLiteral("%1 = %2").arg(label, now)
                           : QStringLiteral("%1: %2 = %3").arg(label, qt(written), now);
  }
  return QStringLiteral("%1: %2").arg(label, qt(written));
}

QString namesLine(const QString& what, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  QStringList shown;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) shown << html(names[i]);
  QString line = QStringLiteral("<p><b>%1</b>&nbsp; %2").arg(what, shown.join(QStringLiteral(", ")));
  if (names.size() > most_names) line += QObject::tr(" and %1 more").arg(names.size() - most_names);
  return line + QStringLiteral("</p>");
}

QString change(const std::optional<double>& before, const std::optional<double>& after, const QString& unit) {
  if (!before || !after) return QObject::tr("only a run can tell");
  if (*before == *after) return QObject::tr("the same");
  const double difference = *after - *before;
  const QString sign = difference > 0 ? QStringLiteral("+") : QStringLiteral("\u2212");
  QString told = sign + text(quantity(std::abs(difference), unit));
  if (*before > 0 && *after > *before * 10) {
    told += QStringLiteral("  (\u00d7%1)").arg(*after / *before, 0, 'g', 3);
  } else if (*before > 0) {
    told += QStringLiteral("  (%1%2 %)").arg(sign).arg(std::abs(difference) / *before * 100, 0, 'f', 1);
  }
  return told;
}

QString totalRow(const QString& title, const std::optional<double>& before,
                 const std::optional<double>& after, const QString& unit) {
  const auto value = [&](const std::optional<double>& number) {
    return number ? text(quantity(*number, unit)) : QStringLiteral("?");
  };
  return QStringLiteral(
             "<tr style='white-space:nowrap'><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td>"
             "<td>&nbsp;\u2192&nbsp;</td><td align='right'><b>%3</b></td><td>&nbsp;&nbsp;%4</td></tr>")
      .arg(title, value(before), value(after), change(before, after, unit));
}

/// Measured, where all other totals are predicted.
QString cyclesRow(const StepRuns& runs) {
  const auto cycles = [](const std::optional<DesignPoint>& point) -> std::optional<double> {
    if (!point || !measured(*point)) return std::nullopt;
    return metric(*point, "cycles");
  };
  const auto state = [](const std::optional<DesignPoint>& point) {
    return point ? qt(sluice::text(point->state)) : QObject::tr("not complete");
  };
  const QString title = QObject::tr("Cycles (simulated)");
  if (cycles(runs.before) && cycles(runs.after))
    return totalRow(title, cycles(runs.before), cycles(runs.after), QString());
  const auto told = [&](const std::optional<DesignPoint>& point) {
    return cycles(point) ? sluice::ui::text(quantity(*cycles(point), QString())) : state(point);
  };
  return QStringLiteral(
             "<tr style='white-space:nowrap'><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td>"
             "<td>&nbsp;\u2192&nbsp;</td><td align='right'><b>%3</b></td><td></td></tr>")
      .arg(title, told(runs.before), told(runs.after));
}

QString totalsTable(const StepPreview& preview, const std::optional<StepRuns>& runs) {
  const CostValues &before = preview.before, &after = preview.after;
  QString rows = runs ? cyclesRow(*runs) : QString();
  for (const MetricSpec* metric : registeredMetrics()) {
    const CostFormula& formula = metric->formula;
    if (formula.isTerm())
      rows += totalRow(qt(metric->title), formula.value(before), formula.value(after), qt(metric->unit));
  }
  return QStringLiteral("<table cellspacing='0' cellpadding='2'>") + rows +
         totalRow(QObject::tr("Allocated compute"), before.compute, after.compute,
                  QStringLiteral("FLOPs/cycle")) +
         QStringLiteral("</table>");
}

QString shapesTable(const std::vector<StepPreview::Shape>& shapes) {
  if (shapes.empty()) return {};
  QString rows;
  for (std::size_t i = 0; i < std::min(shapes.size(), most_shapes); ++i) {
    const auto type = [](const std::string& written) {
      return written.empty() ? QStringLiteral("\u2013") : html(written);
    };
    rows += QStringLiteral("<p><b>%1</b><br>&nbsp;&nbsp;&nbsp;&nbsp;%2<br>&nbsp;&nbsp;\u2192 %3</p>")
                .arg(html(shapes[i].output), type(shapes[i].before), type(shapes[i].after));
  }
  QString more;
  if (shapes.size() > most_shapes)
    more = QStringLiteral("<p>%1</p>").arg(QObject::tr("and %1 more").arg(shapes.size() - most_shapes));
  return QStringLiteral("<p><b>%1</b></p>%2%3").arg(QObject::tr("Shapes of outputs"), rows, more);
}

}  // namespace

QString stepTitle(const ScheduleStep& step) {
  QString title = qt(step.transformation).replace(QLatin1Char('_'), QLatin1Char(' '));
  title[0] = title[0].toUpper();
  const Transformation* transformation = findTransformation(step.transformation);
  const ArgumentSpec* subject = transformation ? subjectOf(*transformation) : nullptr;
  const auto value = subject ? step.arguments.find(subject->name) : step.arguments.end();
  return value == step.arguments.end() ? title : title + QLatin1Char(' ') + qt(text(value->second));
}

QString stepArguments(const ScheduleStep& step, const Document& document, const KnobValues& knobs) {
  const Transformation* transformation = findTransformation(step.transformation);
  const ArgumentSpec* subject = transformation ? subjectOf(*transformation) : nullptr;
  QStringList parts;
  const auto add = [&](const std::string& name, const Value& value) {
    QString part = argumentText(name, value, document, knobs);
    if (!text(value).empty()) parts << part.replace(QLatin1Char(' '), QChar::Nbsp);  // lines break between
  };
  // In the order of the spec; what it does not know comes last, to be seen and removed.
  if (transformation) {
    for (const ArgumentSpec& argument : transformation->spec.arguments) {
      const auto value = step.arguments.find(argument.name);
      if (&argument != subject && value != step.arguments.end()) add(argument.name, value->second);
    }
  }
  for (const auto& [name, value] : step.arguments) {
    const auto known = [&name = name](const ArgumentSpec& argument) { return argument.name == name; };
    if (!transformation ||
        std::none_of(transformation->spec.arguments.begin(), transformation->spec.arguments.end(), known))
      add(name, value);
  }
  return parts.join(QStringLiteral(" \u00b7 "));
}

QString stepEffect(const ScheduleTrace::Step& step) {
  switch (step.state) {
    case ScheduleTrace::Step::State::Disabled:
      return QObject::tr("off");
    case ScheduleTrace::Step::State::NotReached:
      return QObject::tr("not reached: a step before is refused");
    case ScheduleTrace::Step::State::Refused:
      return QObject::tr("refused");
    case ScheduleTrace::Step::State::Applied:
      break;
  }
  QStringList parts;
  if (step.rewrite) parts << qt(step.rewrite->difference);
  const auto add = [&](const std::vector<std::string>& names, const QString& what) {
    if (!names.empty()) parts << QStringLiteral("%1 %2").arg(names.size()).arg(what);
  };
  add(step.summary.added, QObject::tr("new"));
  add(step.summary.changed, QObject::tr("changed"));
  add(step.summary.removed, QObject::tr("gone"));
  if (parts.isEmpty() && step.streams > 0) return QObject::tr("streams changed: %1").arg(step.streams);
  return parts.isEmpty() ? QObject::tr("changes nothing at these knobs") : parts.join(QStringLiteral(", "));
}

QString diagnosticsHtml(const Diagnostics& diagnostics) {
  QStringList lines;
  for (const Diagnostic& diagnostic : diagnostics)
    lines << QStringLiteral("<b>%1</b><br>%2").arg(html(diagnostic.cause), html(diagnostic.fix));
  return lines.join(QStringLiteral("<br>"));
}

QString previewHtml(const StepPreview& preview, const std::optional<StepRuns>& runs) {
  const PatchSummary changes = summary(preview.patch);
  QString names = namesLine(QObject::tr("New"), changes.added) +
                  namesLine(QObject::tr("Changed"), changes.changed) +
                  namesLine(QObject::tr("Gone"), changes.removed);
  if (names.isEmpty()) {
    const std::size_t streams = streamsIn(preview.patch.program);
    names = QStringLiteral("<p>%1</p>")
                .arg(streams > 0 ? QObject::tr("No operator changes; streams changed: %1").arg(streams)
                                 : QObject::tr("Nothing changes at these knobs."));
  }
  return totalsTable(preview, runs) + names + shapesTable(preview.shapes);
}

}  // namespace sluice::ui
