#pragma once
// ConverterView: the layout converter between two types: its buffer drawn in the tensor, what it holds, and
// why it is as large as it is.

#include <QWidget>

#include "engine/itensor/converter.h"
#include "widgets/itensor/access_picture.h"

class QComboBox;
class QLabel;

namespace sluice::ui {

/// The tensor and both halves of the buffer, to one scale.
class BufferDrawing : public QWidget {
  Q_OBJECT

 public:
  explicit BufferDrawing(QWidget* parent = nullptr);

  void setBuffer(const Converter& converter, const ITensor& source, std::span<const std::int64_t> shape,
                 const TensorSlice& slice);
  void clear();
  /// Of the first half, in pixels; empty where there is no buffer.
  QRectF halfRect() const;
  QRectF tensorRect() const;
  QSize minimumSizeHint() const override { return {180, 120}; }
  QSize sizeHint() const override { return {240, 170}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double pixels() const;

  bool shown_ = false;
  double tensor_rows_ = 0, tensor_columns_ = 0, rows_ = 0, columns_ = 0, tile_rows_ = 1, tile_columns_ = 1;
};

class ConverterView : public QWidget {
  Q_OBJECT

 public:
  explicit ConverterView(QWidget* parent = nullptr);

  void setTypes(const ITensor* source, const ITensor* result,
                const std::optional<std::vector<std::int64_t>>& shape, const TensorSlice& slice);
  const std::optional<Converter>& converter() const { return converter_; }
  QString summary() const;
  QString explanation() const;
  BufferDrawing* drawing() const { return drawing_; }
  QComboBox* order() const { return order_; }

 private:
  void infer();
  void explain(const ITensor& source, const ITensor& result);

  std::optional<ITensor> source_, result_;
  std::optional<std::vector<std::int64_t>> shape_;
  TensorSlice slice_;
  std::optional<Converter> converter_;
  QComboBox* order_;
  BufferDrawing* drawing_;
  QLabel *summary_, *explanation_;
};

}  // namespace sluice::ui
