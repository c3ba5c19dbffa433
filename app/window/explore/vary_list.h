#pragma once
// VaryList: which knobs a search varies. The others keep the value that they have now.

#include <QListWidget>

#include "engine/program/document.h"

namespace sluice::ui {

class VaryList : public QListWidget {
  Q_OBJECT

 public:
  /// All knobs of the document vary at first. `present`: the values that they have now.
  VaryList(const Document& document, const KnobValues& present, QWidget* parent = nullptr);

  /// The knobs that are not to vary, with their values.
  KnobValues fixed() const;

 signals:
  void changed();

 private:
  const std::vector<Knob> knobs_;
  const KnobValues present_;
};

}  // namespace sluice::ui
