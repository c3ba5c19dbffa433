#pragma once
// DocumentSummary: constants, machine and inputs of the document in a few lines.

#include <QLabel>

#include "engine/program/document.h"

namespace sluice::ui {

class DocumentSummary : public QLabel {
  Q_OBJECT

 public:
  explicit DocumentSummary(QWidget* parent = nullptr);
  void setDocument(const Document& document);
};

}  // namespace sluice::ui
