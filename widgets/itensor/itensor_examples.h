#pragma once
// The worked types of StreamTensor (Figure 5) and of the quiz on its slides, all over an 8x8 tensor.

#include <span>

namespace sluice::ui {

struct ITensorExample {
  const char* name;   ///< on its button
  const char* title;  ///< what it shows
  const char* type;
  const char* tensor;
};

std::span<const ITensorExample> itensorExamples();

}  // namespace sluice::ui
