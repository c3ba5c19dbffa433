#include "widgets/export/table_picture.h"

#include <QAbstractItemModel>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/common/latex.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_rows = 60;  // of a picture
constexpr double cell_gap = 1.2;       // of the text size
constexpr double narrowest = 5;        // text sizes that are left of a column of words

struct TableRow {
  QStringList cells;
  int depth = 0;
};

/// The text of a model.
struct TableText {
  QStringList titles, notes;
  std::vector<bool> right;  ///< the column is aligned so
  std::vector<TableRow> rows;
  std::size_t left_out = 0;  ///< rows
};

bool isRight(const QVariant& alignment) {
  // Models give flags or their number.
  const auto flags = alignment.metaType() == QMetaType::fromType<Qt::Alignment>()
                         ? alignment.value<Qt::Alignment>()
                         : Qt::Alignment(alignment.toInt());
  return flags.testFlag(Qt::AlignRight);
}

void addRows(TableText& text, const QAbstractItemModel& model, const QModelIndex& parent, int depth) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    if (text.rows.size() == most_rows) {
      ++text.left_out;
    } else {
      TableRow made{{}, depth};
      for (int column = 0; column < model.columnCount(parent); ++column)
        made.cells << model.index(row, column, parent).data().toString();
      text.rows.push_back(made);
    }
    addRows(text, model, model.index(row, 0, parent), depth + 1);
  }
}

TableText textOf(const QAbstractItemModel& model, const TableLabels& labels) {
  TableText text;
  if (labels.notes) text.notes = labels.notes();
  for (int column = 0; column < model.columnCount(); ++column) {
    text.titles << model.headerData(column, Qt::Horizontal).toString();
    const QModelIndex first = model.index(0, column);
    text.right.push_back(isRight(first.data(Qt::TextAlignmentRole)));
  }
  addRows(text, model, {}, 0);
  return text;
}

/// Where everything stands, for one width of paper.
class TablePage {
 public:
  TablePage(TableText text, const PrintStyle& style)
      : text_(std::move(text)), theme_(PlotTheme::print(style)), metrics_(theme_.font), size_(style.text) {
    measure();
    fit(style.width);
  }

  double height() const {
    if (text_.rows.empty()) return 0;
    const auto lines = static_cast<double>(text_.rows.size() + 1);
    return std::ceil(noteHeight() + lines * line() + 6 * theme_.line_width + (tail().isEmpty() ? 0 : line()));
  }

  void paint(QPainter& painter, double width) const {
    if (text_.rows.empty()) return;  // its height is none
    painter.save();
    painter.setFont(theme_.font);
    painter.fillRect(QRectF(0, 0, width, height()), theme_.background);
    painter.setPen(theme_.text);
    double y = 0;
    for (const QString& note : text_.notes) {
      painter.drawText(QPointF(0, y + metrics_.ascent()), metrics_.elidedText(note, Qt::ElideRight, width));
      y += line();
    }
    y = noteHeight() + theme_.line_width;
    rule(painter, y, width, 1);
    write(painter, {text_.titles, 0}, y);
    y += line();
    rule(painter, y, width, 0.6);
    for (const TableRow& row : text_.rows) {
      write(painter, row, y);
      y += line();
    }
    rule(painter, y + theme_.line_width, width, 1);
    painter.setPen(theme_.muted);
    painter.drawText(QPointF(0, y + 4 * theme_.line_width + metrics_.ascent()), tail());
    painter.restore();
  }

 private:
  double line() const { return size_ * 1.5; }
  double noteHeight() const { return static_cast<double>(text_.notes.size()) * line(); }
  double indent(const TableRow& row) const { return row.depth * size_ * 1.5; }

  void measure() {
    for (qsizetype column = 0; column < text_.titles.size(); ++column) {
      double widest = metrics_.horizontalAdvance(text_.titles[column]);
      for (const TableRow& row : text_.rows)
        widest = std::max(
            widest, metrics_.horizontalAdvance(row.cells.value(column)) + (column == 0 ? indent(row) : 0));
      widths_.push_back(widest);
    }
  }

  double total() const {
    return std::accumulate(widths_.begin(), widths_.end(), 0.0) +
           cell_gap * size_ * static_cast<double>(widths_.size() - 1);
  }

