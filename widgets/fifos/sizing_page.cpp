#include "widgets/fifos/sizing_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QUndoCommand>
#include <algorithm>
#include <functional>

#include "widgets/common/flow_layout.h"
#include "widgets/common/plain_table.h"
#include "widgets/fifos/fifo_fields.h"
#include "widgets/fifos/sizing_examples.h"
#include "widgets/fifos/sizing_model.h"
#include "widgets/fifos/timed_graph_view.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {
namespace {

constexpr int deepest = 1'000'000'000;

class DepthsCommand : public QUndoCommand {
 public:
  using Depths = std::vector<std::int64_t>;

  DepthsCommand(const QString& label, Depths before, Depths after, std::function<void(const Depths&)> apply)
      : QUndoCommand(label), before_(std::move(before)), after_(std::move(after)), apply_(std::move(apply)) {}
  void undo() override { apply_(before_); }
  void redo() override { apply_(after_); }

 private:
  Depths before_, after_;
  std::function<void(const Depths&)> apply_;
};

/// A line before each method, and a field for depths.
class SizingDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    painter->setPen(option.palette.color(QPalette::Mid));
    if (index.flags().testFlag(Qt::ItemIsEditable)) painter->drawRect(option.rect.adjusted(4, 2, -1, -3));
    if (index.data(SizingModel::GroupRole).toBool())
      painter->drawLine(option.rect.topLeft(), option.rect.bottomLeft());
  }
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
    auto* spin = new QSpinBox(parent);
    spin->setRange(0, deepest);
    spin->setFrame(false);
    spin->setAccessibleName(QObject::tr("Depth"));
    return spin;
  }
};

}  // namespace

SizingPage::SizingPage(QWidget* parent)
    : QWidget(parent),
      example_(new QComboBox),
      objective_(new QComboBox),
      scale_(new QSpinBox),
      fifo_(new FifoFields(Qt::Horizontal)),
      note_(noteLabel({})),
      verdict_(new QLabel),
      take_(new QPushButton(tr("&Take These Depths"))),
      view_(new TimedGraphView),
      model_(new SizingModel(this)),
      summary_model_(new SummaryModel(this)),
      table_(makeTable(model_, "sizingTable", tr("FIFOs"))),
      summary_(makeTable(summary_model_, "sizingSummary", tr("Methods"))) {
  setObjectName(QStringLiteral("sizingPage"));
  table_->setItemDelegate(new SizingDelegate(table_));
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                          QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
  auto* upper = new QSplitter(Qt::Horizontal);
  upper->addWidget(view_);
  upper->addWidget(buildComparison());
  upper->setSizes({560, 640});
  auto* parts = new QSplitter(Qt::Vertical);
  parts->addWidget(upper);
  parts->addWidget(table_);
  parts->setSizes({360, 300});
  for (QSplitter* splitter : {upper, parts}) {
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildOptions());
  layout->addWidget(parts, 1);
  connect(model_, &SizingModel::depthEdited, this,
          [this](int stream, qint64 depth) { setDepth(static_cast<std::size_t>(stream), depth); });
  connect(summary_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) showSizing(static_cast<std::size_t>(row.row()));
          });
  connect(
      table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
      [this](const QModelIndex& row) {
        view_->setSelected(row.isValid() ? std::optional(static_cast<std::size_t>(row.row())) : std::nullopt);
      });
  connect(table_->verticalHeader(), &QHeaderView::sectionDoubleClicked, this, &SizingPage::requestCurves);
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    if (!index.flags().testFlag(Qt::ItemIsEditable)) requestCurves(index.row());
  });
  connect(view_, &TimedGraphView::streamChosen, table_, [this](int stream) {
    table_->selectRow(stream);
    table_->scrollTo(model_->index(stream, 0));
  });
  setDesigns({});
  chooseDesign(0);
}

QWidget* SizingPage::buildOptions() {
  example_->setObjectName(QStringLiteral("sizingExample"));
  example_->setAccessibleName(tr("Design"));
  scale_->setObjectName(QStringLiteral("delayScale"));
  scale_->setAccessibleName(tr("Initial delays times"));
  scale_->setToolTip(
      tr("All initial delays are multiplied by this: rounding depths up hides less of long delays"));
  scale_->setRange(1, 1000);
  scale_->setPrefix(QStringLiteral("\u00d7"));
  objective_->setObjectName(QStringLiteral("sizingObjective"));
  objective_->setAccessibleName(tr("Minimise"));
  objective_->addItem(tr("Total delay"), static_cast<int>(SizingObjective::TotalDelay));
  objective_->addItem(tr("Total bytes"), static_cast<int>(SizingObjective::TotalBytes));
  objective_->setToolTip(tr("What the two optimising methods minimise"));
  connect(example_, &QComboBox::currentIndexChanged, this, [this](int index) {
    picked_ = true;
    chooseDesign(index);
  });
  connect(scale_, &QSpinBox::valueChanged, this, &SizingPage::scaleDelays);
  connect(objective_, &QComboBox::currentIndexChanged, this, &SizingPage::compute);
  connect(fifo_, &FifoFields::edited, this, &SizingPage::compute);
  auto* row = new QWidget;
  auto* layout = new FlowLayout(row);
  layout->setContentsMargins(10, 8, 10, 8);
  layout->setSpacing(12);
  const auto labelled = [layout](const QString& text, QWidget* field) {
    auto* label = new QLabel(text);
    label->setBuddy(field);
    auto* pair = new QWidget;
    auto* inside = new QHBoxLayout(pair);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->addWidget(label);
    inside->addWidget(field);
    layout->addWidget(pair);
  };
  labelled(tr("&Design"), example_);
  labelled(tr("Dela&ys"), scale_);
  labelled(tr("&Minimise"), objective_);
  layout->addWidget(fifo_);
  return row;
}

