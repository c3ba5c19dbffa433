#pragma once
// TikzDevice: a paint device that writes what is painted on it as a TikZ picture, so that every view can go
// into a LaTeX document with the document's own fonts. One unit is one point.

#include <QPaintDevice>
#include <QSizeF>
#include <QString>
#include <memory>

namespace sluice::ui {

class TikzDevice : public QPaintDevice {
 public:
  explicit TikzDevice(QSizeF size);
  ~TikzDevice() override;

  /// Complete once the painter has ended.
  QString text() const;
  /// Bitmaps that were painted; TikZ cannot hold them.
  int pictures() const;
  QPaintEngine* paintEngine() const override;

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  class Engine;
  QSizeF size_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace sluice::ui
