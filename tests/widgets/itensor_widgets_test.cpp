// Iterative tensors drawn, under a user's hands: typing, stepping, comparing; and what is drawn against a
// count of every element.

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSlider>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <map>
#include <random>
#include <set>

#include "engine/itensor/access_sequence.h"
#include "engine/itensor/canonical.h"
#include "engine/itensor/itensor_text.h"
#include "tests/app/watchdog.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/quantity.h"
#include "widgets/itensor/converter_view.h"
#include "widgets/itensor/itensor_examples.h"
#include "widgets/itensor/itensor_page.h"
#include "widgets/itensor/itensor_pane.h"
#include "widgets/itensor/tensor_grid.h"
#include "widgets/itensor/type_facts.h"
#include "widgets/itensor/type_field.h"

namespace sluice::ui {
namespace {

const char* const columnMajor = "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>";

ITensor typeOf(const std::string& text) {
  const Result<WrittenITensor> written = parseITensor(text);
  if (!written) qFatal("%s", sluice::text(written.diagnostics()).c_str());
  return written->type;
}

ITensor randomType(std::mt19937_64& random, std::size_t rank) {
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  ITensor type = typeOf("itensor<1xi8, iter_space: [1]*[1], iter_map: (d0)->(d0)>");
  const std::size_t loops = 1 + random() % 3;
  type.tile.clear();
  type.loops.clear();
  type.map.clear();
  for (std::size_t d = 0; d < loops; ++d) type.loops.push_back({1 + below(4), 1 + below(3)});
  for (std::size_t k = 0; k < rank; ++k) {
    type.tile.push_back(1 + below(3));
    AffineForm form = AffineForm::zero(loops);
    for (std::int64_t& coefficient : form.coefficients) coefficient = below(2) ? below(3) : 0;
    form.constant = below(5) == 0 ? below(3) - 1 : 0;
    type.map.push_back(form);
  }
  return type;
}

using Cell = std::pair<std::int64_t, std::int64_t>;

/// How often every element of the slice is sent, token by token.
std::map<Cell, std::int64_t> visits(const ITensor& type, const TensorSlice& slice) {
  std::map<Cell, std::int64_t> counted;
  for (AccessSequence at(type); !at.atEnd(); at.advance()) {
    bool meets = true;
    for (std::size_t k = 0; k < type.rank(); ++k) {
      const bool held = k != slice.rows && k != slice.columns;
      if (held && (slice.at[k] < at.offset()[k] || slice.at[k] >= at.offset()[k] + type.extent(k)))
        meets = false;
    }
    if (!meets) continue;
    for (std::int64_t r = 0; r < type.extent(slice.rows); ++r)
      for (std::int64_t c = 0; c < type.extent(slice.columns); ++c)
        ++counted[{at.offset()[slice.rows] + r, at.offset()[slice.columns] + c}];
  }
  return counted;
}

/// The kind of every marked element; -1 twice marked.
std::map<Cell, int> marked(const AccessPicture& picture) {
  std::map<Cell, int> kinds;
  for (const PictureFlaw& flaw : picture.flaws)
    for (std::int64_t r = 0; r < flaw.elements.rows; ++r)
      for (std::int64_t c = 0; c < flaw.elements.columns; ++c) {
        const Cell cell{flaw.elements.row + r, flaw.elements.column + c};
        kinds[cell] = kinds.contains(cell) ? -1 : static_cast<int>(flaw.kind);
      }
  return kinds;
}

double luminance(const QColor& colour) {
  return 0.2126 * colour.redF() + 0.7152 * colour.greenF() + 0.0722 * colour.blueF();
}

QPoint middle(const QRectF& rect) {
  return rect.center().toPoint();
}

/// Different colours inside.
std::size_t coloursIn(const QImage& image, const QRectF& rect) {
  std::set<QRgb> seen;
  for (int y = static_cast<int>(rect.top()) + 3; y < static_cast<int>(rect.bottom()) - 3; ++y)
    for (int x = static_cast<int>(rect.left()) + 3; x < static_cast<int>(rect.right()) - 3; ++x)
      seen.insert(image.pixel(x, y));
  return seen.size();
}

}  // namespace

class ITensorWidgetsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    page_ = std::make_unique<ITensorPage>();
    page_->resize(1240, 800);
    page_->show();
    QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
  }
  void cleanup() { page_.reset(); }

  void flawsAreThoseOfACountElementByElement() {
    std::mt19937_64 random(7);
    int gaps = 0, overlaps = 0, outsides = 0;
    for (int round = 0; round < 600; ++round) {
      const std::size_t rank = 2 + random() % 2;
      const ITensor type = randomType(random, rank);
      QVERIFY(verify(type));
      std::vector<std::int64_t> shape;
      for (std::size_t k = 0; k < rank; ++k) shape.push_back(2 + static_cast<std::int64_t>(random() % 6));
      TensorSlice slice{rank - 2, rank - 1, std::vector<std::int64_t>(rank, 0)};
      if (rank == 3) slice = {random() % 2 ? 0u : 2u, 1, {1, 1, 1}};
      const AccessPicture picture = accessPicture(type, shape, slice);
      QVERIFY(picture.complete);
      const std::map<Cell, std::int64_t> sent = visits(type, slice);
      const std::map<Cell, int> kinds = marked(picture);
      const std::int64_t revisit = revisitFactor(type);
      for (std::int64_t r = -3; r < 40; ++r) {
        for (std::int64_t c = -3; c < 40; ++c) {
          const auto times = sent.find({r, c});
          const std::int64_t count = times == sent.end() ? 0 : times->second;
          const bool inside = r >= 0 && r < shape[slice.rows] && c >= 0 && c < shape[slice.columns];
          std::optional<FlawKind> wanted;
          if (!inside && count > 0) wanted = FlawKind::Outside;
          if (inside && count == 0) wanted = FlawKind::Gap;
          if (inside && count > revisit) wanted = FlawKind::Overlap;
          const auto found = kinds.find({r, c});
          QCOMPARE(found == kinds.end() ? -2 : found->second, wanted ? static_cast<int>(*wanted) : -2);
          gaps += wanted == FlawKind::Gap;
          overlaps += wanted == FlawKind::Overlap;
          outsides += wanted == FlawKind::Outside;
        }
      }
    }
    QVERIFY2(gaps > 1000 && overlaps > 250 && outsides > 1000,
             qPrintable(QStringLiteral("%1 %2 %3").arg(gaps).arg(overlaps).arg(outsides)));
  }

  void everyTokenIsDrawnInTheSlicesThatItMeets() {
    const ITensor type =
        typeOf("itensor<2x2x2xi8, iter_space: [2,3,2]*[2,2,2], iter_map: (d0,d1,d2)->(d2,d1,d0)>");
    std::map<std::int64_t, int> drawn;
    for (std::int64_t held = 0; held < 4; ++held)
      for (const std::int64_t token :
           accessPicture(type, std::vector<std::int64_t>{4, 6, 4}, {1, 2, {held, 0, 0}}).tokens)
        ++drawn[token];
    QCOMPARE(drawn.size(), std::size_t{12});
    for (const auto& [token, times] : drawn) QCOMPARE(times, 2);  // tiles are two deep
  }

  void streamsPartWhereTheirOffsetsDo() {
    std::mt19937_64 random(11);
    int parted = 0, same = 0;
    for (int round = 0; round < 4000; ++round) {
      const ITensor a = randomType(random, 2);
      ITensor b = random() % 3 ? randomType(random, 2) : a;
      b.tile = a.tile;
      if (random() % 2) b.loops.back().trips = 1 + static_cast<std::int64_t>(random() % 4);
      std::vector<std::vector<std::int64_t>> first, second;
      for (AccessSequence at(a); !at.atEnd(); at.advance())
        first.emplace_back(at.offset().begin(), at.offset().end());
      for (AccessSequence at(b); !at.atEnd(); at.advance())
        second.emplace_back(at.offset().begin(), at.offset().end());
      const auto [left, right] = std::ranges::mismatch(first, second);
      const std::optional<Parting> parting = partingOf(a, b);
      if (left == first.end() && right == second.end()) {
        QVERIFY(!parting);
        ++same;
      } else {
        QVERIFY(parting && parting->found);
        QCOMPARE(parting->token, left - first.begin());
        ++parted;
      }
    }
    QVERIFY(parted > 500 && same > 200);
    const Parting other_tile = *partingOf(typeOf(columnMajor), typeOf(itensorExamples()[5].type));
    QCOMPARE(other_tile.token, 0);
  }

  void theWorkedExamplesStepTogetherAndPart() {
    QCOMPARE(page_->parting()->token, 2);
    QVERIFY(label("partingText")->text().contains(QStringLiteral("token 2")));
    QTest::mouseClick(button("nextToken"), Qt::LeftButton);
    QVERIFY(page_->source()->positionText().contains(QStringLiteral("<b>(0, 4)</b>")));  // iteration
    QVERIFY(page_->source()->positionText().contains(QStringLiteral("<b>(4, 0)</b>")));  // offset
    QVERIFY(page_->result()->positionText().contains(QStringLiteral("<b>(0, 0, 4)</b>")));
    QTest::mouseClick(button("goToParting"), Qt::LeftButton);
    QCOMPARE(page_->position(), 2);
    QVERIFY(page_->source()->positionText().contains(QStringLiteral("<b>(0, 2)</b>")));
    QVERIFY(page_->result()->positionText().contains(QStringLiteral("<b>(0, 0)</b>")));
    QCOMPARE(page_->source()->grid()->marked(), std::optional<std::int64_t>(2));
    auto* slider = page_->findChild<QSlider*>(QStringLiteral("tokenSlider"));
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_End);
    QCOMPARE(page_->position(), 15);
    QVERIFY(page_->source()->positionText().contains(QStringLiteral("all 8 tokens")));
    QTest::keyClick(slider, Qt::Key_Left);
    QCOMPARE(page_->position(), 14);
    QTest::keyClick(slider, Qt::Key_Home);
    QCOMPARE(page_->position(), 0);
  }

  void tilesTakeTheirColourWhenTheyAreSent() {
    TensorGrid* grid = page_->source()->grid();
    QTest::qWait(50);
    const auto colour = [&](std::int64_t token) {
      const QRectF tile = grid->tileRect(token);
      return QColor(grid->grab().toImage().pixel(static_cast<int>(tile.right()) - 6,
                                                 static_cast<int>(tile.bottom()) - 8));
    };
    for (std::int64_t token = 0; token < 8; ++token) {
      grid->setPosition(token - 1);
      QVERIFY(colour(token) != orderColour(static_cast<double>(token) / 7));
      grid->setPosition(token);
      QCOMPARE(colour(token), orderColour(static_cast<double>(token) / 7));
    }
  }

  void theRampGrowsBrighterEvenly() {
    double before = -1;
    for (int step = 0; step <= 100; ++step) {
      const double now = luminance(orderColour(step / 100.0));
      QVERIFY(now > before);
      QVERIFY(before < 0 || now - before < 0.03);
      before = now;
    }
  }

  void gapsAndOverlapsAreHatched() {
    example(page_->source(), "quiz d");
    example(page_->result(), "quiz a");
    QTest::qWait(50);
    const QImage gaps = page_->source()->grid()->grab().toImage();
    QVERIFY(coloursIn(gaps, page_->source()->grid()->elementRect({6, 0, 2, 8})) > 1);  // rows never sent
    QCOMPARE(coloursIn(gaps, page_->source()->grid()->elementRect({2, 7, 1, 1})) > 1, true);
    QCOMPARE(page_->source()->facts()->value(QStringLiteral("coverage")),
             QStringLiteral("gap: 16 of 64 elements sent"));
    QVERIFY(page_->result()
                ->facts()
                ->value(QStringLiteral("coverage"))
                .startsWith(QStringLiteral("out of range")));
    QCOMPARE(page_->result()->facts()->value(QStringLiteral("tensor")), QStringLiteral("8x10"));
    QVERIFY(page_->source()->grid()->accessibleDescription().contains(QStringLiteral("gaps")));
    QVERIFY(page_->result()->grid()->accessibleDescription().contains(QStringLiteral("overlaps")));
    QVERIFY(page_->result()->grid()->accessibleDescription().contains(QStringLiteral("outside")));
  }

  void clickingATileGoesThroughItsVisits() {
    TensorGrid* grid = page_->result()->grid();
    QTest::mouseClick(grid, Qt::LeftButton, {}, middle(grid->tileRect(4)));
    QCOMPARE(page_->position(), 4);
    QTest::mouseClick(grid, Qt::LeftButton, {}, middle(grid->tileRect(4)));
    QCOMPARE(page_->position(), 6);
    QTest::mouseClick(grid, Qt::LeftButton, {}, middle(grid->tileRect(4)));
    QCOMPARE(page_->position(), 4);
    QTest::mouseClick(grid, Qt::LeftButton, {}, QPoint(2, grid->height() - 2));
    QCOMPARE(page_->position(), 4);
  }

  void theTableHasEveryToken() {
    QTableView* table = page_->result()->tokens();
    QCOMPARE(table->model()->rowCount(), 16);
    AccessSequence at(*page_->result()->type());
    at.seek(13);
    QCOMPARE(table->model()->index(13, 2).data().toString(),
             QStringLiteral("(%1, %2)").arg(at.offset()[0]).arg(at.offset()[1]));
    QCOMPARE(table->model()->index(2, 0).data().toString(), QStringLiteral("2 \u2260"));
    table->setCurrentIndex(table->model()->index(9, 0));
    QCOMPARE(page_->position(), 9);
  }

  void mistakesAreToldWhileTyping() {
    TypeField* field = page_->source()->field();
    field->editor()->setFocus();
    field->editor()->selectAll();
    QTest::keyClicks(field->editor(),
                     QStringLiteral("itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d2,d0)>"));
    QVERIFY(!field->type());
    QVERIFY2(field->message().startsWith(QStringLiteral("Column 63: ")), qPrintable(field->message()));
    QCOMPARE(field->editor()->extraSelections().size(), 1);
    QCOMPARE(field->editor()->extraSelections().front().cursor.selectedText(), QStringLiteral("d2"));
    QVERIFY(page_->source()->grid()->picture().places.empty());
    QVERIFY(!page_->converter()->converter());
    QTextCursor cursor = field->editor()->textCursor();
    cursor.setPosition(63);
    field->editor()->setTextCursor(cursor);
    QTest::keyClick(field->editor(), Qt::Key_Delete);
    QTest::keyClicks(field->editor(), QStringLiteral("1"));
    QVERIFY(field->type() && *field->type() == typeOf(columnMajor));
    QVERIFY(field->message().isEmpty());
    QVERIFY(field->editor()->extraSelections().isEmpty());
    QVERIFY(page_->converter()->converter());
    QTest::keyClick(field->editor(), Qt::Key_Tab);  // leaves the field, and is no text
    QVERIFY(!field->editor()->hasFocus());
  }

  void theConverterFollowsTheOrderOfInference() {
    QCOMPARE(page_->converter()->converter()->buffer, (std::vector<std::int64_t>{8, 2}));
    QCOMPARE(page_->converter()->converter()->before_loop, std::size_t{1});
    QVERIFY(page_->converter()->summary().contains(text(quantity(128, QStringLiteral("bytes")))));
    QVERIFY(page_->converter()->summary().contains(text(quantity(512, QStringLiteral("bytes")))));
    QVERIFY(page_->converter()->explanation().contains(QStringLiteral("Dimension 0")));
    QVERIFY(page_->converter()->explanation().contains(QStringLiteral("different depths")));
    QVERIFY(page_->converter()->explanation().contains(
        QStringLiteral("fills with 2 tokens and drains 4, 4 times over")));
    QTest::qWait(50);
    const QRectF tensor = page_->converter()->drawing()->tensorRect(),
                 half = page_->converter()->drawing()->halfRect();
    QVERIFY(tensor.width() > 40);
    QVERIFY(qAbs(half.width() * 4 - tensor.width()) < 0.01 && qAbs(half.height() - tensor.height()) < 0.01);
    QComboBox* order = page_->converter()->order();
    order->setFocus();
    QTest::keyClick(order, Qt::Key_Down);  // as printed
    QCOMPARE(page_->converter()->converter()->buffer, (std::vector<std::int64_t>{8, 8}));
    QTest::keyClick(order, Qt::Key_Down);  // as on the slides
    QCOMPARE(page_->converter()->converter()->buffer, (std::vector<std::int64_t>{8, 2}));
    example(page_->result(), "b");
    QCOMPARE(page_->converter()->converter()->kind, ConverterKind::None);
    QVERIFY(!page_->converter()->drawing()->isVisible());
    QCOMPARE(label("partingText")->text(), QStringLiteral("the same stream"));
    example(page_->result(), "quiz c");
    QVERIFY(!page_->converter()->converter());
    QVERIFY(page_->converter()->explanation().contains(QStringLiteral("6x8")));
  }

  void oneTypeAloneAndAnyRank() {
    page_->setTypes(
        QStringLiteral("itensor<2x4x4xi8, iter_space: [2,3,2]*[2,4,4], iter_map: (d0,d1,d2)->(d0,d1,d2)>"),
        QString(), QString());
    page_->setCompared(false);
    QVERIFY(!page_->result()->isVisible() && !page_->converter()->isVisible());
    QCOMPARE(page_->source()->grid()->picture().tensor, (ElementRect{0, 0, 12, 8}));
    QCOMPARE(page_->source()->grid()->picture().tokens.size(), std::size_t{6});
    auto* rows = page_->findChild<QComboBox*>(QStringLiteral("sliceRows"));
    QVERIFY(rows->isVisible());
    rows->setFocus();
    QTest::keyClick(rows, Qt::Key_Up);  // dimension 0 downwards
    QCOMPARE(page_->source()->grid()->picture().tensor, (ElementRect{0, 0, 4, 8}));
    page_->setTypes(QStringLiteral("itensor<4xi8, iter_space: [3]*[4], iter_map: (d0)->(d0)>"), QString(),
                    QString());
    QCOMPARE(page_->source()->grid()->picture().tensor, (ElementRect{0, 0, 1, 12}));
    QVERIFY(!rows->isVisible());
    page_->findChild<QLineEdit*>(QStringLiteral("tensorShape"))->setText(QStringLiteral("8xx"));
    QVERIFY(!label("tensorMessage")->text().isEmpty());
    page_->findChild<QLineEdit*>(QStringLiteral("tensorShape"))->setText(QStringLiteral("4x4"));
    QVERIFY(page_->source()->grid()->picture().places.empty());
  }

  void playingReachesTheEndAndStops() {
    QTest::mouseClick(button("playTokens"), Qt::LeftButton);
    QVERIFY(page_->playing());
    QTRY_COMPARE_WITH_TIMEOUT(page_->position(), std::int64_t{2}, 10000);
    QTest::mouseClick(button("playTokens"), Qt::LeftButton);
    QVERIFY(!page_->playing());
    page_->findChild<QSlider*>(QStringLiteral("tokenSlider"))->setValue(14);
    page_->togglePlay();
    QTRY_VERIFY_WITH_TIMEOUT(!page_->playing(), 10000);
    QCOMPARE(page_->position(), 15);
    page_->togglePlay();  // from the end it begins again
    QCOMPARE(page_->position(), 0);
  }

  void aHugeTypeIsDrawnInPartAndAtOnce() {
    double start = Watchdog::now();
    const QString large =
        QStringLiteral("itensor<16x16xf32, iter_space: [%1,%1]*[16,16], iter_map: (d0,d1)->(%2)>");
    page_->setTypes(large.arg(1 << 20).arg(QStringLiteral("d0,d1")),
                    large.arg(1 << 20).arg(QStringLiteral("d1,d0")), {});
    page_->grab();
    QVERIFY(Watchdog::now() - start < 1.5);
    const AccessPicture& picture = page_->source()->grid()->picture();
    QVERIFY(!picture.complete);
    QCOMPARE(std::ssize(picture.tokens), most_drawn_tokens);
    QCOMPARE(page_->parting()->token, 1);
    QVERIFY(page_->source()->facts()->value(QStringLiteral("coverage")).startsWith(QStringLiteral("exact")));
    start = Watchdog::now();
    page_->last();
    QVERIFY(Watchdog::now() - start < 0.5);
    QCOMPARE(page_->position(), most_walked_tokens - 1);
  }

  void everyControlHasANameAndIsReachedByTab() {
    for (QWidget* widget : page_->findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
      if (widget->inherits("QScrollArea") || widget->inherits("QTabBar") || widget->inherits("QTabWidget"))
        continue;
      if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
      const bool text = widget->property("text").isValid() && !widget->property("text").toString().isEmpty();
      QVERIFY2(
          !widget->accessibleName().isEmpty() || text || widget->inherits("QLabel") || widget->focusProxy(),
          qPrintable(widget->objectName() + QLatin1Char(' ') +
                     QLatin1String(widget->metaObject()->className())));
    }
    page_->findChild<QLineEdit*>(QStringLiteral("tensorShape"))->setFocus();
    std::set<QString> reached;
    for (int step = 0; step < 80; ++step) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      reached.insert(QApplication::focusWidget()->objectName());
    }
    for (const char* name : {"typeText", "tensorGrid", "converterOrder", "tokenSlider", "playTokens",
                             "compareTypes", "examples"})
      QVERIFY2(reached.contains(QString::fromLatin1(name)), name);
  }

 private:
  QLabel* label(const char* name) const { return page_->findChild<QLabel*>(QString::fromLatin1(name)); }
  QToolButton* button(const char* name) const {
    return page_->findChild<QToolButton*>(QString::fromLatin1(name));
  }
  void example(ITensorPane* pane, const char* name) const {
    auto* menu = pane->findChild<QToolButton*>(QStringLiteral("examples"))->menu();
    auto* chosen = menu->findChild<QAction*>(QStringLiteral("example.") + QString::fromLatin1(name));
    QVERIFY(chosen && !chosen->text().isEmpty() && !chosen->toolTip().isEmpty());
    chosen->trigger();
  }

  std::unique_ptr<ITensorPage> page_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ITensorWidgetsTest)
#include "itensor_widgets_test.moc"
