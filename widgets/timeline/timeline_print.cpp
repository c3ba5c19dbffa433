// TimelineView: what it puts on paper. Everything is lines and filled rectangles, patterns too, so that no
// format makes pixels of them.

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "widgets/common/quantity.h"
#include "widgets/plots/plot_theme.h"
#include "widgets/timeline/state_look.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {
namespace {

/// Sizes in points, all from that of the text.
struct Paper {
  double text, width;

  double line() const { return std::ceil(text * 1.35); }
  double mostNames() const { return std::min(width * 0.42, text * 26); }
  /// A figure may be a page high, and not much higher than wide in a column.
  std::size_t mostRows() const {
    return static_cast<std::size_t>(std::clamp(width * 1.2, 280.0, 600.0) / line());
  }
  double pitch() const { return text * 0.4; }  ///< between the strokes of a pattern
};

/// The strokes of a pattern that cross the cell; they meet those of the cells beside it.
void addStrokes(std::vector<QLineF>& lines, const QRectF& cell, Qt::BrushStyle pattern, double pitch) {
  const auto first = [pitch](double from) { return std::ceil(from / pitch) * pitch; };
  if (pattern == Qt::HorPattern)
    for (double y = first(cell.top()); y < cell.bottom(); y += pitch)
      lines.emplace_back(cell.left(), y, cell.right(), y);
  if (pattern == Qt::VerPattern)
    for (double x = first(cell.left()); x < cell.right(); x += pitch)
      lines.emplace_back(x, cell.top(), x, cell.bottom());
  if (pattern != Qt::BDiagPattern && pattern != Qt::DiagCrossPattern) return;
  const double step = pitch * 1.5;
  const auto next = [step](double from) { return std::ceil(from / step) * step; };
  for (double sum = next(cell.left() + cell.top()); sum < cell.right() + cell.bottom(); sum += step) {
    const double left = std::max(cell.left(), sum - cell.bottom()),
                 right = std::min(cell.right(), sum - cell.top());
    lines.emplace_back(left, sum - left, right, sum - right);
  }
  if (pattern != Qt::DiagCrossPattern) return;
  for (double gap = next(cell.left() - cell.bottom()); gap < cell.right() - cell.top(); gap += step) {
    const double left = std::max(cell.left(), gap + cell.top()),
                 right = std::min(cell.right(), gap + cell.bottom());
    lines.emplace_back(left, left - gap, right, right - gap);
  }
}

void drawStrokes(QPainter& painter, const std::vector<QLineF>& lines, ProcessState state) {
  if (lines.empty()) return;
  painter.setPen(QPen(stateLook(state, false).ink, thinnest_stroke, Qt::SolidLine, Qt::FlatCap));
  painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void drawState(QPainter& painter, const QRectF& cell, ProcessState state, double pitch) {
  const StateLook look = stateLook(state, false);
  painter.fillRect(cell, look.ground);
  std::vector<QLineF> lines;
  addStrokes(lines, cell, look.pattern, pitch);
  drawStrokes(painter, lines, state);
}

/// What the patterns mean, as many a line as fit. Without a painter only measured; returns the lines.
int legend(QPainter* painter, const QFontMetricsF& metrics, const Paper& paper, double top, bool fifos) {
  const double swatch = paper.text * 2.2, gap = paper.text * 0.5;
  double x = 0;
  int line = 0;
  const auto place = [&](const QString& name) {
    const double width = swatch + gap + metrics.horizontalAdvance(name) + 2 * gap;
    if (x > 0 && x + width > paper.width) {
      x = 0;
      ++line;
    }
    const QPointF at(x, top + line * paper.line());
    x += width;
    if (painter) {
      painter->setPen(Qt::black);
      painter->drawText(QRectF(at.x() + swatch + gap, at.y(), width, paper.line()), Qt::AlignVCenter, name);
    }
    return QRectF(at.x(), at.y() + paper.line() * 0.2, swatch, paper.line() * 0.6);
  };
  for (const ProcessState state : all_states) {
    if (state == ProcessState::Done) continue;
    const QRectF rect = place(stateName(state));
    if (painter) drawState(*painter, rect, state, paper.pitch());
  }
  if (!fifos) return line + 1;
  const QRectF rect = place(TimelineView::tr("FIFO from empty to full"));
  for (int i = 0; painter && i < 8; ++i)
    painter->fillRect(QRectF(rect.left() + rect.width() / 8 * i, rect.top(), rect.width() / 8, rect.height()),
                      fillColour(i / 7.0, false));
  return line + 1;
}

constexpr double around_rows = 1.4;    // lines: the ruler above, a gap below
constexpr double empty_below = 0.005;  // mean fill of a FIFO: its row would be white

bool isStream(const TimelineRow& row) {
  return row.kind == TimelineRow::Kind::Stream;
}

}  // namespace

/// How much there is to see in a row: the share of the time that its operators had not ended, the mean fill
/// of its FIFO.
double TimelineView::weightOf(const TimelineRow& row) const {
  if (isStream(row)) {
    const double mean = fillColumns(*run_.timeline, row.streams.front(), range_, 1).front().mean;
    return mean / static_cast<double>(std::max<std::uint64_t>(1, row.capacity));
  }
  const StateCycles cycles = stateColumns(*run_.timeline, row.processes, range_, 1).front();
  double busy = 0;
  for (const ProcessState state : all_states)
    if (state != ProcessState::Done) busy += static_cast<double>(cycles[static_cast<std::size_t>(state)]);
  return busy / static_cast<double>(std::max<std::size_t>(1, row.processes.size()));
}

/// Without the emptiest of the FIFOs, as many as are too many.
void TimelineView::dropEmptiest(std::vector<TimelineRow>& rows, std::size_t too_many) const {
  std::vector<std::pair<double, std::size_t>> fills;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (isStream(rows[i])) fills.emplace_back(weightOf(rows[i]), i);
  std::sort(fills.begin(), fills.end());
  fills.resize(std::min(fills.size(), too_many));
  std::set<std::size_t> dropped;
  for (const auto& [fill, row] : fills) dropped.insert(row);
  std::vector<TimelineRow> kept;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!dropped.contains(i)) kept.push_back(std::move(rows[i]));
  rows = std::move(kept);
}

