#pragma once
// StreamPage: a stream in the inspector: its ends, depth, type, and how full its FIFOs got.

#include "widgets/inspector/page.h"
#include "widgets/inspector/parameter_editor.h"

class QPushButton;

namespace sluice::ui {

class StreamPage : public InspectorPage {
  Q_OBJECT

 public:
  StreamPage(const Document& document, std::string origin, QWidget* parent = nullptr);

  void showDocument(const Document& document) override;
  void showResults(const InspectedResults& results) override;

 signals:
  void depthEdited(const sluice::ui::DepthEdit& edit);

 private:
  void showTypes(const SymbolicResult& symbolic);
  void showCounts(const InspectedResults& results);

  std::string origin_;
  ParameterEditor* depth_ = nullptr;
  QPushButton* machine_depth_ = nullptr;
  QLabel *ends_ = nullptr, *shape_ = nullptr, *element_ = nullptr, *size_ = nullptr;
  QLabel *instances_ = nullptr, *tokens_ = nullptr, *fullest_ = nullptr;
};

}  // namespace sluice::ui