QWidget* SizingPage::buildComparison() {
  verdict_->setObjectName(QStringLiteral("sizingVerdict"));
  verdict_->setAccessibleName(tr("Whether it runs"));
  verdict_->setWordWrap(true);
  verdict_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setContentsMargins(10, 6, 10, 4);
  note_->setObjectName(QStringLiteral("sizingNote"));
  note_->setContentsMargins(10, 6, 10, 2);
  take_->setObjectName(QStringLiteral("takeDepths"));
  take_->setToolTip(tr("Make the depths of the selected method those by hand"));
  take_->setAutoDefault(false);
  connect(take_, &QPushButton::clicked, this, [this] {
    setDepths(depthsOf(sizings_[shown_]), tr("Take the depths of %1").arg(sizings_[shown_].name));
  });
  auto* foot = new QWidget;
  auto* buttons = new FlowLayout(foot);
  buttons->setContentsMargins(10, 4, 10, 8);
  buttons->addWidget(take_);
  for (QAction* action :
       {undo_.createUndoAction(this, tr("Undo")), undo_.createRedoAction(this, tr("Redo"))}) {
    auto* button = new QPushButton(action->text());
    button->setObjectName(action->text().startsWith(tr("Undo")) ? QStringLiteral("undoDepth")
                                                                : QStringLiteral("redoDepth"));
    button->setAutoDefault(false);
    button->setEnabled(action->isEnabled());
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [button, action] {
      button->setText(action->text());
      button->setEnabled(action->isEnabled());
    });
    buttons->addWidget(button);
  }
  auto* side = new QWidget;
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(note_);
  layout->addWidget(summary_, 1);
  layout->addWidget(verdict_);
  layout->addWidget(foot);
  return side;
}

QTableView* SizingPage::makeTable(QAbstractItemModel* model, const char* name, const QString& title) {
  auto* table = new QTableView;
  table->setObjectName(QString::fromLatin1(name));
  table->setAccessibleName(title);
  table->setModel(model);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  makePlain(*table);
  return table;
}

SizingOptions SizingPage::options() const {
  SizingOptions options;
  options.equalisation = fifo_->equalisation();
  options.fifo = fifo_->fifo();
  options.objective = static_cast<SizingObjective>(objective_->currentData().toInt());
  return options;
}

void SizingPage::setDesigns(std::vector<SizingExample> designs) {
  const QString chosen = example_->currentText();
  // The program's designs change under the user's hands; the examples do not.
  const bool changes = example_->currentIndex() < designs_given_;
  designs_given_ = static_cast<int>(designs.size());
  designs_ = std::move(designs);
  for (SizingExample& example : sizingExamples()) designs_.push_back(std::move(example));
  {
    const QSignalBlocker quiet(example_);
    example_->clear();
    for (const SizingExample& design : designs_) example_->addItem(design.name);
    // Until the user picks one, the page is about the open program.
    example_->setCurrentIndex(picked_ ? std::max(0, example_->findText(chosen)) : 0);
  }
  if (changes || example_->currentText() != chosen) chooseDesign(example_->currentIndex());
}

void SizingPage::choose(const QString& design) {
  const int index = example_->findText(design);
  picked_ = true;
  if (index == example_->currentIndex()) return chooseDesign(index);
  example_->setCurrentIndex(index);
}

void SizingPage::chooseDesign(int index) {
  const auto which = static_cast<std::size_t>(index);
  if (which >= designs_.size()) return;
  const SizingExample& design = designs_[which];
  // Compiled anew, it keeps what the user has set meanwhile.
  if (design.options && design.name != chosen_) setOptions(*design.options);
  chosen_ = design.name;
  setGraph(design.graph, design.note);
}

void SizingPage::setOptions(const SizingOptions& options) {
  const QSignalBlocker quiet(objective_);
  objective_->setCurrentIndex(objective_->findData(static_cast<int>(options.objective)));
  fifo_->set(options.fifo, options.equalisation);
}

void SizingPage::setGraph(const TimedGraph& graph, const QString& note) {
  plain_ = graph;
  note_->setText(
      (note.isEmpty() ? QString() : note + QLatin1Char(' ')) +
      tr("Depths by hand are edited in the table; a double click elsewhere shows a FIFO's token curves."));
  by_hand_.clear();
  undo_.clear();
  shown_ = 0;
  scaleDelays();
}

