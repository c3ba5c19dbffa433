#pragma once
// ElidedLabel: a line of text that ends in dots where it has too little room, and is whole in its tooltip.
// What it says has no say in the layout around it, which so need not be done again whenever that changes.

#include <QWidget>

namespace sluice::ui {

class ElidedLabel : public QWidget {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);
  void setText(const QString& text);
  const QString& text() const { return text_; }
  QString shownText() const;  ///< as much of it as has room
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
};

}  // namespace sluice::ui
