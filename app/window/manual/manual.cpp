#include "app/window/manual/manual.h"

#include <QAction>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>
#include <algorithm>
#include <stdexcept>

#include "app/window/run/diagnostic_help.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/view_spec.h"
#include "engine/core/diagnostic_pages.h"
#include "engine/operators/registry.h"
#include "engine/schedule/transformation.h"
#include "widgets/common/qt_text.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {
namespace {

QString said(const char* text) {
  return QCoreApplication::translate("sluice::ui::Manual", text);
}

/// Of resources/manual/; nothing: there is no such file.
QByteArray resource(const QString& name) {
  QFile file(QStringLiteral(":/manual/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Relative links lead to pages of the manual. What else of the sources is linked to is not in it: there the
/// words stay.
QString withPageLinks(const QString& text) {
  static const QRegularExpression link(QStringLiteral(R"(\[([^\]]*)\]\(([A-Za-z0-9_./-]+)\.md\))"));
  QString linked;
  qsizetype from = 0;
  for (auto each = link.globalMatch(text); each.hasNext();) {
    const QRegularExpressionMatch match = each.next();
    linked += text.mid(from, match.capturedStart() - from);
    const QString name = match.captured(2);
    const bool page = QFile::exists(QStringLiteral(":/manual/%1.md").arg(name));
    linked += page ? QStringLiteral("[%1](page:%2)").arg(match.captured(1), name) : match.captured(1);
    from = match.capturedEnd();
  }
  return linked + text.mid(from);
}

ManualPicture pictureFrom(const QJsonObject& object) {
  const QJsonArray size = object.value(QStringLiteral("size")).toArray({1280, 800});
  ManualPicture picture{object.value(QStringLiteral("name")).toString(),
                        {},
                        object.value(QStringLiteral("part")).toString(QStringLiteral("window")),
                        QSize(size[0].toInt(), size[1].toInt())};
  for (const QJsonValue action : object.value(QStringLiteral("do")).toArray())
    picture.actions << action.toString();
  return picture;
}

/// A view without a picture of its own, with a program that has something for most of them.
ManualPicture viewPicture(const ViewSpec& view) {
  const QString id = QString::fromLatin1(view.id);
  return {QStringLiteral("view-") + id,
          {QStringLiteral("sample:simple_moe"), QStringLiteral("command:run.explore"),
           QStringLiteral("select:#tokens.in"), QStringLiteral("show:") + id},
          id,
          QSize(1280, 800)};
}

/// "View \u25B8 Timeline (F6)".
QString whereShown(const ViewSpec& view, const Commands& commands) {
  const bool dock = view.area == Area::Left || view.area == Area::Right || view.area == Area::Bottom;
  const QString id = QStringLiteral("panel.") + QString::fromLatin1(view.id);
  const QAction& action = *commands.action(dock ? id + QStringLiteral("Dock") : id);
  QStringList way{commands.menuOf(action)};
  if (!dock) way << said("Show Tab");
  way << Commands::plainText(action);
  const QString keys = action.shortcut().toString(QKeySequence::NativeText);
  return way.join(QStringLiteral(" \u25B8 ")) + (keys.isEmpty() ? keys : QStringLiteral(" (%1)").arg(keys));
}

QString escaped(const std::string& text) {
  return qt(text).toHtmlEscaped();
}

QString stepText(const TransformationSpec& spec) {
  QString rows;
  for (const ArgumentSpec& argument : spec.arguments) {
    QStringList choices;
    for (const std::string& choice : argument.choices) choices << escaped(choice);
    const QString among =
        choices.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(choices.join(QStringLiteral(", ")));
    const QString initial = argument.initial && !text(*argument.initial).empty()
                                ? said(" default %1").arg(escaped(text(*argument.initial)))
                                : QString();
    rows += QStringLiteral("<tr><td><i>%1</i>&nbsp;&nbsp;</td><td>%2%3%4</td></tr>")
                .arg(escaped(argument.name), escaped(argument.help), among, initial);
  }
  return QStringLiteral("<b>%1</b> <i>%2</i><p>%3</p><table>%4</table><p><b>%5</b> %6</p>")
      .arg(escaped(spec.name), escaped(spec.paper), escaped(spec.summary), rows, said("Effect:"),
           escaped(spec.effect));
}

}  // namespace

Manual::Manual(const Commands& commands) {
  const QJsonObject contents = QJsonDocument::fromJson(resource(QStringLiteral("contents.json"))).object();
  for (const QJsonValue value : contents.value(QStringLiteral("pictures")).toArray())
    pictures_.push_back(pictureFrom(value.toObject()));
  for (const QJsonValue value : contents.value(QStringLiteral("chapters")).toArray()) {
    const QJsonObject chapter = value.toObject();
    addWritten(chapter.value(QStringLiteral("title")).toString(),
               chapter.value(QStringLiteral("pages")).toVariant().toStringList());
  }
  if (pages_.empty()) throw std::logic_error("resources/manual/contents.json has no page");
  addViews(commands);
  addOperators();
  addSteps();
  addDiagnostics();
}

void Manual::addWritten(const QString& chapter, const QStringList& names) {
  for (const QString& name : names) {
    const QString text = QString::fromUtf8(resource(name + QStringLiteral(".md")));
    if (!text.startsWith(QLatin1String("# ")))
      throw std::logic_error("resources/manual: " + name.toStdString() + " begins with no title");
    const QString title = text.section(QLatin1Char('\n'), 0, 0).mid(2);
    pages_.push_back({QStringLiteral("page:") + name, title, chapter, withPageLinks(text)});
  }
}

void Manual::addViews(const Commands& commands) {
  for (const ViewSpec& view : viewRegistry().all()) {
    const QString id = QString::fromLatin1(view.id), title = titleOf(view);
    const QString picture = QStringLiteral("view-") + id;
    if (!findPicture(picture)) pictures_.push_back(viewPicture(view));
    const QString words = QString::fromUtf8(resource(QStringLiteral("views/%1.md").arg(id)));
    const QString show = QStringLiteral("[%1](show:%2)").arg(whereShown(view, commands), id);
    pages_.push_back(
        {QStringLiteral("view:") + id, title, said("Views"),
         QStringLiteral("# %1\n\n![%1](picture:%2)\n\n%3\n\n%4\n")
             .arg(title, picture, withPageLinks(words).trimmed(), said("To see it: %1.").arg(show))});
  }
}

void Manual::addOperators() {
  for (const OperatorSpec* spec : registeredSpecs())
    pages_.push_back({QStringLiteral("operator:") + qt(spec->kind), qt(spec->kind),
                      said("Operators: %1").arg(qt(spec->category)), operatorHelp(*spec), true});
  const auto chapter_of = [](const ManualPage& page) {
    return page.id.startsWith(QLatin1String("operator:")) ? page.chapter : QString();
  };
  std::ranges::stable_sort(pages_, {}, chapter_of);
}

void Manual::addSteps() {
  for (const Transformation* known : registeredTransformations())
    pages_.push_back({QStringLiteral("step:") + qt(known->spec.name), qt(known->spec.name),
                      said("Steps of the schedule"), stepText(known->spec), true});
}

void Manual::addDiagnostics() {
  for (const DiagnosticPage& page : diagnosticPages())
    pages_.push_back(
        {QStringLiteral("code:") + qt(page.code), qt(page.code), said("Diagnostics"), markdownOf(page)});
}

const ManualPage* Manual::find(const QString& id) const {
  const auto found = std::ranges::find(pages_, id, &ManualPage::id);
  return found == pages_.end() ? nullptr : &*found;
}

const ManualPicture* Manual::findPicture(const QString& name) const {
  const auto found = std::ranges::find(pictures_, name, &ManualPicture::name);
  return found == pictures_.end() ? nullptr : &*found;
}

void show(const ManualPage& page, QTextDocument& document) {
  page.html ? document.setHtml(page.text) : document.setMarkdown(page.text);
}

QString wordsOf(const ManualPage& page) {
  QTextDocument document;
  show(page, document);
  return document.toPlainText();
}

std::vector<ManualLink> linksOf(const QTextDocument& document) {
  std::vector<ManualLink> links;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    for (auto at = block.begin(); !at.atEnd(); ++at) {
      const QTextFragment piece = at.fragment();
      const QTextCharFormat format = piece.charFormat();
      if (format.isImageFormat())
        links.push_back({piece.position(), piece.length(), format.toImageFormat().name(), true});
      else if (!format.anchorHref().isEmpty())
        links.push_back({piece.position(), piece.length(), format.anchorHref(), false});
    }
  }
  return links;
}

bool isPageLink(const QString& link) {
  const QStringList kinds{QStringLiteral("page"), QStringLiteral("view"), QStringLiteral("operator"),
                          QStringLiteral("step"), QStringLiteral("code")};
  return kinds.contains(link.section(QLatin1Char(':'), 0, 0));
}

QString manualFolder() {
  const QDir here(QCoreApplication::applicationDirPath());
  const QString installed = here.filePath(QStringLiteral("../share/sluice/manual"));
  return QDir::cleanPath(QDir(installed).exists() ? installed : here.filePath(QStringLiteral("../manual")));
}

QString pictureFile(const QString& name) {
  return QStringLiteral("pictures/%1.png").arg(name);
}

}  // namespace sluice::ui
