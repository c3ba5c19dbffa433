#pragma once
// The tests of the window are one program: linking them one by one, and reading Qt's headers for each, took
// minutes. `sluice-window-tests designs_test` runs designs_test.cpp; what follows the name is for QTest.

#include <memory>

#include <QObject>

namespace sluice::ui {

enum class TestApplication { Widgets, Core };
using MakeTest = std::unique_ptr<QObject> (*)();

/// `file`: the path of the source; its name without folder and ending is that of the test.
bool addTest(const char* file, TestApplication application, MakeTest make);

template <class Test>
std::unique_ptr<QObject> makeTest() {
  return std::make_unique<Test>();
}

}  // namespace sluice::ui

#define SLUICE_JOINED_AGAIN(a, b) a##b
#define SLUICE_JOINED(a, b) SLUICE_JOINED_AGAIN(a, b)
/// In place of QTEST_MAIN: the class of a file of tests. The application is of the kind Widgets or Core.
#define SLUICE_TEST_OF(application, Class)                                        \
  [[maybe_unused]] static const bool SLUICE_JOINED(test_is_added_, __COUNTER__) = \
      sluice::ui::addTest(__FILE__, sluice::ui::TestApplication::application, &sluice::ui::makeTest<Class>);
#define SLUICE_WINDOW_TEST(Class) SLUICE_TEST_OF(Widgets, Class)
#define SLUICE_TEST_WITHOUT_WINDOW(Class) SLUICE_TEST_OF(Core, Class)
