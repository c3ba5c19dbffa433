#pragma once
// Words, colours and numbers as LaTeX, TikZ and pgfplots read them.

#include <QColor>
#include <QString>

namespace sluice::ui {

/// Text as LaTeX source: nothing of it is a command.
QString latexText(const QString& text);
/// "{rgb,255:red,0;green,114;blue,178}".
QString latexColour(const QColor& colour);
/// At most three decimals, none where they are zero.
QString latexNumber(double value);

}  // namespace sluice::ui
