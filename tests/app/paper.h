#pragma once
// Exported files as a printer meets them, through poppler's tools.

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSizeF>
#include <QStandardPaths>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>

namespace sluice::ui {

inline bool popplerIsHere() {
  return !QStandardPaths::findExecutable(QStringLiteral("pdfinfo")).isEmpty();
}

inline QString printed(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForFinished(30000) || process.exitCode() != 0) return {};
  return QString::fromUtf8(process.readAllStandardOutput());
}

inline QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

struct Paper {
  QSizeF size;               ///< points
  int fonts = 0, loose = 0;  ///< fonts, and those of them that are not embedded
  int images = 0;
  QStringList words;
  QList<double> heights;  ///< of the words, parallel
  QList<double> widths;

  /// How far a word is from the height of a line; a title may stand upright.
  double offLine(qsizetype word, double line) const {
    return std::min(std::abs(heights[word] - line), std::abs(widths[word] - line));
  }
};

/// Nothing where the file is no PDF.
inline std::optional<Paper> readPaper(const QString& file) {
  static const QRegularExpression page(QStringLiteral("Page size:\\s+([0-9.]+) x ([0-9.]+) pts"));
  const auto match = page.match(printed(QStringLiteral("pdfinfo"), {file}));
  if (!match.hasMatch()) return std::nullopt;
  Paper paper;
  paper.size = QSizeF(match.captured(1).toDouble(), match.captured(2).toDouble());
  const auto lines = [](const QString& text) { return text.split(QLatin1Char('\n'), Qt::SkipEmptyParts); };
  for (const QString& font : lines(printed(QStringLiteral("pdffonts"), {file})).mid(2)) {
    const QStringList columns = font.simplified().split(QLatin1Char(' '));
    ++paper.fonts;
    if (columns.size() < 5 || columns[columns.size() - 5] != QLatin1String("yes")) ++paper.loose;
  }
  paper.images =
      static_cast<int>(lines(printed(QStringLiteral("pdfimages"), {QStringLiteral("-list"), file})).size()) -
      2;
  static const QRegularExpression word(
      QStringLiteral("xMin=\"([0-9.]+)\" yMin=\"([0-9.]+)\" xMax=\"([0-9.]+)\" yMax=\"([0-9.]+)\">([^<]*)<"));
  const QString text =
      printed(QStringLiteral("pdftotext"), {QStringLiteral("-bbox"), file, QStringLiteral("-")});
  for (auto found = word.globalMatch(text); found.hasNext();) {
    const auto each = found.next();
    const QString letters = each.captured(5);
    const double width = each.captured(3).toDouble() - each.captured(1).toDouble();
    const double height = each.captured(4).toDouble() - each.captured(2).toDouble();
    paper.words << letters;
    paper.heights << height;
    paper.widths << width;
  }
  return paper;
}

}  // namespace sluice::ui
