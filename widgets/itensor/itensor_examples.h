#pragma once
// The worked types of StreamTensor (Figure 5) and of the quiz on its slides, all over an 8x8 tensor.

#include <span>

namespace sluice::ui {

struct ITensorExample {
  const char* name;    ///< in tests and for looking it up
  const char* source;  ///< where it is from: "Figure 5(b)"
  const char* title;   ///< what it shows
  const char* type;
  const char* tensor;
};

std::span<const ITensorExample> itensorExamples();

}  // namespace sluice::ui
