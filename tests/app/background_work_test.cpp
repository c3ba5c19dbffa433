// Work beside the event loop is answered by it: the newest, or all in order, never what was forgotten.

#include "app/window/shell/background_work.h"
#include "tests/widgets/test_program.h"

#include <QCoreApplication>
#include <QTest>
#include <QThread>
#include <latch>
#include <new>
#include <vector>

namespace sluice::ui {

class BackgroundWorkTest : public QObject {
  Q_OBJECT

 private:
  std::vector<int> answers_;

  /// Answers with `number`, in the thread of the event loop.
  BackgroundWork::Work answering(int number) {
    return [this, number](const std::stop_token&) -> BackgroundWork::Answer {
      return [this, number] {
        QCOMPARE(QThread::currentThread(), thread());
        answers_.push_back(number);
      };
    };
  }

 private slots:
  void init() { answers_.clear(); }

  void whatIsAddedIsAnsweredInOrder() {
    BackgroundWork work;
    QVERIFY(work.idle());
    for (int i = 0; i < 5; ++i) work.add(answering(i));
    QVERIFY(!work.idle());
    QTRY_VERIFY(work.idle());
    QCOMPARE(answers_, (std::vector<int>{0, 1, 2, 3, 4}));
  }

  /// Also where an older piece was done before, and its answer waited for the event loop.
  void onlyTheNewestOfWhatIsAskedForIsAnswered() {
    BackgroundWork work;
    for (int i = 0; i < 200; ++i) work.ask(answering(i));
    QTRY_VERIFY(work.idle());
    QCOMPARE(answers_, std::vector<int>{199});
  }

  void anAnswerMayAskForMore() {
    BackgroundWork work;
    work.ask([&, next = answering(1)](const std::stop_token&) -> BackgroundWork::Answer {
      return [&work, next] { work.ask(next); };
    });
    QTRY_COMPARE(answers_, std::vector<int>{1});
    QVERIFY(work.idle());
  }

  void whatIsStoppedIsAnsweredAndWhatIsForgottenIsNot() {
    BackgroundWork work;
    std::latch begun(2);
    const auto until_stopped = [&](int number) -> BackgroundWork::Work {
      return [&begun, answer = answering(number)](const std::stop_token& stop) {
        begun.count_down();
        while (!stop.stop_requested()) QThread::msleep(1);
        return answer(stop);
      };
    };
    work.ask(until_stopped(1));
    work.stop();
    QTRY_COMPARE(answers_, std::vector<int>{1});
    work.ask(until_stopped(2));
    begun.wait();
    work.forget();
    QVERIFY(work.idle());
    work.add(answering(3));
    QTRY_VERIFY(work.idle());
    QCOMPARE(answers_, (std::vector<int>{1, 3}));
  }

  void whatThrowsIsTold() {
    BackgroundWork work;
    int failed = 0;
    connect(&work, &BackgroundWork::failed, this,
            [&](const Diagnostic& why) { failed += !why.cause.empty(); });
    work.add([](const std::stop_token&) -> BackgroundWork::Answer { throw std::bad_alloc(); });
    work.add(answering(1));
    QTRY_VERIFY(work.idle());
    QCOMPARE(failed, 1);
    QCOMPARE(answers_, std::vector<int>{1});
  }
};

}  // namespace sluice::ui

SLUICE_TEST_WITHOUT_WINDOW(sluice::ui::BackgroundWorkTest)
#include "background_work_test.moc"
