// sluice-layout: Graphviz in a process of its own. It answers one request (widgets/canvas/layout_protocol.h)
// and exits; the window may kill it at any time, and takes it along when it ends.

#include <unistd.h>

#include <exception>
#include <iostream>
#include <iterator>

#include "app/layout/dot_layout.h"
#include "app/process/follow_parent.h"
#include "app/process/standard_output.h"

int main() {
  sluice::endWithParent();
  constexpr unsigned patience = 60;  // seconds
  alarm(patience);
  sluice::StandardOutput output;
  std::string problem;
  try {
    const std::string request(std::istreambuf_iterator<char>(std::cin), {});
    const auto graph = sluice::ui::layout_protocol::decodeGraph(request);
    const auto answer =
        graph ? sluice::ui::dotLayout(*graph) : sluice::Result<sluice::ui::LayoutResult>(graph.diagnostics());
    if (answer) std::cout << sluice::ui::layout_protocol::encode(*answer);
    const sluice::Result<sluice::Done> arrived = output.finish();
    if (answer && arrived) return 0;
    const sluice::Diagnostic& first = (answer ? arrived.diagnostics() : answer.diagnostics()).front();
    problem = text(first.place) + ": " + first.cause + " (" + first.fix + ")";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  std::cerr << "sluice-layout: " << problem << '\n';
  return 1;
}
