#pragma once
// FlowLayout: widgets beside each other, in as many lines as the width asks for. For tool bars of narrow
// panels, where a row of fixed widgets would be squeezed until they lie on each other.

#include <QLayout>

namespace sluice::ui {

class FlowLayout : public QLayout {
 public:
  explicit FlowLayout(QWidget* parent = nullptr);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override { items_.append(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;     ///< in one line
  QSize minimumSize() const override;  ///< of the widest
  void setGeometry(const QRect& area) override;

 private:
  /// Gives the height of all lines.
  int arrange(const QRect& area, bool move) const;

  QList<QLayoutItem*> items_;
};

}  // namespace sluice::ui
