#pragma once
// FrontierPlot: the depths of two FIFOs, one along each axis: where the run ends, where it deadlocks
// (hatched, crosses), the steps between the two, and where the program stands.

#include <QList>

#include "widgets/plots/plot.h"

namespace sluice::ui {

struct FrontierCell {
  int first = 0, second = 0;
  bool ends = false;
};

struct FrontierCorner {
  int first = 0, second = 0;
  double bytes = 0;
  qint64 cycles = 0;
};

struct FrontierPicture {
  QString first, second;  ///< names of the FIFOs
  int first_now = 0, second_now = 0, up_to = 0;
  QList<FrontierCell> cells;
  QList<FrontierCorner> corners;
};

class FrontierPlot : public Plot {
  Q_OBJECT

 public:
  explicit FrontierPlot(QWidget* parent = nullptr);

  void clear(const QString& message);
  void setPicture(const FrontierPicture& picture);
  const FrontierPicture& picture() const { return picture_; }
  QString csv() const override;

 protected:
  void restyle() override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  FrontierPicture picture_;
  QCPGraph *edge_, *locked_, *ending_, *corners_, *now_;
};

}  // namespace sluice::ui
