// Programs of other tools in the window: opened from the menu, dropped, named on the command line; saved
// under a name of their own.

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressDialog>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <functional>

#include "app/window/document/dimensions_dialog.h"
#include "app/window/document/document_controller.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/recovery.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/core/atomic_file.h"
#include "engine/importers/registry.h"
#include "engine/interchange/dot.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/engine/support/protobuf_bytes.h"
#include "tests/widgets/test_program.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
namespace {

using testing_support::bytes;
using testing_support::number;
using testing_support::packed;

const std::string tensorProgram =
    "// by hand\nprogram @p {\n  %x = input tensor<8x8xf32>\n  %y = softmax(%x) tensor<8x8xf32>\n"
    "  return %y\n}\n";

const std::string fixture = R"({"depth":2,"cfg":{},"fb":2,"ops":[
    {"T":"OffChipLoad","id":1,"out":[4,2],"tile_row":2,"tile_col":8,"par":1},
    {"T":"UnaryMap","id":2,"inp":[1,null],"fn":{"name":"Silu"},"bw":16,"wb":false},
    {"T":"PrinterContext","id":3,"inp":[2,null]}]})";

/// A row of ONNX operators, each of one input and one output: "x" -> ... -> "y". An extent of 0 is the
/// symbolic dimension "seq".
std::string onnxModel(const std::vector<std::string>& operators, std::uint64_t rows) {
  const std::string extents =
      bytes(1, rows == 0 ? bytes(2, "seq") : number(1, rows)) + bytes(1, number(1, 64));
  const auto declared = [&](const std::string& name) {
    return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, extents)));
  };
  std::string graph = bytes(2, "block") + bytes(11, declared("x"));
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::string in = i == 0 ? "x" : "t" + std::to_string(i - 1);
    const std::string out = i + 1 == operators.size() ? "y" : "t" + std::to_string(i);
    graph += bytes(1, bytes(1, in) + bytes(2, out) + bytes(3, out + "_node") + bytes(4, operators[i]));
    graph += bytes(13, declared(out));
  }
  return number(1, 8) + bytes(7, graph + bytes(12, declared("y"))) + bytes(8, number(2, 17));
}

/// The same graph as `fixture`, in the messages of the front end.
std::string protobufGraph() {
  const auto op = [](const std::string& name, std::uint64_t id, int kind, const std::string& content) {
    return bytes(2, bytes(1, name) + number(2, id) + bytes(kind, content));
  };
  const std::vector<int> shape{4, 2};
  return bytes(1, "a graph") +
         op("OffChipLoad_1", 1, 12, packed(3, shape) + number(5, 2) + number(6, 8) + number(9, 1)) +
         op("UnaryMap_2", 2, 11, number(1, 1) + bytes(3, bytes(3, "")) + number(4, 16)) +
         op("PrinterContext_3", 3, 21, number(1, 2));
}

}  // namespace

class ImportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("import_test"), folder_.path());
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    write("program.mlir", tensorProgram);
    write("program.txt", tensorProgram);
    write("graph.json", fixture);
    write("model.onnx", onnxModel({"Softmax", "Bernoulli", "Gelu"}, 32));
    write("open.onnx", onnxModel({"Softmax"}, 0));
    write("graph.dot", writeDot(*loadDocument(sample("swiglu").toStdString())));
    write("graph.pb", protobufGraph());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
  }
  void cleanup() {
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    window_.reset();
  }

  void everyKindIsOpenedAsADocumentWithoutAFile_data() {
    QTest::addColumn<QString>("file");
    for (const char* name :
         {"program.mlir", "program.txt", "graph.json", "model.onnx", "graph.dot", "graph.pb"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  void everyKindIsOpenedAsADocumentWithoutAFile() {
    QFETCH(QString, file);
    openFromTheMenu(at(file));
    QVERIFY(documents()->hasDocument());
    QVERIFY(!documents()->hasFile());
    QVERIFY(documents()->isModified());
    const QString name = QFileInfo(file).completeBaseName() + QStringLiteral(".sluice");
    QVERIFY2(window_->windowTitle().startsWith(name + QStringLiteral(" (not saved yet)")),
             qPrintable(window_->windowTitle()));
    // It is what the command line makes of the file, and it runs.
    QVERIFY(documents()->document() == importFile(at(file).toStdString())->document);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QVERIFY(!hasErrors(diagnostics()));
    QVERIFY(!QFileInfo::exists(at(name)));
    // Nothing is remembered that could not be opened again.
    QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList(), QStringList(at(file)));
  }

  void whatIsNotUnderstoodIsListed() {
    QVERIFY(window_->openFile(at(QStringLiteral("model.onnx"))));
    QVERIFY2(text(diagnostics()).find("Bernoulli") != std::string::npos, text(diagnostics()).c_str());
    QVERIFY(window_->workspace()->diagnostics()->isVisible());
    // A file that is understood in full has nothing of it.
    QVERIFY(window_->openFile(at(QStringLiteral("program.mlir"))));
    QVERIFY(text(diagnostics()).find("Bernoulli") == std::string::npos);
  }

  void savingAsksForAName() {
    QVERIFY(window_->openFile(at(QStringLiteral("program.mlir"))));
    const QString chosen = at(QStringLiteral("chosen"));
    QString suggested;
    inFileDialog(this, [&](QFileDialog* dialog) {
      suggested = dialog->selectedFiles().value(0);
      dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(chosen);
    });
    window_->commands()->action(QStringLiteral("file.save"))->trigger();
    QCOMPARE(QFileInfo(suggested).fileName(), QStringLiteral("program.sluice"));
    const QString file = chosen + QStringLiteral(".sluice");
    QVERIFY(QFileInfo::exists(file));
    QVERIFY(documents()->hasFile());
    QVERIFY(!documents()->isModified());
    QCOMPARE(*loadDocument(file.toStdString()) == documents()->document(), true);
    QCOMPARE(*readFile(at(QStringLiteral("program.mlir")).toStdString()), tensorProgram);
    // From now on it is a document like any other.
    window_->commands()->action(QStringLiteral("file.save"))->trigger();
    QVERIFY(!QApplication::activeModalWidget());
  }

  void longImportsCanBeCancelled() {
    std::string ops;
    for (int i = 2; i < 150'000; ++i)
      ops += R"(,{"T":"UnaryMap","id":)" + std::to_string(i) + R"(,"inp":[)" + std::to_string(i - 1) +
             R"(,null],"fn":{"name":"Silu"},"bw":16,"wb":false})";
    write("long.json", R"({"depth":2,"cfg":{},"fb":2,"ops":[
        {"T":"OffChipLoad","id":1,"out":[4,2],"tile_row":2,"tile_col":8,"par":1})" +
                           ops + "]}");
    bool clicked = false;
    QTimer look;
    connect(&look, &QTimer::timeout, this, [&] {
      auto* box = qobject_cast<QProgressDialog*>(QApplication::activeModalWidget());
      if (!box || clicked) return;
      clicked = true;
      QVERIFY(box->labelText().contains(QStringLiteral("long.json")));
      QTest::mouseClick(box->findChild<QPushButton*>(), Qt::LeftButton);
    });
    look.start(10);
    QVERIFY(!window_->openFile(at(QStringLiteral("long.json"))));
    QVERIFY(clicked);
    QVERIFY(!documents()->hasDocument());
    QVERIFY(diagnostics().empty());
    // The window goes on.
    QVERIFY(window_->openFile(at(QStringLiteral("program.mlir"))));
  }

  void openDimensionsAreAskedFor() {
    QVERIFY(!window_->openFile(at(QStringLiteral("open.onnx"))));
    QVERIFY(!documents()->hasDocument());
    QVERIFY(diagnostics().empty());  // nothing is wrong as long as it is asked
    auto* dialog = window_->findChild<DimensionsDialog*>();
    QVERIFY(dialog);
    QTRY_VERIFY(dialog->isVisible());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(text(diagnostics()).find("'seq'") != std::string::npos);
    QTRY_VERIFY(!window_->findChild<DimensionsDialog*>());
    QVERIFY(!window_->openFile(at(QStringLiteral("open.onnx"))));
    dialog = window_->findChild<DimensionsDialog*>();
    QVERIFY(dialog);
    QTRY_VERIFY(dialog->isVisible());
    auto* field = dialog->findChild<QLineEdit*>(QStringLiteral("dimension.seq"));
    for (const char* wrong : {"", "many", "16,", "0", "16 32"}) {
      field->setText(QString::fromLatin1(wrong));
      QVERIFY2(!dialog->findChild<QLabel*>(QStringLiteral("dimensionsProblem"))->text().isEmpty(), wrong);
      QTest::keyClick(dialog, Qt::Key_Return);
      QVERIFY2(!documents()->hasDocument(), wrong);
    }
    field->setText(QStringLiteral("16"));
    QTest::keyClick(dialog, Qt::Key_Return);
    QVERIFY(documents()->hasDocument());
    QVERIFY(
        documents()->document() ==
        importFile(at(QStringLiteral("open.onnx")).toStdString(), {.dimensions = {{"seq", 16}}})->document);
    QVERIFY(!hasErrors(diagnostics()));
  }

  void severalExtentsMakeAKnob() {
    QVERIFY(!window_->openFile(at(QStringLiteral("open.onnx"))));
    auto* dialog = window_->findChild<DimensionsDialog*>();
    QTRY_VERIFY(dialog && dialog->isVisible());
    dialog->findChild<QLineEdit*>(QStringLiteral("dimension.seq"))->setText(QStringLiteral("32, 16,64"));
    QTest::keyClick(dialog, Qt::Key_Return);
    QVERIFY(documents()->hasDocument());
    const Knob& knob = documents()->document().knobs.front();
    QCOMPARE(knob.name, std::string("seq"));
    QCOMPARE(knob.list, (std::vector<std::int64_t>{16, 32, 64}));
    QCOMPARE(knob.initial, std::int64_t{32});
  }

  void aModelCanBeDropped() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(at(QStringLiteral("model.onnx")))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &drop);
    QVERIFY(window_->windowTitle().startsWith(QStringLiteral("model.sluice")));
    data.setUrls({QUrl::fromLocalFile(at(QStringLiteral("picture.png")))});
    QDragEnterEvent other(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    other.ignore();
    QCoreApplication::sendEvent(window_.get(), &other);
    QVERIFY(!other.isAccepted());
  }

  void brokenFilesLeaveTheDocumentAlone() {
    QVERIFY(window_->openFile(sample("swiglu")));
    const Document before = documents()->document();
    for (const char* name : {"bad.onnx", "bad.mlir", "bad.pb", "bad.json", "bad.dot", "missing.onnx"}) {
      if (name[0] == 'b') write(name, "{ this is nothing }");
      QVERIFY2(!window_->openFile(at(QString::fromLatin1(name))), name);
      QVERIFY2(hasErrors(diagnostics()), name);
      QVERIFY2(!diagnostics().front().fix.empty(), name);
    }
    QVERIFY(documents()->document() == before);
    QVERIFY(documents()->hasFile());
  }

  void aSluiceDocumentIsOneUnderAnyName() {
    QVERIFY(QFile::copy(sample("swiglu"), at(QStringLiteral("document.json"))));
    QVERIFY(window_->openFile(at(QStringLiteral("document.json"))));
    QVERIFY(documents()->hasFile());
    QVERIFY(!documents()->isModified());
  }

  void closingAsksAndARecoveredImportHasNoFileEither() {
    QVERIFY(window_->openFile(at(QStringLiteral("program.mlir"))));
    bool asked = false;
    QTimer::singleShot(200, this, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      asked = box != nullptr;
      if (box) QTest::keyClick(box, Qt::Key_Escape);
    });
    QVERIFY(!window_->close());
    QVERIFY(asked);
    const QString copies = at(QStringLiteral("copies"));
    auto first = std::make_unique<DocumentController>();
    Recovery keeping(first.get(), copies);
    first->openUntitled(documents()->document(), at(QStringLiteral("program.sluice")).toStdString());
    keeping.writeNow();
    // As after a crash: the copy stays, the lock goes.
    for (const QString& name : QDir(copies).entryList({QStringLiteral("*.sluice")}, QDir::Files))
      for (const char* part : {"", ".ini"})
        QVERIFY(QFile::copy(QDir(copies).filePath(name + QLatin1String(part)),
                            QDir(copies).filePath(QStringLiteral("left.sluice") + QLatin1String(part))));
    DocumentController next;
    Recovery recovery(&next, copies);
    const auto left = recovery.leftBehind();
    QVERIFY(left && recovery.recover(*left));
    QVERIFY(!next.hasFile());
    QVERIFY(next.isModified());
    QVERIFY(next.document() == documents()->document());
  }

 private:
  DocumentController* documents() const { return window_->documents(); }
  const Diagnostics& diagnostics() const { return window_->workspace()->diagnostics()->diagnostics(); }
  QString at(const QString& name) const { return folder_.filePath(name); }
  void write(const char* name, const std::string& content) {
    QVERIFY(writeFileAtomically(at(QString::fromLatin1(name)).toStdString(), content));
  }

  void openFromTheMenu(const QString& file) {
    inFileDialog(this, [&](QFileDialog* dialog) {
      const QString filters = dialog->nameFilters().join(QLatin1Char(' '));
      for (const char* suffix : {"*.sluice", "*.onnx", "*.mlir", "*.pb", "*.json", "*.dot", "*.gv"})
        QVERIFY2(filters.contains(QLatin1String(suffix)), suffix);
      dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file);
    });
    window_->commands()->action(QStringLiteral("file.open"))->trigger();
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ImportTest)
#include "import_test.moc"
