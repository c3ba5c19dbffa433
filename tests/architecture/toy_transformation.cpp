// A toy transformation.

#include "tests/architecture/toys.h"

namespace sluice::toys {
namespace {

Result<Done> apply(Rewrite& rewrite, const Arguments& arguments) {
  for (Stream& stream : rewrite.document.program.streams) stream.depth = arguments.written("depth");
  return Done{};
}

}  // namespace

const Transformation& depth() {
  static const Transformation definition{{.name = "toy_depth",
                                          .summary = "Gives every FIFO one depth.",
                                          .paper = "a test",
                                          .arguments = {integerArgument("depth", "tokens")},
                                          .effect = "Shapes stay."},
                                         apply};
  return definition;
}

}  // namespace sluice::toys
