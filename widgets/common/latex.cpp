#include "widgets/common/latex.h"

#include <algorithm>
#include <array>

namespace sluice::ui {
namespace {

struct Escape {
  char16_t character;
  const char* latex;
};

constexpr std::array escapes = {
    Escape{u'\\', "\\textbackslash{}"},
    Escape{u'{', "\\{"},
    Escape{u'}', "\\}"},
    Escape{u'$', "\\$"},
    Escape{u'&', "\\&"},
    Escape{u'#', "\\#"},
    Escape{u'%', "\\%"},
    Escape{u'_', "\\_"},
    Escape{u'~', "\\textasciitilde{}"},
    Escape{u'^', "\\textasciicircum{}"},
    Escape{u'<', "\\textless{}"},
    Escape{u'>', "\\textgreater{}"},
    Escape{u'|', "\\textbar{}"},
    Escape{u'"', "\\textquotedbl{}"},
    Escape{u'\u2192', "$\\rightarrow$"},
    Escape{u'\u2190', "$\\leftarrow$"},
    Escape{u'\u2191', "$\\uparrow$"},
    Escape{u'\u2193', "$\\downarrow$"},
    Escape{u'\u25b2', "$\\uparrow$"},
    Escape{u'\u25bc', "$\\downarrow$"},
    Escape{u'\u2264', "$\\le$"},
    Escape{u'\u2265', "$\\ge$"},
    Escape{u'\u00d7', "$\\times$"},
    Escape{u'\u00b7', "$\\cdot$"},
    Escape{u'\u2308', "$\\lceil$"},
    Escape{u'\u2309', "$\\rceil$"},
    Escape{u'\u2013', "--"},
    Escape{u'\u2014', "---"},
    Escape{u'\u2026', "\\dots{}"},
    Escape{u'\u00a0', "~"},
    Escape{u'\u202f', "\\,"},
    Escape{u'\u2212', "$-$"},
    Escape{u'\u00b2', "$^2$"},
    Escape{u'\u00b5', "$\\mu$"},
};

}  // namespace

QString latexText(const QString& text) {
  QString escaped;
  for (const QChar character : text) {
    const auto known = std::find_if(escapes.begin(), escapes.end(), [&](const Escape& escape) {
      return escape.character == character.unicode();
    });
    if (known == escapes.end()) {
      escaped += character;
    } else {
      escaped += QLatin1String(known->latex);
    }
  }
  return escaped;
}

QString latexColour(const QColor& colour) {
  return QStringLiteral("{rgb,255:red,%1;green,%2;blue,%3}")
      .arg(colour.red())
      .arg(colour.green())
      .arg(colour.blue());
}

QString latexNumber(double value) {
  QString text = QString::number(value, 'f', 3);
  while (text.endsWith(QLatin1Char('0'))) text.chop(1);
  if (text.endsWith(QLatin1Char('.'))) text.chop(1);
  return text == QLatin1String("-0") ? QStringLiteral("0") : text;
}

}  // namespace sluice::ui
