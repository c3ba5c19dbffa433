#pragma once
// What a widget looks like, in numbers.

#include <QImage>
#include <QPixmap>
#include <QWidget>
#include <algorithm>

namespace sluice::ui {

/// Whether most of it is dark, as a picture of it has it.
inline bool looksDark(QWidget* widget) {
  const QImage picture = widget->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
  qint64 dark = 0;
  for (int y = 0; y < picture.height(); ++y)
    dark += std::count_if(picture.constScanLine(y), picture.constScanLine(y) + picture.width(),
                          [](uchar grey) { return grey < 128; });
  return 2 * dark > qint64{picture.width()} * picture.height();
}

}  // namespace sluice::ui
