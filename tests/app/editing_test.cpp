// Editing the program by hand: palette, streams drawn from port to port, deleting, copying between windows,
// regions, renaming, arranging, finding, and every command by its name.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <QTreeWidget>
#include <QWidgetAction>

#include "app/window/edit/arrange_controller.h"
#include "app/window/edit/connect_dialog.h"
#include "app/window/edit/edit_controller.h"
#include "app/window/edit/graph_edits.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/shortcut_editor.h"
#include "app/window/shell/workspace.h"
#include "engine/operators/registry.h"
#include "engine/program/file_format.h"
#include "tests/app/canvas_mouse.h"
#include "tests/app/main_windows.h"
#include "tests/app/picture.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/find_bar.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/minimap.h"
#include "widgets/commands/command_palette.h"
#include "widgets/commands/fuzzy.h"
#include "widgets/common/document_paths.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {
class EditingTest : public QObject, private CanvasMouse {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("editing_test"), folder_.path());
  }

  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(window_->openFile(sample("simple_moe")));
    window_->shownProgram()->wantScheduled(false);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }
  void cleanup() { window_.reset(); }

  void anOperatorIsDraggedOntoTheCanvas() {
    const Document before = document();
    window_->operators()->search()->setText(QStringLiteral("streamify dyn"));
    QCOMPARE(window_->operators()->currentKind(), QStringLiteral("DynStreamify"));
    const QTreeWidgetItem* item = window_->operators()->list()->currentItem();
    QVERIFY(item->toolTip(0).contains(QStringLiteral("repeat_rank")));
    const QPoint spot = emptySpot();
    const double zoom = canvas()->zoom();
    drop("Flatten", spot);
    QCOMPARE(document().program.nodes.size(), before.program.nodes.size() + 1);
    const Node& made = document().program.nodes.back();
    QCOMPARE(made.kind, std::string("Flatten"));
    QVERIFY(made.at);
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("flatten"));
    QVERIFY(!canvas()->nodeCenter(QStringLiteral("flatten")).isNull());
    // It stays where it was dropped, and the view with it.
    QTRY_VERIFY(!canvas()->layoutPending());
    QCOMPARE(canvas()->zoom(), zoom);
    const QPoint box = onScreen(canvas()->nodeCenter(QStringLiteral("flatten")));
    QVERIFY2((box - spot).manhattanLength() < 60 * std::max(1.0, zoom),
             qPrintable(QStringLiteral("%1, %2").arg(box.x() - spot.x()).arg(box.y() - spot.y())));
    undo();
    QVERIFY(document() == before);
  }

  void anOperatorIsPutIntoAStream() {
    const Document before = document();
    const QString origin = QStringLiteral("#tokens.in");
    const Stream whole = *findStream(before, "#tokens.in");
    drop("Flatten", onScreen(canvas()->streamPoint(origin)));
    QVERIFY(findStream(document(), "#flatten.in")->from == whole.from);
    QCOMPARE(text(findStream(document(), "#tokens.in")->from), std::string("flatten.out"));
    undo();
    QVERIFY(document() == before);
    // A source has no input to be put between.
    drop("SelectGen", onScreen(canvas()->streamPoint(origin)));
    QVERIFY(document() == before);
  }

  void aStreamIsDrawnOnlyWhereItFits() {
    add("Flatten");
    canvas()->fitAll();
    const Document before = document();
    const QPoint start = port("x_load", "out", true), end = port("flatten", "in", false);
    QTest::mousePress(canvas()->viewport(), Qt::LeftButton, {}, start);
    move((start + end) / 2);
    move(end);
    QTRY_VERIFY(QToolTip::text().startsWith(QStringLiteral("\u2714")));
    QTest::mouseRelease(canvas()->viewport(), Qt::LeftButton, {}, end);
    QCOMPARE(document().program.streams.size(), before.program.streams.size() + 1);
    QCOMPARE(text(document().program.streams.back().to), std::string("flatten.in"));
    // The input is fed now: a second stream is refused, with the reason, while dragging.
    const std::size_t streams = document().program.streams.size();
    QTest::mousePress(canvas()->viewport(), Qt::LeftButton, {}, port("x_load", "out", true));
    move(port("flatten", "in", false));
    QTRY_VERIFY2(QToolTip::text().contains(QStringLiteral("already fed")), qPrintable(QToolTip::text()));
    QTest::mouseRelease(canvas()->viewport(), Qt::LeftButton, {}, port("flatten", "in", false));
    QCOMPARE(document().program.streams.size(), streams);
  }

  void typeAndRankDecide() {
    add("Partition");
    const auto why = [&](const char* from, const char* to) {
      return window_->edits()->whyNot({"", from, to});
    };
    // Tiles steer no Partition; they may be its data.
    QVERIFY2(why("x_load.out", "partition.control").contains(QStringLiteral("selectors")),
             qPrintable(why("x_load.out", "partition.control")));
    QCOMPARE(why("x_load.out", "partition.in"), QString());
    // A rank that the stream has not.
    add("Streamify");
    QVERIFY(!why("x_load.out", "streamify.in").isEmpty());
    QVERIFY(!why("x_load.out", "nobody.in").isEmpty());
    const Document before = document();
    window_->edits()->join({"", "x_load.out", "partition.in"});
    QCOMPARE(document().program.streams.size(), before.program.streams.size() + 1);
  }

  void portsAreConnectedByKeyboard() {
    add("Flatten");
    canvas()->selectNode(QStringLiteral("x_load"));
    command("edit.connect")->trigger();
    auto* dialog = window_->findChild<ConnectDialog*>();
    QVERIFY(dialog);
    QCOMPARE(dialog->source()->currentText(), QStringLiteral("x_load.out"));
    dialog->target()->setCurrentText(QStringLiteral("tokens.in"));
    QVERIFY(!dialog->connectButton()->isEnabled());
    QVERIFY(dialog->reason().contains(QStringLiteral("already fed")));
    dialog->target()->setCurrentText(QStringLiteral("flatten.in"));
    QVERIFY2(dialog->connectButton()->isEnabled(), qPrintable(dialog->reason()));
    QTest::keyClick(dialog, Qt::Key_Return);
    QCOMPARE(text(document().program.streams.back().to), std::string("flatten.in"));
  }

  void severalAreSelectedDraggedAndDeleted() {
    const Document before = document();
    canvas()->fitAll();
    canvas()->setFocus();
    const QPoint first = onScreen(canvas()->nodeCenter(QStringLiteral("x_load")));
    const QPoint second = onScreen(canvas()->nodeCenter(QStringLiteral("tokens")));
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, first);
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, Qt::ControlModifier, second);
    QCOMPARE(canvas()->selectedNodes(), QStringList({QStringLiteral("x_load"), QStringLiteral("tokens")}));
    const auto places = canvas()->nodePositions();
    drag(first, first + QPoint(24, 48));
    QCOMPARE(window_->documents()->undoStack()->count(), 1);
    const QPointF moved =
        canvas()->nodePositions()[QStringLiteral("x_load")] - places[QStringLiteral("x_load")];
    QVERIFY(moved.y() > 10);
    QCOMPARE(canvas()->nodePositions()[QStringLiteral("tokens")] - places[QStringLiteral("tokens")], moved);
    QTest::keyClick(canvas(), Qt::Key_Delete);
    QVERIFY(!document().program.find("x_load") && !document().program.find("tokens"));
    for (const Stream& stream : document().program.streams)
      QVERIFY(stream.from.node != "x_load" && stream.to.node != "tokens");
    undo();
    undo();
    QVERIFY(document() == before);
    QTest::keyClick(canvas(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(canvas()->selectedNodes().size(), static_cast<qsizetype>(before.program.nodes.size()));
  }

  void aRectangleSelects() {
    canvas()->setZoom(0.5);
    canvas()->fitAll();
    const QRect all = canvas()->viewportTransform().mapRect(canvas()->contentRect()).toRect();
    drag(all.topLeft() - QPoint(12, 12), all.bottomRight() + QPoint(12, 12));
    QCOMPARE(canvas()->selectedNodes().size(), static_cast<qsizetype>(document().program.nodes.size()));
    const QPoint away = all.topLeft() - QPoint(12, 12);
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, away);
    QVERIFY(canvas()->selectedNodes().isEmpty());
  }

  void copiesGoToAnotherWindowAsText() {
    canvas()->selectNodes({QStringLiteral("expert"), QStringLiteral("x_load")});
    command("edit.copy")->trigger();
    const QString clipboard = QApplication::clipboard()->text();
    QVERIFY(parseDocument(clipboard.toStdString(), "clipboard"));
    const auto other = makeWindow();
    QVERIFY(other->openFile(sample("swiglu")));
    const Document before = other->documents()->document();
    other->commands()->action(QStringLiteral("edit.paste"))->trigger();
    const Document& after = other->documents()->document();
    QCOMPARE(after.program.nodes.size(), before.program.nodes.size() + 2);
    QVERIFY(after.program.find("expert")->body == document().program.find("expert")->body);
    // What it needs comes along: constants and knobs that the other program had not.
    for (const auto& [name, value] : document().constants)
      if (clipboard.contains(QString::fromStdString('"' + name + '"')))
        QVERIFY(after.constants.contains(name));
    other->documents()->undoStack()->undo();
    QVERIFY(other->documents()->document() == before);
    QApplication::clipboard()->setText(QStringLiteral("no program"));
    other->commands()->action(QStringLiteral("edit.paste"))->trigger();
    QVERIFY(other->documents()->document() == before);
  }

  void duplicatesHaveNamesOfTheirOwn() {
    canvas()->selectNodes({QStringLiteral("x_load"), QStringLiteral("tokens")});
    const std::size_t streams = document().program.streams.size();
    QTest::keyClick(canvas(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(document().program.find("x_load_2") && document().program.find("tokens_2"));
    QCOMPARE(document().program.streams.size(), streams + 1);  // the one between them
    QCOMPARE(canvas()->selectedNodes(),
             QStringList({QStringLiteral("x_load_2"), QStringLiteral("tokens_2")}));
  }

  void groupingKeepsTheResults() {
    const auto figures = [&] {
      const auto metric = window_->session();
      Q_UNUSED(metric)
      return last_cycles_;
    };
    connect(
        window_->session(), &SessionController::pointReady, this,
        [&](const std::shared_ptr<const PointResult>& result) { last_cycles_ = result->simulation.cycles; });
    window_->documents()->setKnobs(window_->documents()->knobs(), {});
    window_->session()->setKnobs(window_->documents()->knobs());
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    const Cycles before = figures();
    QVERIFY(before > 0);
    canvas()->selectNodes({QStringLiteral("x_load"), QStringLiteral("tokens")});
    QTest::keyClick(canvas(), Qt::Key_G, Qt::ControlModifier);
    const Node* region = document().program.find("part");
    QVERIFY(region && region->body);
    QCOMPARE(region->body->body.nodes.size(), std::size_t{2});
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("part"));
    last_cycles_ = 0;
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QCOMPARE(figures(), before);
    command("edit.ungroup")->trigger();
    QVERIFY(document().program.find("x_load") && !document().program.find("part"));
    last_cycles_ = 0;
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QCOMPARE(figures(), before);
  }

  void regionsAreEnteredAndLeft() {
    canvas()->selectNode(QStringLiteral("expert"));
    canvas()->setFocus();
    QTest::keyClick(canvas(), Qt::Key_Down, Qt::AltModifier);
    QVERIFY(!canvas()->document().program.find("expert")->body->collapsed);
    // A way of looking is no change of the document.
    QVERIFY(document().program.find("expert")->body->collapsed);
    QVERIFY(!window_->isWindowModified());
    QVERIFY(!window_->documents()->undoStack()->canUndo());
    const Picture& picture = canvas()->graphScene()->picture();
    const QRectF frame = picture.rect(picture.model.findBox("expert"));
    QVERIFY(QRectF(canvas()->viewport()->rect()).contains(canvas()->viewportTransform().mapRect(frame)));
    canvas()->selectNode(QStringLiteral("expert.gate"));
    QTest::keyClick(canvas(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("expert"));
  }

  void renamingIsDoneInPlaceAndFollowed() {
    const Document before = document();
    canvas()->selectNode(QStringLiteral("expert"));
    canvas()->setFocus();
    QTest::keyClick(canvas(), Qt::Key_F2);
    auto* field = canvas()->findChild<QLineEdit*>(QStringLiteral("renameField"));
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("specialist"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(document().program.find("specialist") && !document().program.find("expert"));
    for (const Stream& stream : document().program.streams)
      QVERIFY(stream.from.node != "expert" && stream.to.node != "expert");
    for (const ScheduleStep& step : document().schedule)
      for (const auto& [name, value] : step.arguments)
        QVERIFY2(!text(value).starts_with("expert"), text(value).c_str());
    undo();
    QVERIFY(document() == before);
    // A name that is taken changes nothing.
    emit canvas()->renameRequested(QStringLiteral("expert"), QStringLiteral("x_load"));
    QVERIFY(document() == before);
  }

  void nodesAreAlignedAndSpread() {
    canvas()->selectNodes({QStringLiteral("x_load"), QStringLiteral("tokens"), QStringLiteral("expert")});
    command("arrange.top")->trigger();
    const auto at = [&](const char* node) { return *document().program.find(node)->at; };
    QCOMPARE(at("x_load").y, at("tokens").y);
    QCOMPARE(at("x_load").y, at("expert").y);
    command("arrange.acrossEvenly")->trigger();
    QTRY_VERIFY(!canvas()->animating());
    command("arrange.left")->trigger();
    QCOMPARE(at("x_load").x, at("expert").x);
    QCOMPARE(window_->documents()->undoStack()->count(), 3);
  }

  void layoutIsOneStepAndMovesSmoothly() {
    const Document before = document();
    canvas()->selectNode(QStringLiteral("tokens"));
    const auto home = canvas()->nodePositions();
    window_->documents()->edit(QStringLiteral("scatter"), [](Document& changed) {
      double at = 0;
      for (Node& node : changed.program.nodes) node.at = Position{at, 3 * at}, at += 200;
    });
    QTRY_VERIFY(!canvas()->layoutPending());
    const QPointF far = canvas()->nodePositions()[QStringLiteral("expert")];
    command("arrange.all")->trigger();
    QVERIFY(canvas()->animating());
    QTRY_VERIFY(!canvas()->animating());
    QCOMPARE(window_->documents()->undoStack()->count(), 2);
    for (auto node = home.begin(); node != home.end(); ++node)
      QVERIFY2(QLineF(canvas()->nodePositions()[node.key()], node.value()).length() < 1,
               qPrintable(node.key()));
    undo();
    QTRY_VERIFY(!canvas()->layoutPending());
    QCOMPARE(canvas()->nodePositions()[QStringLiteral("expert")], far);
    // What is pinned stays, until it is unpinned; and that is one step for undo each.
    canvas()->selectNode(QStringLiteral("expert"));
    command("arrange.pin")->trigger();
    command("arrange.all")->trigger();
    QTRY_VERIFY(!canvas()->animating());
    QCOMPARE(canvas()->nodePositions()[QStringLiteral("expert")], far);
    command("arrange.unpin")->trigger();
    QVERIFY(document().pinned.empty());
    undo();
    undo();
    undo();
    QVERIFY(document().pinned.empty());
    QTRY_VERIFY(!canvas()->layoutPending());
    QCOMPARE(canvas()->nodePositions()[QStringLiteral("expert")], far);
    // Of a selection: the others stay where they are.
    canvas()->selectNode(QStringLiteral("tokens"));
    const auto scattered = canvas()->nodePositions();
    command("arrange.selection")->trigger();
    QTRY_VERIFY(!canvas()->animating());
    for (auto node = scattered.begin(); node != scattered.end(); ++node)
      if (node.key() != QStringLiteral("tokens"))
        QCOMPARE(canvas()->nodePositions()[node.key()], node.value());
  }

  void pinsAreSavedWithTheProgramAndShown() {
    const std::filesystem::path file = folder_.filePath(QStringLiteral("pinned.sluice")).toStdString();
    DocumentController* documents = window_->documents();
    QVERIFY(documents->saveAs(file));
    canvas()->selectNode(QStringLiteral("expert"));
    const auto pixels = [this] {
      const QPointF corner = canvas()
                                 ->graphScene()
                                 ->picture()
                                 .rect(canvas()->graphScene()->picture().model.findBox("expert"))
                                 .topLeft();
      return canvas()
          ->viewport()
          ->grab(QRect(canvas()->mapFromScene(corner) - QPoint(8, 8), QSize(16, 16)))
          .toImage();
    };
    const QImage bare = pixels();
    command("arrange.pin")->trigger();
    QVERIFY(documents->isModified());
    QTRY_VERIFY(!canvas()->animating());
    QVERIFY(pixels() != bare);
    QVERIFY(documents->save());
    QVERIFY(!documents->isModified());
    DocumentController next;
    QVERIFY(next.open(file));
    QCOMPARE(next.document().pinned, std::set<std::string>{"expert"});
    QVERIFY(!next.isModified());
    QVERIFY(next.document() == documents->document());
    command("arrange.unpin")->trigger();
    QTRY_VERIFY(pixels() == bare);
    QVERIFY(documents->save());
    QVERIFY(loadDocument(file)->pinned.empty());
    undo();
    QCOMPARE(document().pinned, std::set<std::string>{"expert"});
  }

  void pinsFollowTheirNodes() {
    const std::string inside = document().program.find("expert")->body->body.nodes.front().name;
    window_->documents()->edit(QStringLiteral("pin"), [&](Document& changed) {
      changed.pinned = {"expert", "expert." + inside, "tokens", "x_load"};
    });
    emit canvas()->renameRequested(QStringLiteral("expert"), QStringLiteral("wise"));
    const std::set<std::string> renamed{"tokens", "wise", "wise." + inside, "x_load"};
    QCOMPARE(document().pinned, renamed);
    canvas()->selectNodes({QStringLiteral("x_load"), QStringLiteral("tokens")});
    command("edit.group")->trigger();
    QCOMPARE(document().pinned,
             (std::set<std::string>{"part.tokens", "part.x_load", "wise", "wise." + inside}));
    canvas()->selectNode(QStringLiteral("part"));
    command("edit.ungroup")->trigger();
    QCOMPARE(document().pinned, renamed);
    canvas()->selectNode(QStringLiteral("wise"));
    command("edit.delete")->trigger();
    QCOMPARE(document().pinned, (std::set<std::string>{"tokens", "x_load"}));
    undo();
    QCOMPARE(document().pinned, renamed);
  }

  void theOverviewShowsAndMovesTheView() {
    Minimap* map = window_->arranging()->minimap();
    canvas()->fitAll();
    QTRY_VERIFY(!map->isVisible());  // everything is in view
    canvas()->setZoom(3);
    canvas()->centerOn(canvas()->contentRect().topLeft());
    QTRY_VERIFY(map->isVisible());  // in one of the corners where nothing is
    QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(8, map->height() / 2));
    const QRectF left = map->viewRect();
    QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() - 8, map->height() / 2));
    QVERIFY(map->viewRect().left() > left.left() + 20);
    command("view.minimap")->trigger();
    QVERIFY(!map->isVisible());
  }

  void findingWalksThroughWhatFits() {
    command("edit.find")->trigger();
    FindBar* find = window_->arranging()->findBar();
    QVERIFY(find->isVisible());
    QTest::keyClicks(find->field(), QStringLiteral("offchipload"));
    QVERIFY(find->countText().startsWith(QStringLiteral("1 of")));
    const QString first = canvas()->selectedNode();
    QVERIFY(findNode(document(), first.toStdString())->kind.find("OffChipLoad") != std::string::npos);
    QTest::keyClick(find->field(), Qt::Key_Return);
    QVERIFY(find->countText().startsWith(QStringLiteral("2 of")));
    QTest::keyClick(find->field(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(canvas()->selectedNode(), first);
    find->field()->setText(QStringLiteral("nothing like it"));
    QCOMPARE(find->countText(), QStringLiteral("nothing"));
    QTest::keyClick(find->field(), Qt::Key_Escape);
    QVERIFY(!find->isVisible());
  }

  void fuzzyMatching() {
    QVERIFY(!fuzzyScore(QStringLiteral("xz"), QStringLiteral("Expand")));
    QVERIFY(*fuzzyScore(QStringLiteral("gr"), QStringLiteral("Group into a Region")) >
            *fuzzyScore(QStringLiteral("gr"), QStringLiteral("Log of runs")));
    QVERIFY(*fuzzyScore(QStringLiteral("lo"), QStringLiteral("Lay Out the Program")) >
            *fuzzyScore(QStringLiteral("lo"), QStringLiteral("Yellow")));
  }

  void everyCommandIsCalledByItsName() {
    command("view.commands")->trigger();
    QPointer<CommandPalette> palette = window_->findChild<CommandPalette*>();
    QVERIFY(palette);
    QCOMPARE(palette->list()->count(), static_cast<int>(window_->commands()->all().size()));
    canvas()->selectNode(QStringLiteral("expert"));
    QTest::keyClicks(palette->field(), QStringLiteral("rstkn"));
    QCOMPARE(palette->list()->currentItem()->text(), QStringLiteral("Reset Knobs"));
    palette->field()->setText(QStringLiteral("theme dark"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QTRY_VERIFY(command("view.themeDark")->isChecked());
    QTRY_VERIFY(palette.isNull());
  }

  void keysAreChangedAndConflictsShown() {
    auto* editor = new ShortcutEditor(window_->commands(), window_.get());
    editor->show();
    editor->choose(QStringLiteral("edit.group"));
    editor->keys()->setKeySequence(QKeySequence(QStringLiteral("Ctrl+S")));
    emit editor->keys()->editingFinished();
    QCOMPARE(command("edit.group")->shortcut(), QKeySequence(QStringLiteral("Ctrl+S")));
    QVERIFY(editor->findChild<QLabel*>(QStringLiteral("shortcutConflict"))
                ->text()
                .contains(QStringLiteral("Save")));
    editor->keys()->setKeySequence(QKeySequence(QStringLiteral("Ctrl+Alt+G")));
    emit editor->keys()->editingFinished();
    QVERIFY(
        window_->commands()->conflicts(*command("edit.group"), command("edit.group")->shortcuts()).isEmpty());
    QVERIFY(window_->commands()->shortcutsHtml().contains(QStringLiteral("Ctrl+Alt+G")));
    // They are there at the next start.
    const auto next = makeWindow();
    QCOMPARE(next->commands()->action(QStringLiteral("edit.group"))->shortcut(),
             QKeySequence(QStringLiteral("Ctrl+Alt+G")));
  }

  void noTwoCommandsShareAKey() {
    for (const QAction* action : window_->commands()->all()) {
      const auto others = window_->commands()->conflicts(*action, action->shortcuts());
      QVERIFY2(others.isEmpty(), qPrintable(action->objectName() + QStringLiteral(" and ") +
                                            (others.isEmpty() ? QString() : others.first()->objectName())));
    }
  }

  /// Menus of files, of the rows of knobs and constants, and actions that Qt puts into its own fields are
  /// data and not commands.
  void noActionIsOutsideTheTable() {
    emit canvas()->contextMenuRequested(QStringLiteral("expert"), {}, QPoint(5, 5));
    const QList<QAction*>& known = window_->commands()->all();
    for (QAction* action : window_->findChildren<QAction*>()) {
      if (action->isSeparator() || action->menu() || known.contains(action)) continue;
      const QObject* owner = action->parent();
      const bool of_a_field = qobject_cast<const QLineEdit*>(owner) != nullptr;
      const bool a_file = owner && owner->objectName() == QStringLiteral("recentFiles");
      const bool placed = qobject_cast<QWidgetAction*>(action) != nullptr;  // a widget in a toolbar
      const auto* row = qobject_cast<const QWidget*>(owner);                // a knob's or a constant's
      const bool of_a_row = row && row->contextMenuPolicy() == Qt::ActionsContextMenu;
      QVERIFY2(of_a_field || a_file || placed || of_a_row,
               qPrintable(action->text() + QStringLiteral(" of ") +
                          (owner ? owner->metaObject()->className() : "nobody")));
    }
    window_->findChild<QMenu*>(QStringLiteral("canvasMenu"))->close();
  }

  void theThemeReachesDocksAndPalette() {
    for (const char* theme : {"Dark", "Light"}) {
      const bool dark = theme == std::string("Dark");
      command(dark ? "view.themeDark" : "view.themeLight")->trigger();
      auto* dock = window_->findChild<QWidget*>(QStringLiteral("operatorDock"));
      dock->raise();
      QTest::qWait(80);
      QCOMPARE(looksDark(window_.get()), dark);
      QCOMPARE(looksDark(dock), dark);
      command("view.commands")->trigger();
      auto* palette = window_->findChild<CommandPalette*>();
      palette->field()->setText(QStringLiteral("al"));
      QCOMPARE(looksDark(palette), dark);
      palette->close();
      QTest::qWait(10);
    }
  }

 private:
  GraphCanvas* canvas() const override { return window_->workspace()->canvas(); }
  const Document& document() const { return window_->documents()->document(); }
  QAction* command(const char* id) const { return window_->commands()->action(QString::fromLatin1(id)); }
  bool settled() const { return window_->session()->idle() && !canvas()->layoutPending(); }
  void undo() { window_->documents()->undoStack()->undo(); }
  QPoint port(const char* node, const char* name, bool output) const {
    return onScreen(canvas()->portPoint(QString::fromLatin1(node), QString::fromLatin1(name), output));
  }
  void add(const char* kind) {
    canvas()->clearSelection();
    window_->edits()->addKind(QString::fromLatin1(kind));
    canvas()->fitAll();
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  Cycles last_cycles_ = 0;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::EditingTest)
#include "editing_test.moc"
