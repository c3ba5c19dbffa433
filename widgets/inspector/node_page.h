#pragma once
// NodePage: an operator or region in the inspector. The form is generated from the operator's spec.

#include <map>

#include "engine/program/operator_spec.h"
#include "widgets/inspector/page.h"
#include "widgets/inspector/parameter_editor.h"

class QVBoxLayout;

namespace sluice::ui {

class StallBar;

class NodePage : public InspectorPage {
  Q_OBJECT

 public:
  /// `spec` is null for a region and for an unknown kind.
  NodePage(const Document& document, std::string path, const OperatorSpec* spec, QWidget* parent = nullptr);

  void showDocument(const Document& document) override;
  void showResults(const InspectedResults& results) override;

 signals:
  void parameterEdited(const sluice::ui::ParameterEdit& edit);
  /// A region's number of instances.
  void countEdited(const sluice::ui::ParameterEdit& edit);

 private:
  void addHeader(const Node& node, QVBoxLayout& layout);
  void addParameters(const Document& document, QVBoxLayout& layout);
  void addRegion(const Document& document, const Region& region, QVBoxLayout& layout);
  void addPorts(QVBoxLayout& layout);
  void addCosts(QVBoxLayout& layout);
  void showPorts(const SymbolicResult& symbolic);
  void showCosts(const SymbolicResult& symbolic);
  void showStalls(const InspectedResults& results);

  std::string path_;
  const OperatorSpec* spec_;
  std::map<std::string, ParameterEditor*> editors_;
  ParameterEditor* count_ = nullptr;
  std::map<std::string, QLabel*> ports_;  ///< "in.NAME", "out.NAME"
  QLabel *on_chip_ = nullptr, *off_chip_ = nullptr, *flops_ = nullptr, *compute_ = nullptr,
         *instances_ = nullptr;
  StallBar* stalls_ = nullptr;
};

}  // namespace sluice::ui
