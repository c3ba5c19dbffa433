#pragma once
// Members of figures that are typed as one text: "dominated, knee", "0, 5e6", "tile=16, ways=4". readField()
// is the inverse of fieldText(); false: the text is no such value.

#include <QCoreApplication>
#include <QString>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/program/figure.h"

namespace sluice::ui {

QString fieldText(const std::vector<std::string>& texts);
QString fieldText(const std::optional<Bounds>& bounds);
QString fieldText(const KnobValues& knobs);
bool readField(const QString& text, std::vector<std::string>& texts);
bool readField(const QString& text, std::optional<Bounds>& bounds);
bool readField(const QString& text, KnobValues& knobs);

/// What stands in an empty editor.
template <class T>
QString fieldHint() {
  if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return QCoreApplication::translate("sluice::ui::FieldForm", "names, separated by commas");
  else if constexpr (std::is_same_v<T, KnobValues>)
    return QCoreApplication::translate("sluice::ui::FieldForm", "the defaults; tile=16, ways=4");
  else
    return QCoreApplication::translate("sluice::ui::FieldForm", "all; 0, 5e6");
}

}  // namespace sluice::ui
