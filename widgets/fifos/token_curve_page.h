#pragma once
// TokenCurvePage: a stream between two kernels: their curves, what waits between them, and the depth that
// follows - all while the delay is dragged.

#include <QWidget>

#include "engine/tensor/sizing/timed_graph.h"

class QFormLayout;
class QLabel;
class QSpinBox;

namespace sluice::ui {

class FifoFields;
class KernelFields;
class TokenCurvePlot;

class TokenCurvePage : public QWidget {
  Q_OBJECT

 public:
  explicit TokenCurvePage(QWidget* parent = nullptr);

  /// A stream of a design, with the delay that a sizing gave it.
  void setStream(const TimedGraph& graph, std::size_t stream, std::int64_t delay, const FifoBehaviour& fifo,
                 Equalisation equalisation);

  /// The user has changed a field since setStream().
  bool isEdited() const { return edited_; }

  TokenCurvePlot* plot() const { return plot_; }
  /// What the fields say, as scheduled.
  const StreamTiming& timing() const { return timing_; }

 private:
  QWidget* buildFields();
  QWidget* buildResults();
  QLabel* result(QFormLayout& form, const QString& title, const char* name);
  void edit();
  void compute();
  void showResults();

  KernelFields *producer_, *consumer_;
  FifoFields* fifo_;
  QSpinBox *delay_, *longest_;
  TokenCurvePlot* plot_;
  QLabel *equation_one_ = nullptr, *equation_two_ = nullptr, *peak_ = nullptr, *depth_ = nullptr,
         *most_ = nullptr, *scheduled_ = nullptr;
  StreamTiming timing_;
  bool edited_ = false;
};

}  // namespace sluice::ui