/// What fits: without the emptiest FIFOs, with regions folded, and at last the busiest rows.
TimelineView::PaperRows TimelineView::paperRows(std::size_t lines) const {
  std::vector<TimelineRow> rows = rows_.shown();
  const std::size_t most = rows.size() <= lines ? rows.size() : std::max<std::size_t>(lines, 2) - 1;
  const auto drop = [&](const std::function<bool(const TimelineRow&)>& unwanted) {
    if (rows.size() > most) std::erase_if(rows, unwanted);
  };
  drop([this](const TimelineRow& row) { return isStream(row) && weightOf(row) < empty_below; });
  if (rows.size() > most) dropEmptiest(rows, rows.size() - most);
  int deepest = 0;
  for (const TimelineRow& row : rows) deepest = std::max(deepest, row.depth);
  for (; deepest > 0; --deepest) drop([deepest](const TimelineRow& row) { return row.depth >= deepest; });
  if (rows.size() > most) {
    std::vector<double> weights;
    for (const TimelineRow& row : rows) weights.push_back(weightOf(row));
    std::vector<double> sorted = weights;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most) - 1, sorted.end(),
                     std::greater<>());
    const double least = sorted[most - 1];
    std::vector<TimelineRow> kept;
    for (std::size_t i = 0; i < rows.size() && kept.size() < most; ++i)
      if (weights[i] >= least) kept.push_back(rows[i]);
    rows = std::move(kept);
  }
  PaperRows made{std::move(rows), {}};
  const auto count = [](const std::vector<TimelineRow>& of, bool streams) {
    return std::count_if(of.begin(), of.end(),
                         [streams](const TimelineRow& row) { return isStream(row) == streams; });
  };
  const auto streams = count(rows_.shown(), true) - count(made.rows, true);
  const auto others = count(rows_.shown(), false) - count(made.rows, false);
  QStringList parts;
  if (others > 0) parts << tr("%1 more operators").arg(others);
  if (streams > 0) parts << tr("%1 more FIFOs").arg(streams);
  if (!parts.isEmpty())
    made.left_out = QStringLiteral("\u2026 ") + parts.join(QStringLiteral(", ")) + tr(" in the CSV");
  return made;
}

