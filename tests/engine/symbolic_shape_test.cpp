// Shape rules: ragged dimensions absorb what is around them.

#include "engine/symbolic/shape.h"

#include <gtest/gtest.h>

namespace sluice::symbolic_shape_test {

Expr sym(const char* name) {
  return Expr::symbol(name);
}

TEST(SymbolicShape, CountsRegularElementsAsAProduct) {
  EXPECT_EQ(elementCount(symbolic::Shape{}), Expr(1));
  EXPECT_EQ(elementCount({Dim::fixed(2), Dim::fixed(3), Dim::fixed(4)}), Expr(24));
  EXPECT_EQ(elementCount({Dim::fixed(1), Dim::regular(sym("n")), Dim::fixed(sym("B"))}), sym("n") * sym("B"));
}

TEST(SymbolicShape, TheInnermostRaggedDimensionAbsorbsAllAround) {
  const Dim b = Dim::fixed(sym("B")), n = Dim::ragged(sym("n")), m = Dim::ragged(sym("m"));
  EXPECT_EQ(elementCount({b, n, Dim::fixed(4)}), sym("n") * 4);
  EXPECT_EQ(elementCount({b, n, m, Dim::regular(sym("r"))}), sym("m") * sym("r"));
  EXPECT_EQ(elementCount({b, n}), sym("n"));
}

TEST(SymbolicShape, FlatteningKeepsTheKind) {
  const Shape shape = {Dim::fixed(2), Dim::fixed(sym("B")), Dim::regular(sym("r")), Dim::ragged(sym("n")),
                       Dim::fixed(4)};
  EXPECT_EQ(flattened(shape, 0, 1), Dim::fixed(sym("B") * 2));
  EXPECT_EQ(flattened(shape, 1, 2), Dim::regular(sym("B") * sym("r")));
  EXPECT_EQ(flattened(shape, 2, 3), Dim::ragged(sym("n")));  // 2 and B are left to be ragged over
  EXPECT_EQ(flattened(shape, 3, 4), Dim::ragged(sym("n") * 4));
  EXPECT_EQ(flattened(shape, 0, 3), Dim::regular(sym("n")));  // nothing is left around it
  EXPECT_EQ(flattened(shape, 0, 4), Dim::regular(sym("n") * 4));
  EXPECT_EQ(flattened(shape, 4, 4), Dim::fixed(4));
  EXPECT_THROW(flattened(shape, 2, 1), std::out_of_range);
  EXPECT_THROW(flattened(shape, 0, 5), std::out_of_range);
}

TEST(SymbolicShape, FlatteningDoesNotChangeTheNumberOfElements) {
  const std::vector<Dim> kinds = {Dim::fixed(3), Dim::regular(sym("r")), Dim::ragged(sym("n"))};
  for (std::size_t code = 0; code < 81; ++code) {
    Shape shape;
    for (std::size_t i = 0, rest = code; i < 4; ++i, rest /= 3) shape.push_back(kinds[rest % 3]);
    for (std::size_t first = 0; first < 4; ++first) {
      for (std::size_t last = first; last < 4; ++last) {
        Shape flat(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(first));
        flat.push_back(flattened(shape, first, last));
        flat.insert(flat.end(), shape.begin() + static_cast<std::ptrdiff_t>(last) + 1, shape.end());
        EXPECT_EQ(elementCount(flat), elementCount(shape)) << text(shape) << " flattened to " << text(flat);
      }
    }
  }
}

TEST(SymbolicShape, PresenceIsImpliedByTheRunTimeDimensionsItEncloses) {
  const Expr n = sym("n");
  Dim presence = Dim::regular(min(n, 1));
  presence.presence = true;
  const Dim tiles = Dim::regular(ceilDiv(n, 4));
  EXPECT_EQ(flattened({presence, tiles, Dim::fixed(4)}, 0, 1), tiles);
  EXPECT_EQ(elementCount({presence, tiles, Dim::fixed(4)}), ceilDiv(n, 4) * 4);
  EXPECT_EQ(elementCount({presence}), min(n, 1));
  EXPECT_EQ(flattened({presence, Dim::fixed(8)}, 0, 1), Dim::regular(min(n, 1) * 8));
  EXPECT_EQ(flattened({presence}, 0, 0), presence);
}

TEST(SymbolicShape, ReadsAsText) {
  const Shape shape = {Dim::fixed(1), Dim::fixed(sym("B")), Dim::ragged(sym("n_0")),
                       Dim::ragged(sym("a") + 1)};
  EXPECT_EQ(text(shape), "[1, B, n_0~, (a + 1)~]");
  EXPECT_EQ(latex(shape), "[1, B, \\widetilde{n_{0}}, \\widetilde{a + 1}]");
  EXPECT_EQ(text(Shape{Dim::ragged(max(sym("a") + 1, sym("b")))}), "[max(a + 1, b)~]");
  EXPECT_EQ(text(Shape{}), "[]");
}

TEST(SymbolicShape, SubstitutesInEveryExtent) {
  const Shape shape = {Dim::fixed(sym("B")), Dim::ragged(ceilDiv(sym("n"), sym("B")))};
  EXPECT_EQ(substitute(shape, {{"B", Expr(4)}}), (Shape{Dim::fixed(4), Dim::ragged(ceilDiv(sym("n"), 4))}));
}

}  // namespace sluice::symbolic_shape_test
