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
    Escape{u'~', "$\\sim$"},  // \textasciitilde stands as high as an accent
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
    Escape{u'\u03b1', "$\\alpha$"},
    Escape{u'\u03b2', "$\\beta$"},
    Escape{u'\u03bb', "$\\lambda$"},
    Escape{u'\u03bc', "$\\mu$"},
    Escape{u'\u03c3', "$\\sigma$"},
    Escape{u'\u0394', "$\\Delta$"},
    Escape{u'\u03a3', "$\\Sigma$"},
    Escape{u'\u2211', "$\\Sigma$"},
    Escape{u'\u230a', "$\\lfloor$"},
    Escape{u'\u230b', "$\\rfloor$"},
    Escape{u'\u2260', "$\\neq$"},
    Escape{u'\u2248', "$\\approx$"},
    Escape{u'\u223c', "$\\sim$"},
    Escape{u'\u221e', "$\\infty$"},
    Escape{u'\u2208', "$\\in$"},
    Escape{u'\u2022', "$\\bullet$"},
    Escape{u'\u2194', "$\\leftrightarrow$"},
    Escape{u'\u21d2', "$\\Rightarrow$"},
    Escape{u'\u2713', "$\\surd$"},
    Escape{u'\u2716', "$\\times$"},
    Escape{u'\u2018', "`"},
    Escape{u'\u2019', "'"},
    Escape{u'\u201c', "``"},
    Escape{u'\u201d', "''"},
};

/// Set by every TeX with T1 fonts; what lies behind stops pdflatex.
constexpr char16_t last_letter = u'\u017f';

}  // namespace

QString latexText(const QString& text) {
  QString escaped;
  for (const QChar character : text) {
    const auto known = std::find_if(escapes.begin(), escapes.end(), [&](const Escape& escape) {
      return escape.character == character.unicode();
    });
    if (known == escapes.end()) {
      const bool settable =
          character.unicode() < 0x80 || (character.unicode() >= 0xc0 && character.unicode() <= last_letter);
      escaped += settable ? character : QChar(u'?');
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