/// Below its producer a stream needs only the name of its other end.
QString TimelineView::paperName(const PaperRows& paper, std::size_t index) const {
  const TimelineRow& row = paper.rows[index];
  if (!isStream(row)) return row.name;
  std::size_t above = index;
  while (above > 0 && isStream(paper.rows[above])) --above;
  const TimelineRow& producer = paper.rows[above];
  const QString arrow = QStringLiteral("\u2192 ");
  const auto at = row.name.indexOf(arrow);
  if (producer.kind != TimelineRow::Kind::Process || at < 0) return row.name;
  const auto& outputs = run_.graph->operators[producer.processes.front()].outputs;
  const bool below = std::find(outputs.begin(), outputs.end(), row.streams.front()) != outputs.end();
  return below ? row.name.mid(at) : row.name;
}

double TimelineView::paperHeight(const PrintStyle& style) const {
  const Paper paper{static_cast<double>(style.text), static_cast<double>(style.width)};
  const PaperRows rows = paperRows(paper.mostRows());
  const auto lines =
      static_cast<double>(std::max<std::size_t>(1, rows.rows.size()) + (rows.left_out.isEmpty() ? 0 : 1));
  const bool fifos = std::ranges::any_of(rows.rows, isStream);
  const int legends = legend(nullptr, QFontMetricsF(PlotTheme::print(style).font), paper, 0, fifos);
  return std::ceil(paper.line() * (lines + around_rows + legends));
}

/// A row's tracks as filled rectangles, as few as there are changes.
void TimelineView::printRow(QPainter& painter, const TimelineRow& row, const QRectF& tracks,
                            double pitch) const {
  const int columns = static_cast<int>(std::clamp(tracks.width() * 2, 1.0, 1200.0));
  const auto cell = [&](int from, int to, double top, double bottom) {
    const double width = tracks.width() / columns;
    return QRectF(tracks.left() + from * width, tracks.top() + top * tracks.height(), (to - from) * width,
                  (bottom - top) * tracks.height());
  };
  if (row.kind == TimelineRow::Kind::Stream) {
    const auto fills = fillColumns(*run_.timeline, row.streams.front(), range_, columns);
    const auto capacity = static_cast<double>(std::max<std::uint64_t>(1, row.capacity));
    const auto shade = [&](int i) {
      return std::lround(fills[static_cast<std::size_t>(i)].mean / capacity * 32);
    };
    for (int from = 0, to = 0; from < columns; from = to) {
      for (to = from + 1; to < columns && shade(to) == shade(from);) ++to;
      painter.fillRect(cell(from, to, 0, 1), fillColour(static_cast<double>(shade(from)) / 32, false));
    }
    return;
  }
  const auto states = stateColumns(*run_.timeline, row.processes, range_, columns);
  std::array<std::vector<QLineF>, all_states.size()> strokes;
  for (int from = 0, to = 0; from < columns; from = to) {
    const StateCycles& cycles = states[static_cast<std::size_t>(from)];
    for (to = from + 1; to < columns && states[static_cast<std::size_t>(to)] == cycles;) ++to;
    Cycles whole = 0, sum = 0;
    for (const Cycles each : cycles) whole += each;
    for (const ProcessState state : all_states) {
      const auto number = static_cast<std::size_t>(state);
      if (cycles[number] == 0 || state == ProcessState::Done) continue;
      const double before = static_cast<double>(sum) / static_cast<double>(whole);
      sum += cycles[number];
      const QRectF part =
          cell(from, to, 1 - static_cast<double>(sum) / static_cast<double>(whole), 1 - before);
      const StateLook look = stateLook(state, false);
      painter.fillRect(part, look.ground);
      addStrokes(strokes[number], part, look.pattern, pitch);
    }
  }
  for (const ProcessState state : all_states)
    drawStrokes(painter, strokes[static_cast<std::size_t>(state)], state);
}

