#pragma once
// The engine's texts (UTF-8) as Qt's.

#include <QString>
#include <string_view>

namespace sluice::ui {

inline QString qt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace sluice::ui
