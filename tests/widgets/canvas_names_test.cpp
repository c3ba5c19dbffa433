// How names are broken into the lines of their box: between words as long as that is enough.

#include <QFontMetricsF>
#include <QtTest>

#include "tests/widgets/test_program.h"
#include "widgets/canvas/labels.h"

using namespace sluice::ui;

class CanvasNamesTest : public QObject {
  Q_OBJECT

 private:
  const QFontMetricsF metrics_{QFont(QStringLiteral("DejaVu Sans"), 9)};

  /// In lines as wide as the given text.
  QStringList broken(const char* name, const char* as_wide_as, int most_lines = 3) const {
    return nameLines(QString::fromLatin1(name), metrics_,
                     metrics_.horizontalAdvance(QString::fromLatin1(as_wide_as)) + 1, most_lines);
  }

 private slots:
  void linesEndBetweenWords() {
    QCOMPARE(broken("attn_softmax", "softmax"), (QStringList{"attn_", "softmax"}));
    QCOMPARE(broken("attn-softmax-3", "softmax-"), (QStringList{"attn-", "softmax-", "3"}));
    QCOMPARE(broken("softmaxRowSum", "softmax_"), (QStringList{"softmax", "RowSum"}));
    QCOMPARE(broken("MLPBlock", "Block"), (QStringList{"MLP", "Block"}));
    QCOMPARE(broken("layernorm12", "layernorm"), (QStringList{"layernorm", "12"}));
    QCOMPARE(broken("expert.gate", "expert."), (QStringList{"expert.", "gate"}));
  }

  void aWordIsKeptWholeWhereAnotherLineHasRoom() {
    // Filled line by line, the first would take part of the word.
    QCOMPARE(broken("k_softmax", "softmax"), (QStringList{"k_", "softmax"}));
    QCOMPARE(broken("q_k_softmax_out", "softmax_"), (QStringList{"q_k_", "softmax_", "out"}));
  }

  void aWordThatIsTooLongIsBrokenAwayFromItsEnds() {
    const QStringList lines = broken("softmax", "softma", 2);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines.join(QString()), QStringLiteral("softmax"));
    for (const QString& line : lines) QVERIFY(line.size() >= 3);
  }

  void whatDoesNotFitKeepsItsEnds() {
    const QStringList lines = broken("transformer_block_attention_projection_12", "attention", 2);
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[0].startsWith(QStringLiteral("trans")));
    QVERIFY(lines[1].contains(QChar(0x2026)) && lines[1].endsWith(QLatin1Char('2')));
    for (const QString& line : lines)
      QVERIFY(metrics_.horizontalAdvance(line) <=
              metrics_.horizontalAdvance(QStringLiteral("attention")) + 1);
    QVERIFY(broken("attention", "", 0).isEmpty());
  }

  /// Letters become narrower before a line ends within a word.
  void aNameIsSetNarrowBeforeAWordIsBroken() {
    const QFont font(QStringLiteral("DejaVu Sans"), 9);
    const double width = metrics_.horizontalAdvance(QStringLiteral("projection")) * 0.9;
    const SetName set = setName(QStringLiteral("attn_projection"), font, width, 2);
    QCOMPARE(set.lines, (QStringList{"attn_", "projection"}));
    QVERIFY(set.font.stretch() > 0 && set.font.stretch() < 100);
    for (const QString& line : set.lines)
      QVERIFY(QFontMetricsF(set.font).horizontalAdvance(line) <= width + 1);
    const SetName easy = setName(QStringLiteral("attn_out"), font, width, 2);
    QCOMPARE(easy.font, font);
    QVERIFY(endsWithWords(QStringLiteral("softmaxRowSum"), {"softmax", "RowSum"}));
    QVERIFY(!endsWithWords(QStringLiteral("softmax"), {"soft", "max"}));
  }

  void nothingIsLost() {
    for (const char* name : {"q_k_softmax_out", "MLPBlock2Add", "ln.1", "a", "__x__", "store_k_12 x12"}) {
      for (const char* width : {"mmmm", "mmmmmm", "mmmmmmmmmm", "mmmmmmmmmmmmmmmm"}) {
        const QStringList lines = broken(name, width, 5);
        if (lines.join(QString()).contains(QChar(0x2026))) continue;
        QCOMPARE(lines.join(QString()).remove(QLatin1Char(' ')),
                 QString::fromLatin1(name).remove(QLatin1Char(' ')));
      }
    }
  }
};

SLUICE_WINDOW_TEST(CanvasNamesTest)
#include "canvas_names_test.moc"
