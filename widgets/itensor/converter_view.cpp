#include "widgets/itensor/converter_view.h"

#include <QComboBox>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include "engine/itensor/converter_explanation.h"
#include "engine/itensor/itensor_text.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/page.h"
#include "widgets/plots/plot_theme.h"

namespace sluice::ui {
namespace {

double extent(std::span<const std::int64_t> shape, std::size_t dimension) {
  return dimension < shape.size() ? static_cast<double>(shape[dimension]) : 1;
}

/// Tokens in and out of the buffer for every iteration of the shared loops.
QString fillText(const Converter& converter, const ITensor& source, const ITensor& result) {
  std::int64_t iterations = 1;
  std::size_t shared = 0;
  for (const ITensorLoop& loop : source.loops)
    if (loop.trips > 1 && shared++ < converter.before_loop) iterations *= loop.trips;
  const QString words = QObject::tr("It fills with %1 tokens and drains %2")
                            .arg(tokenCount(source) / iterations)
                            .arg(tokenCount(result) / iterations);
  return iterations > 1 ? QObject::tr("%1, %2 times over.").arg(words).arg(iterations)
                        : words + QLatin1Char('.');
}

QString listItem(const QString& text) {
  return QStringLiteral("<p style='margin: 5px 0px 0px 0px'>%1</p>").arg(text);
}

QString orderTip(ConverterOrder order) {
  switch (order) {
    case ConverterOrder::OrderFree:
      return QObject::tr(
          "Loop by loop from the outermost, dimensions in any order: never larger than the others");
    case ConverterOrder::FirstDimension:
      return QObject::tr("Dimension by dimension from the first, as the published listing is printed");
    case ConverterOrder::LastDimension:
      break;
  }
  return QObject::tr("Dimension by dimension from the last, as on the slides");
}

}  // namespace

BufferDrawing::BufferDrawing(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("bufferDrawing"));
  setAccessibleName(tr("The buffer in the tensor"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BufferDrawing::setBuffer(const Converter& converter, const ITensor& source,
                              std::span<const std::int64_t> shape, const TensorSlice& slice) {
  shown_ = true;
  tensor_rows_ = extent(shape, slice.rows);
  tensor_columns_ = extent(shape, slice.columns);
  rows_ = extent(converter.buffer, slice.rows);
  columns_ = extent(converter.buffer, slice.columns);
  tile_rows_ = slice.rows < source.rank() ? static_cast<double>(source.extent(slice.rows)) : 1;
  tile_columns_ = slice.columns < source.rank() ? static_cast<double>(source.extent(slice.columns)) : 1;
  setAccessibleDescription(tr("%1 of %2")
                               .arg(QString::fromStdString(shapeText(converter.buffer)),
                                    QString::fromStdString(shapeText(shape))));
  update();
}

void BufferDrawing::clear() {
  shown_ = false;
  setAccessibleDescription({});
  update();
}

/// Of one element; tensor and second half stand side by side.
double BufferDrawing::pixels() const {
  return std::min({(width() - 60) / (tensor_columns_ + columns_), (height() - 44) / tensor_rows_, 18.0});
}

QRectF BufferDrawing::tensorRect() const {
  if (!shown_) return {};
  const double one = pixels(), wide = (tensor_columns_ + columns_) * one + 24;
  return {(width() - wide) / 2, 22, tensor_columns_ * one, tensor_rows_ * one};
}

QRectF BufferDrawing::halfRect() const {
  if (!shown_) return {};
  return {tensorRect().topLeft(), QSizeF(columns_ * pixels(), rows_ * pixels())};
}

void BufferDrawing::paintEvent(QPaintEvent*) {
  if (!shown_) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const PlotTheme theme = PlotTheme::screen(palette(), font());
  const QColor colour = theme.series(2).colour;
  const double one = pixels();
  const QRectF tensor = tensorRect(), half = halfRect();
  const QRectF other = half.translated(tensor.width() + 24, 0);
  painter.fillRect(tensor, theme.tinted(theme.text, 0.05));
  for (const QRectF& part : {half, other}) {
    painter.fillRect(part, theme.tinted(colour, 0.4));
    painter.setPen(QPen(theme.tinted(colour, 0.8), 1));
    if (one * std::min(tile_rows_, tile_columns_) >= 4) {
      for (double x = tile_columns_; x < columns_; x += tile_columns_)
        painter.drawLine(QLineF(part.left() + x * one, part.top(), part.left() + x * one, part.bottom()));
      for (double y = tile_rows_; y < rows_; y += tile_rows_)
        painter.drawLine(QLineF(part.left(), part.top() + y * one, part.right(), part.top() + y * one));
    }
    painter.setPen(QPen(colour, 2));
    painter.drawRect(part);
  }
  painter.setPen(QPen(theme.axis, 1.5));
  painter.drawRect(tensor);
  painter.setPen(theme.text);
  QFont small = theme.font;
  small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.85));
  painter.setFont(small);
  painter.drawText(QRectF(tensor.left() - 20, tensor.top() - 19, std::max(tensor.width() + 40, 120.0), 16),
                   Qt::AlignLeft, tr("     tensor"));
  painter.drawText(QRectF(other.left() - 4, tensor.top() - 19, 80, 16), Qt::AlignLeft, tr("other half"));
  painter.drawText(QRectF(tensor.left() - 20, tensor.bottom() + 3, width(), 16), Qt::AlignLeft,
                   tr("     one half: %1 \u00d7 %2").arg(rows_).arg(columns_));
}

ConverterView::ConverterView(QWidget* parent)
    : QWidget(parent),
      order_(new QComboBox),
      drawing_(new BufferDrawing),
      summary_(new QLabel),
      explanation_(new QLabel) {
  setObjectName(QStringLiteral("converterView"));
  order_->setObjectName(QStringLiteral("converterOrder"));
  order_->setAccessibleName(tr("How shared loops are looked for"));
  for (const ConverterOrder order :
       {ConverterOrder::OrderFree, ConverterOrder::FirstDimension, ConverterOrder::LastDimension}) {
    order_->addItem(QString::fromStdString(text(order)), static_cast<int>(order));
    order_->setItemData(order_->count() - 1, orderTip(order), Qt::ToolTipRole);
  }
  order_->setToolTip(tr("The order in which the inference takes the dimensions"));
  for (QLabel* label : {summary_, explanation_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  }
  summary_->setObjectName(QStringLiteral("converterSummary"));
  explanation_->setObjectName(QStringLiteral("converterExplanation"));
  explanation_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::MinimumExpanding);
  auto* row = new QHBoxLayout;
  QLabel* title = sectionTitle(tr("Layout con&verter"));
  title->setBuddy(order_);
  title->setContentsMargins(0, 0, 0, 0);
  row->addWidget(title);
  row->addStretch();
  row->addWidget(order_);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(explanation_);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 6, 10, 6);
  layout->setSpacing(8);
  layout->addLayout(row);
  layout->addWidget(summary_);
  layout->addWidget(drawing_);
  layout->addWidget(scroll, 1);
  connect(order_, &QComboBox::currentIndexChanged, this, &ConverterView::infer);
}

