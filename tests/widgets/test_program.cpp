// Runs the test that is named on the command line.

#include "tests/widgets/test_program.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <QApplication>
#include <QFileInfo>
#include <QTest>

namespace sluice::ui {
namespace {

struct AddedTest {
  TestApplication application;
  MakeTest make;
};

std::map<std::string, AddedTest>& addedTests() {
  static std::map<std::string, AddedTest> tests;
  return tests;
}

int listTests(const char* program) {
  std::fprintf(stderr, "usage: %s TEST [QTEST OPTION...]\n\ntests:\n", program);
  for (const auto& [name, test] : addedTests()) std::fprintf(stderr, "  %s\n", name.c_str());
  return 2;
}

int runTest(const AddedTest& test, const std::string& name, std::vector<char*> arguments) {
  int count = static_cast<int>(arguments.size()) - 1;
  QCoreApplication::setAttribute(Qt::AA_Use96Dpi, true);
  const std::unique_ptr<QCoreApplication> application =
      test.application == TestApplication::Core ? std::make_unique<QCoreApplication>(count, arguments.data())
                                                : std::make_unique<QApplication>(count, arguments.data());
  // Settings and caches of tests that run beside each other are apart, as their names are.
  QCoreApplication::setApplicationName(QString::fromStdString(name));
  const std::unique_ptr<QObject> object = test.make();
  return QTest::qExec(object.get(), count, arguments.data());
}

}  // namespace

bool addTest(const char* file, TestApplication application, MakeTest make) {
  return addedTests()
      .emplace(QFileInfo(QString::fromUtf8(file)).baseName().toStdString(), AddedTest{application, make})
      .second;
}

}  // namespace sluice::ui

int main(int argc, char** argv) {
  using namespace sluice::ui;
  if (argc < 2) return listTests(argv[0]);
  const std::string name = argv[1];
  const auto test = addedTests().find(name);
  if (test == addedTests().end()) return listTests(argv[0]);
  std::vector<char*> arguments(argv, argv + argc);
  arguments.erase(arguments.begin() + 1);
  arguments.push_back(nullptr);
  return runTest(test->second, name, arguments);
}
