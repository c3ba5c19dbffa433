// sluice-layout: Graphviz in a process of its own. It answers one request (widgets/canvas/layout_protocol.h)
// and exits; the window may kill it at any time.

#include <unistd.h>

#include <exception>
#include <iostream>
#include <iterator>

#include "app/layout/dot_layout.h"

int main() {
  constexpr unsigned patience = 60;  // seconds: a window that died cannot kill us, so we end by ourselves
  alarm(patience);
  std::string problem;
  try {
    const std::string request(std::istreambuf_iterator<char>(std::cin), {});
    const auto graph = sluice::ui::layout_protocol::decodeGraph(request);
    const auto answer =
        graph ? sluice::ui::dotLayout(*graph) : sluice::Result<sluice::ui::LayoutResult>(graph.diagnostics());
    if (answer) {
      std::cout << sluice::ui::layout_protocol::encode(*answer) << std::flush;
      return std::cout ? 0 : 1;
    }
    const sluice::Diagnostic& first = answer.diagnostics().front();
    problem = first.place + ": " + first.cause + " (" + first.mend + ")";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  std::cerr << "sluice-layout: " << problem << '\n';
  return 1;
}
