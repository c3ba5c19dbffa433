#pragma once
// TypeFacts: the quantities that follow from a type: tokens, sizes, coverage of a tensor.

#include <QWidget>
#include <vector>

#include "engine/itensor/itensor.h"

class QLabel;

namespace sluice::ui {

class TypeFacts : public QWidget {
  Q_OBJECT

 public:
  explicit TypeFacts(QWidget* parent = nullptr);

  /// Against a tensor of `shape`, if there is one.
  void setType(const ITensor* type, const std::optional<std::vector<std::int64_t>>& shape);
  /// "tokens", "tokenSize", "stream", "tensor", "coverage", "revisit", "tiling", "canonical".
  QString value(const QString& name) const;

 private:
  QLabel* row(const QString& title, const char* name);

  QLabel *tokens_, *token_size_, *stream_, *tensor_, *coverage_, *revisit_, *tiling_, *canonical_;
};

}  // namespace sluice::ui
