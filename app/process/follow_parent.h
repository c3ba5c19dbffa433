#pragma once
// Helper programs end when the program that started them does, however that ends.

namespace sluice {

/// For main() of a helper, before it reads its standard input: from now on the kernel kills it with its
/// parent. One whose parent is gone before that finds its input cut short.
void endWithParent();

}  // namespace sluice