  /// Words give way first; then the last columns go.
  void fit(double width) {
    const double least = narrowest * size_;
    while (!widths_.empty() && total() > width) {
      std::size_t longest = widths_.size();
      for (std::size_t i = 0; i < widths_.size(); ++i)
        if (!text_.right[i] && widths_[i] > least &&
            (longest == widths_.size() || widths_[i] > widths_[longest]))
          longest = i;
      if (longest < widths_.size()) {
        widths_[longest] = std::max(least, widths_[longest] - (total() - width));
        continue;
      }
      widths_.pop_back();
    }
    // What the dropped columns leave goes to the words again.
    if (!widths_.empty() && !text_.right[0]) widths_[0] += std::max(0.0, width - total());
  }

  QString tail() const {
    QStringList parts;
    const qsizetype columns = text_.titles.size() - static_cast<qsizetype>(widths_.size());
    if (text_.left_out > 0) parts << QObject::tr("%1 more rows").arg(text_.left_out);
    if (columns > 0) parts << QObject::tr("%1 more columns").arg(columns);
    return parts.isEmpty()
               ? QString()
               : QStringLiteral("\u2026 ") + parts.join(QStringLiteral(", ")) + QObject::tr(" in the CSV");
  }

  void rule(QPainter& painter, double y, double width, double weight) const {
    painter.setPen(QPen(theme_.axis, std::max(thinnest_stroke, theme_.line_width * weight)));
    painter.drawLine(QPointF(0, y), QPointF(width, y));
    painter.setPen(theme_.text);
  }

  void write(QPainter& painter, const TableRow& row, double top) const {
    double x = 0;
    const double baseline = top + (line() + metrics_.ascent() - metrics_.descent()) / 2;
    for (std::size_t column = 0; column < widths_.size(); ++column) {
      const double left = column == 0 ? indent(row) : 0;
      const QString cell = metrics_.elidedText(row.cells.value(static_cast<qsizetype>(column)),
                                               Qt::ElideMiddle, widths_[column] - left + 0.5);
      const double at =
          text_.right[column] ? x + widths_[column] - metrics_.horizontalAdvance(cell) : x + left;
      painter.drawText(QPointF(at, baseline), cell);
      x += widths_[column] + cell_gap * size_;
    }
  }

  TableText text_;
  PlotTheme theme_;
  QFontMetricsF metrics_;
  double size_;
  std::vector<double> widths_;  ///< of the columns that are shown
};

/// A tabular: LaTeX knows how wide its own fonts are, so no column is left out.
QString tabular(const TableText& text) {
  QString source = QStringLiteral("\\begin{tabular}{");
  for (const bool right : text.right) source += QLatin1Char(right ? 'r' : 'l');
  source += QStringLiteral("}\n");
  const auto row = [](const QStringList& cells, int depth) {
    QStringList parts;
    for (const QString& cell : cells) parts << latexText(cell);
    return (depth > 0 ? QStringLiteral("\\quad ") : QString()) + parts.join(QStringLiteral(" & ")) +
           QStringLiteral(" \\\\\n");
  };
  const auto across = [&](const QString& line) {
    return QStringLiteral("\\multicolumn{%1}{l}{%2} \\\\\n").arg(text.titles.size()).arg(latexText(line));
  };
  for (const QString& note : text.notes) source += across(note);
  source += QStringLiteral("\\hline\n") + row(text.titles, 0) + QStringLiteral("\\hline\n");
  for (const TableRow& each : text.rows) source += row(each.cells, each.depth);
  source += QStringLiteral("\\hline\n");
  if (text.left_out > 0) source += across(QObject::tr("\u2026 %1 more rows in the CSV").arg(text.left_out));
  return source + QStringLiteral("\\end{tabular}\n");
}

}  // namespace

Exportable exportable(const QAbstractItemModel& model, const TableLabels& labels,
                      std::function<QString()> csv) {
  Exportable made{labels.name, labels.title, {}, {}, std::move(csv), {}};
  made.height = [&model, labels](const PrintStyle& style) {
    return TablePage(textOf(model, labels), style).height();
  };
  made.paint = [&model, labels](QCPPainter& painter, QSizeF size, const PrintStyle& style) {
    TablePage(textOf(model, labels), style).paint(painter, size.width());
  };
  made.pgf = [&model, labels](QSizeF, const PrintStyle&) { return tabular(textOf(model, labels)); };
  return made;
}

}  // namespace sluice::ui
