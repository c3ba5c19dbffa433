#include "app/window/document/samples.h"

#include <QCoreApplication>
#include <QDir>

#include "engine/program/file_format.h"

namespace sluice::ui {

QString samplesFolder() {
  const QDir here(QCoreApplication::applicationDirPath());
  for (const char* place : {"../share/sluice/sample_workloads", "../../../sample_workloads"}) {
    const QDir folder(here.filePath(QString::fromLatin1(place)));
    if (folder.exists()) return folder.canonicalPath();
  }
  return {};
}

bool isAmongSamples(const QString& path) {
  const QString folder = samplesFolder(), whole = QFileInfo(path).canonicalFilePath();
  return !folder.isEmpty() && (whole == folder || whole.startsWith(folder + QLatin1Char('/')));
}

QList<Sample> samples() {
  QList<Sample> all;
  if (samplesFolder().isEmpty()) return all;
  for (const QFileInfo& file :
       QDir(samplesFolder()).entryInfoList({QStringLiteral("*.sluice")}, QDir::Files)) {
    const Result<Document> document = loadDocument(file.absoluteFilePath().toStdString());
    if (!document) continue;
    all << Sample{file.absoluteFilePath(), QString::fromStdString(document->title),
                  QString::fromStdString(document->description)};
  }
  return all;
}

}  // namespace sluice::ui