void TimelineView::paintForPrint(QPainter& painter, const QSizeF& size, const PrintStyle& style) const {
  if (!run_) return;
  const int text = style.text;
  const Paper paper{static_cast<double>(text), size.width()};
  const double line = paper.line();
  painter.setFont(PlotTheme::print(style).font);
  const QFontMetricsF metrics(painter.font());
  const bool fifos = std::ranges::any_of(rows_.shown(), isStream);
  const double above = around_rows + legend(nullptr, metrics, paper, 0, fifos);
  const auto room = static_cast<std::size_t>(std::max(0.0, size.height() / line - above + 0.01));
  const PaperRows rows = paperRows(std::min(room, paper.mostRows()));
  const auto indent = [&](const TimelineRow& row) { return text * 0.6 * row.depth; };
  double names = metrics.horizontalAdvance(axisUnit(range_.to, QStringLiteral("cycles")).name);
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    names = std::max(names, indent(rows.rows[i]) + metrics.horizontalAdvance(paperName(rows, i)));
  names = std::min(names + text, paper.mostNames());
  double y = line * 1.2;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const TimelineRow& row = rows.rows[i];
    painter.setPen(Qt::black);
    painter.drawText(
        QRectF(indent(row), y, names - indent(row), line), Qt::AlignVCenter | Qt::AlignLeft,
        metrics.elidedText(paperName(rows, i), Qt::ElideMiddle, names - indent(row) - text * 0.5));
    const double thin = isStream(row) ? 0.28 : 0.12;
    printRow(painter, row, QRectF(names, y + line * thin, size.width() - names, line * (1 - 2 * thin)),
             paper.pitch());
    y += line;
  }
  printRuler(painter, names, size.width(), style);
  painter.setPen(Qt::black);
  painter.drawText(QRectF(0, y, size.width(), line), Qt::AlignVCenter | Qt::AlignLeft, rows.left_out);
  legend(&painter, metrics, paper, y + line * (rows.left_out.isEmpty() ? 0.2 : 1.2),
         std::ranges::any_of(rows.rows, isStream));
}

/// The scale of time above the rows; its unit stands above their names.
void TimelineView::printRuler(QPainter& painter, double names, double width, const PrintStyle& style) const {
  const double line = Paper{static_cast<double>(style.text), width}.line();
  const QFontMetricsF metrics(painter.font());
  const AxisUnit unit = axisUnit(range_.to, QStringLiteral("cycles"));
  painter.setPen(QPen(Qt::black, thinnest_stroke));
  painter.drawText(QRectF(0, 0, names, line), Qt::AlignVCenter | Qt::AlignLeft, unit.name);
  painter.drawLine(QPointF(names, line * 1.1), QPointF(width, line * 1.1));
  const double step = cycleTickStep(range_.length(), static_cast<int>((width - names) / (style.text * 7)));
  for (double tick = std::ceil(range_.from / step) * step; tick <= range_.to; tick += step) {
    const double x = names + (tick - range_.from) / range_.length() * (width - names);
    painter.drawLine(QPointF(x, line * 0.85), QPointF(x, line * 1.1));
    const QString label = QString::number(tick / unit.divisor, 'g', 6);
    const double room = metrics.horizontalAdvance(label);
    painter.drawText(QPointF(std::clamp(x - room / 2, names, width - room), line * 0.75), label);
  }
}

}  // namespace sluice::ui