void SizingPage::scaleDelays() {
  graph_ = plain_;
  for (TimedKernel& kernel : graph_.kernels) kernel.curve.initial_delay *= scale_->value();
  view_->setGraph(graph_);
  compute();
}

void SizingPage::compute() {
  simulated_ = false;
  if (graph_.kernels.size() > most_kernels || graph_.streams.size() > most_streams) {
    sizings_.clear();
    by_hand_.clear();
    take_->setEnabled(false);
    view_->setDepths({}, {});
    verdict_->setText(tr("The design has %1 kernels and %2 FIFOs: more than %3 and %4 are sized by "
                         "<tt>sluice-cli size-fifos</tt> only.")
                          .arg(graph_.kernels.size())
                          .arg(graph_.streams.size())
                          .arg(most_kernels)
                          .arg(most_streams));
  } else {
    sizings_ = compareSizings(graph_, options());
    // By hand one begins with what needs no fixing.
    if (undo_.count() == 0) by_hand_ = depthsOf(sizings_[1]);
    sizings_.emplace_back();
  }
  check();
  emit simulationWanted();
}

/// Only what depends on the depths by hand.
void SizingPage::check() {
  if (!sizings_.empty()) sizings_.back() = sizedByHand(graph_, by_hand_, options());
  showTables();
}

void SizingPage::showTables() {
  model_->show(graph_, sizings_);
  summary_model_->show(sizings_);
  table_->resizeColumnsToContents();
  summary_->resizeColumnsToContents();
  summary_->horizontalHeader()->setStretchLastSection(true);
  if (!sizings_.empty()) showSizing(std::min(shown_, sizings_.size() - 1));
}

void SizingPage::showSizing(std::size_t sizing) {
  shown_ = sizing;
  const ComparedSizing& shown = sizings_[sizing];
  const FifoConflict* conflict = shown.conflict();
  view_->setDepths(depthsOf(shown), conflict ? std::optional(*conflict) : std::nullopt);
  verdict_->setText(QStringLiteral("<b>%1</b>: %2").arg(shown.name, verdictText(shown, graph_)));
  take_->setEnabled(!shown.by_hand && shown.failed.empty());
  const QSignalBlocker quiet(summary_->selectionModel());
  summary_->selectRow(static_cast<int>(sizing));
  summary_->viewport()->update();
}

void SizingPage::setDepth(std::size_t stream, std::int64_t depth) {
  if (stream >= by_hand_.size()) return;
  std::vector<std::int64_t> depths = by_hand_;
  depths[stream] = depth;
  setDepths(depths,
            tr("Set the depth of %1").arg(QString::fromStdString(nameOf(graph_, graph_.streams[stream]))));
}

void SizingPage::setDepths(const std::vector<std::int64_t>& depths, const QString& label) {
  if (depths == by_hand_ || sizings_.empty() || depths.size() != graph_.streams.size()) return;
  picked_ = true;
  undo_.push(new DepthsCommand(label, by_hand_, depths,
                               [this](const std::vector<std::int64_t>& wanted) { applyDepths(wanted); }));
}

void SizingPage::applyDepths(const std::vector<std::int64_t>& depths) {
  by_hand_ = depths;
  shown_ = sizings_.size() - 1;
  check();
  emit simulationWanted();
}

void SizingPage::setSimulated(const std::vector<std::optional<SimulatedFifos>>& runs,
                              const std::optional<SimulatedSizing>& found) {
  if (sizings_.empty()) return;
  for (std::size_t sizing = 0; sizing < std::min(runs.size(), sizings_.size()); ++sizing) {
    sizings_[sizing].simulated = runs[sizing];
    if (runs[sizing]) sizings_[sizing].stalls = stallsOf(graph_, *runs[sizing]);
  }
  if (found && !simulated_) {
    const bool hand_shown = shown_ + 1 == sizings_.size();
    sizings_.insert(sizings_.end() - 1, sizedBySimulation(graph_, *found, options()));
    simulated_ = true;
    if (hand_shown) shown_ = sizings_.size() - 1;
  }
  showTables();
}

bool SizingPage::showsGiven() const {
  return example_->currentIndex() < designs_given_;
}

std::optional<std::size_t> SizingPage::deepest() const {
  if (sizings_.empty() || depthsOf(sizings_[1]).empty()) return std::nullopt;
  const std::vector<std::int64_t> depths = depthsOf(sizings_[1]);
  return static_cast<std::size_t>(std::ranges::max_element(depths) - depths.begin());
}

void SizingPage::requestCurves(int stream) {
  if (sizings_.empty()) return;
  const auto row = static_cast<std::size_t>(stream);
  if (row < sizings_[1].fifos.size()) emit curvesRequested(stream, delayOf(row));
}

std::int64_t SizingPage::delayOf(std::size_t stream) const {
  const ComparedSizing& shown = sizings_[shown_];
  const ComparedSizing& source = shown.has_delays && shown.failed.empty() ? shown : sizings_[1];
  return source.fifos.at(stream).delay;
}

QString SizingPage::verdict() const {
  return verdict_->text();
}

}  // namespace sluice::ui
