// How it looks: every chart against a reference picture, the window in both themes at three scales. Pictures
// are compared as from a distance - small, by perceived colour - so that another version of the fonts is no
// difference, and a missing axis is. SLUICE_KEEP_REFERENCES=1 writes the references anew: look at them before
// you commit them.

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"

namespace sluice::ui {
namespace {

struct Lab {
  double l = 0, a = 0, b = 0;
};

/// CIE L*a*b* of sRGB under D65.
Lab labOf(QRgb pixel) {
  const auto linear = [](int channel) {
    const double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double r = linear(qRed(pixel)), g = linear(qGreen(pixel)), b = linear(qBlue(pixel));
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505),
               y = root(0.2126 * r + 0.7152 * g + 0.0722 * b),
               z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// As seen from a distance.
QImage small(const QImage& picture) {
  return picture.scaled(96, 60, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
      .convertToFormat(QImage::Format_RGB32);
}

/// The mean distance in perceived colour; 1 is what an eye can tell in large patches side by side, black and
/// white are 100 apart.
double distance(const QImage& one, const QImage& other) {
  const QImage a = small(one), b = small(other);
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const Lab p = labOf(a.pixel(x, y)), q = labOf(b.pixel(x, y));
      sum += std::sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
    }
  return sum / (a.width() * a.height());
}

double lightness(const QImage& picture) {
  const QImage a = small(picture);
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) sum += labOf(a.pixel(x, y)).l;
  return sum / (a.width() * a.height());
}

}  // namespace

class LooksTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  /// The measure itself: it must tell what an eye tells.
  void theMeasureSeesWhatIsMissing() {
    QImage page(960, 600, QImage::Format_RGB32);
    page.fill(Qt::white);
    QCOMPARE(distance(page, page), 0.0);
    QImage black = page;
    black.fill(Qt::black);
    QVERIFY(distance(page, black) > 99);
    QImage line = page;
    for (int y = 60; y < 540; ++y)
      for (int x = 300; x < 420; ++x) line.setPixel(x, y, qRgb(0, 114, 178));
    QVERIFY(distance(page, line) > 4);
  }

  void everyChartLooksAsItsReference_data() {
    QTest::addColumn<QString>("chart");
    for (const char* chart : {"pareto", "parallel", "sensitivity", "fifo", "timeline", "graph"})
      QTest::newRow(chart) << QString::fromLatin1(chart);
  }
  void everyChartLooksAsItsReference() {
    QFETCH(QString, chart);
    const QString file = folder_.filePath(chart + QStringLiteral(".png"));
    QCOMPARE(run(QStringLiteral("sluice-cli"),
                 {QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"), chart,
                  QStringLiteral("--width"), QStringLiteral("3.33in"), QStringLiteral("--out"), file}),
             0);
    const QImage picture(file);
    QVERIFY(!picture.isNull());
    const QString reference =
        QStringLiteral(SLUICE_SOURCE_DIR "/tests/app/references/") + chart + QStringLiteral(".png");
    if (qEnvironmentVariableIsSet("SLUICE_KEEP_REFERENCES"))
      QVERIFY(picture.scaledToWidth(320, Qt::SmoothTransformation).save(reference));
    const QImage known(reference);
    QVERIFY2(!known.isNull(), qPrintable(reference));
    QImage empty(picture.size(), QImage::Format_RGB32);
    empty.fill(Qt::white);
    const double apart = distance(picture, known), whole = distance(empty, known);
    QVERIFY2(whole > 1, "the reference shows nothing: no picture could fail against it");
    QVERIFY2(apart < whole / 2,
             qPrintable(QStringLiteral("%1 is %2 away from its reference; an empty page is %3")
                            .arg(file)
                            .arg(apart)
                            .arg(whole)));
  }

  void theWindowInBothThemesAtEveryScale() {
    for (const char* theme : {"light", "dark"}) {
      QImage plain;
      for (const double scale : {1.0, 1.5, 2.0}) {
        const QString file =
            folder_.filePath(QStringLiteral("%1_%2.png").arg(QLatin1String(theme)).arg(scale));
        QCOMPARE(run(QStringLiteral("sluice"),
                     {QStringLiteral("--theme"), QLatin1String(theme), QStringLiteral("--screenshot"), file,
                      sample("simple_moe")},
                     scale),
                 0);
        QImage picture(file);
        QVERIFY(!picture.isNull());
        picture.setDevicePixelRatio(1);
        if (scale == 1.0) plain = picture;
        QVERIFY(std::abs(picture.width() - plain.width() * scale) <= 2);
        QVERIFY(std::abs(picture.height() - plain.height() * scale) <= 2);
        const double apart = distance(picture, plain);
        QVERIFY2(apart < 5, qPrintable(QStringLiteral("%1 at scale %2 is %3 away from scale 1")
                                           .arg(QLatin1String(theme))
                                           .arg(scale)
                                           .arg(apart)));
      }
      const double light = lightness(plain);
      QVERIFY2(theme == QByteArray("dark") ? light < 35 : light > 80, qPrintable(QString::number(light)));
    }
  }

 private:
  int run(const QString& program, const QStringList& arguments, double scale = 1) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::number(scale));
    for (const char* home : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"})
      environment.insert(QLatin1String(home), folder_.path());
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(SLUICE_BINARY_DIR "/bin/") + program, arguments);
    return process.waitForFinished(engine_time) && process.exitStatus() == QProcess::NormalExit
               ? process.exitCode()
               : -1;
  }

  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::LooksTest)
#include "looks_test.moc"