void ConverterView::setTypes(const ITensor* source, const ITensor* result,
                             const std::optional<std::vector<std::int64_t>>& shape,
                             const TensorSlice& slice) {
  source_ = source ? std::optional(*source) : std::nullopt;
  result_ = result ? std::optional(*result) : std::nullopt;
  shape_ = shape;
  slice_ = slice;
  infer();
}

void ConverterView::infer() {
  converter_.reset();
  drawing_->clear();
  drawing_->hide();
  summary_->clear();
  explanation_->clear();
  if (!source_ || !result_ || !shape_) {
    explanation_->setText(tr("Give both types: what is sent, and what is wanted."));
    return;
  }
  const auto order = static_cast<ConverterOrder>(order_->currentData().toInt());
  const Result<Converter> inferred = inferConverter(*source_, *result_, *shape_, order);
  if (!inferred) {
    summary_->setText(tr("<b>There is no converter</b>"));
    QString words;
    for (const Diagnostic& diagnostic : inferred.diagnostics()) words += listItem(richText(diagnostic));
    explanation_->setText(words);
    return;
  }
  converter_ = *inferred;
  explain(*source_, *result_);
}

void ConverterView::explain(const ITensor& source, const ITensor& result) {
  QString words = listItem(QString::fromStdString(prefixText(*converter_, source, result)).toHtmlEscaped());
  if (converter_->kind == ConverterKind::None) {
    summary_->setText(tr("<b>No converter</b>: the same stream"));
    explanation_->setText(words);
    return;
  }
  drawing_->setBuffer(*converter_, source, *shape_, slice_);
  drawing_->show();
  summary_->setText(tr("<b>%1</b> buffer in %2 shared %3, %4 with both halves (the whole tensor: %5)")
                        .arg(QString::fromStdString(shapeText(converter_->buffer)))
                        .arg(converter_->before_loop)
                        .arg(converter_->before_loop == 1 ? tr("loop") : tr("loops"))
                        .arg(bytesText(converter_->bytes), bytesText(converter_->whole_bytes)));
  words += listItem(fillText(*converter_, source, result));
  for (std::size_t k = 0; k < converter_->dimensions.size(); ++k) {
    words += listItem(
        tr("<b>Dimension %1</b>: %2")
            .arg(k)
            .arg(QString::fromStdString(dimensionText(*converter_, source, result, k)).toHtmlEscaped()));
  }
  explanation_->setText(words);
}

QString ConverterView::summary() const {
  return summary_->text();
}

QString ConverterView::explanation() const {
  return explanation_->text();
}

}  // namespace sluice::ui
