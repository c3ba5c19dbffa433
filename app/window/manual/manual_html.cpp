// The pages of the manual as HTML, for a browser without Sluice. What a link would do in the window stays as
// words.

#include <QDir>
#include <QImageReader>
#include <QTextCursor>
#include <QTextDocument>

#include "app/window/manual/manual.h"
#include "app/window/manual/picture_taker.h"
#include "engine/core/atomic_file.h"

namespace sluice::ui {
namespace {

QString fileOf(const Manual& manual, const QString& id) {
  if (id == manual.first().id) return QStringLiteral("index.html");
  QString name = id.startsWith(QLatin1String("page:")) ? id.mid(5) : id;
  return name.replace(QLatin1Char(':'), QLatin1Char('-')) + QStringLiteral(".html");
}

/// A picture was taken at twice its size.
QTextImageFormat imageFormat(const QTextCharFormat& written, const QString& target, const QString& folder) {
  const QString file = pictureFile(target.section(QLatin1Char(':'), 1));
  QTextImageFormat image = written.toImageFormat();
  image.setName(file);
  const QSize size = QImageReader(QDir(folder).filePath(file)).size();
  if (size.isValid()) image.setWidth(size.width() / 2);
  return image;
}

void linkToFiles(QTextDocument& document, const Manual& manual, const QString& folder) {
  for (const ManualLink& link : linksOf(document)) {
    QTextCursor cursor(&document);
    cursor.setPosition(link.from);
    cursor.setPosition(link.from + link.length, QTextCursor::KeepAnchor);
    QTextCharFormat format = cursor.charFormat();
    if (link.is_picture) {
      format = imageFormat(format, link.target, folder);
    } else if (isPageLink(link.target)) {
      format.setAnchorHref(fileOf(manual, link.target));
    } else if (!link.target.startsWith(QLatin1String("https:"))) {
      format = QTextCharFormat();
    }
    cursor.setCharFormat(format);
  }
}

/// Links to the pages of a chapter, or of all.
QString contentsHtml(const Manual& manual, const ManualPage& here) {
  QString html, chapter;
  for (const ManualPage& page : manual.pages()) {
    if (here.id != manual.first().id && page.chapter != here.chapter) continue;
    if (page.chapter != chapter) html += QStringLiteral("<h4>%1</h4>").arg(page.chapter.toHtmlEscaped());
    chapter = page.chapter;
    html +=
        QStringLiteral("<a href=\"%1\">%2</a><br>").arg(fileOf(manual, page.id), page.title.toHtmlEscaped());
  }
  return html;
}

/// What stands between the tags of the body.
QString bodyOf(const QTextDocument& document) {
  const QString html = document.toHtml();
  const qsizetype from = html.indexOf(QLatin1Char('>'), html.indexOf(QLatin1String("<body"))) + 1;
  return html.mid(from, html.lastIndexOf(QLatin1String("</body>")) - from);
}

QString pageHtml(const Manual& manual, const ManualPage& page, const QString& folder) {
  QTextDocument document;
  show(page, document);
  linkToFiles(document, manual, folder);
  return QStringLiteral(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%1</title><style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 sans-serif; margin: 0 auto; max-width: 1160px; display: flex; gap: 32px; padding: 16px; }
nav { flex: 0 0 220px; font-size: 14px; }
main { flex: 1; min-width: 0; }
img { max-width: 100%; height: auto; }
</style></head><body><nav><a href="index.html">%2</a>%3</nav><main>%4</main></body></html>
)")
      .arg(page.title.toHtmlEscaped(), manual.first().title.toHtmlEscaped(), contentsHtml(manual, page),
           bodyOf(document));
}

}  // namespace

Result<Done> writePages(const Manual& manual, const QString& folder) {
  QDir().mkpath(folder);
  for (const ManualPage& page : manual.pages())
    SLUICE_CHECK(writeFileAtomically(QDir(folder).filePath(fileOf(manual, page.id)).toStdString(),
                                     pageHtml(manual, page, folder).toStdString()));
  return Done{};
}

}  // namespace sluice::ui
