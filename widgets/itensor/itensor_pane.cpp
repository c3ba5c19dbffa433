#include "widgets/itensor/itensor_pane.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include "widgets/common/plain_table.h"
#include "widgets/itensor/itensor_examples.h"
#include "widgets/itensor/tensor_grid.h"
#include "widgets/itensor/token_model.h"
#include "widgets/itensor/type_facts.h"
#include "widgets/itensor/type_field.h"

namespace sluice::ui {

ITensorPane::ITensorPane(const QString& title, QWidget* parent)
    : QWidget(parent),
      field_(new TypeField(title)),
      grid_(new TensorGrid),
      position_(new QLabel),
      facts_(new TypeFacts),
      model_(new TokenModel(this)),
      tokens_(makeTable()) {
  grid_->setAccessibleName(tr("%1: order of access").arg(title));
  position_->setObjectName(QStringLiteral("tokenPosition"));
  position_->setAccessibleName(tr("%1: the token it stands at").arg(title));
  position_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  position_->setContentsMargins(10, 4, 10, 4);
  position_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* scroll = new QScrollArea;
  scroll->setWidget(facts_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* details = new QTabWidget;
  details->setDocumentMode(true);
  details->tabBar()->setDrawBase(false);
  details->addTab(scroll, tr("Quantities"));
  details->addTab(tokens_, tr("Tokens"));
  auto* drawing = new QWidget;
  auto* drawn = new QVBoxLayout(drawing);
  drawn->setContentsMargins(0, 0, 0, 0);
  drawn->setSpacing(0);
  drawn->addWidget(grid_, 1);
  drawn->addWidget(position_);
  auto* parts = new QSplitter(Qt::Vertical);
  parts->setHandleWidth(1);
  parts->setChildrenCollapsible(false);
  parts->addWidget(drawing);
  parts->addWidget(details);
  parts->setStretchFactor(0, 1);
  parts->setSizes({400, 212});
  auto* top = new QVBoxLayout;
  top->setContentsMargins(10, 6, 10, 6);
  top->setSpacing(4);
  top->addWidget(titleRow(title));
  top->addWidget(field_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(parts, 1);
  connect(field_, &TypeField::typeChanged, this, &ITensorPane::typeChanged);
  connect(grid_, &TensorGrid::tokenChosen, this, &ITensorPane::tokenChosen);
  connect(tokens_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) emit tokenChosen(row.row());
          });
}

QWidget* ITensorPane::titleRow(const QString& title) {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  auto* name = new QLabel(title);
  QFont bold = name->font();
  bold.setBold(true);
  name->setFont(bold);
  layout->addWidget(name);
  layout->addStretch();
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("examples"));
  button->setText(tr("Examples"));
  button->setAccessibleName(tr("%1: worked examples").arg(title));
  button->setToolTip(tr("Types that the paper and its slides work out"));
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(exampleMenu(button));
  layout->addWidget(button);
  return row;
}

QMenu* ITensorPane::exampleMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  menu->setToolTipsVisible(true);
  for (const ITensorExample& example : itensorExamples()) {
    const QString name = QString::fromLatin1(example.name), type = QString::fromLatin1(example.type);
    QAction* action = menu->addAction(
        tr("%1: %2").arg(QString::fromLatin1(example.source), QString::fromLatin1(example.title)));
    action->setObjectName(QStringLiteral("example.") + name);
    action->setToolTip(type);
    connect(action, &QAction::triggered, this, [this, type, tensor = QString::fromLatin1(example.tensor)] {
      emit exampleChosen(tensor);
      field_->setText(type);
    });
  }
  return menu;
}

QTableView* ITensorPane::makeTable() {
  auto* table = new QTableView;
  table->setObjectName(QStringLiteral("tokenTable"));
  table->setAccessibleName(tr("Tokens of the stream"));
  table->setModel(model_);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  makePlain(*table);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  return table;
}

void ITensorPane::setTypeText(const QString& text) {
  field_->setText(text);
}

const ITensor* ITensorPane::type() const {
  return field_->type() ? &*field_->type() : nullptr;
}

void ITensorPane::show(const std::optional<std::vector<std::int64_t>>& shape, const TensorSlice& slice) {
  const ITensor* written = type();
  model_->setType(field_->type());
  const bool drawable = written && shape && shape->size() == written->rank();
  facts_->setType(written, shape);
  if (!drawable) {
    grid_->clear(
        !written ? field_->text().trimmed().isEmpty() ? tr("Type an iterative tensor, or take an example.")
                                                      : tr("The type cannot be read yet.")
        : !shape ? tr("The offsets do not begin at 0: give the tensor's shape.")
                 : tr("The tensor has %1 dimensions, the type %2.").arg(shape->size()).arg(written->rank()));
    return;
  }
  AccessPicture picture = accessPicture(*written, *shape, slice);
  if (picture.places.empty()) {
    grid_->clear(picture.complete
                     ? tr("No token meets this slice.")
                     : tr("The first %1 tokens do not meet this slice.").arg(most_walked_tokens));
    return;
  }
  grid_->setPicture(std::move(picture), tr("dimension %1").arg(slice.rows),
                    tr("dimension %1").arg(slice.columns));
}

void ITensorPane::setPosition(std::int64_t token) {
  const ITensor* written = type();
  if (!written) return position_->clear();
  const std::int64_t count = tokenCount(*written);
  grid_->setPosition(token);
  if (token >= count) {
    position_->setText(tr("all %1 tokens are sent").arg(count));
    tokens_->clearSelection();
    return;
  }
  const TokenText text = tokenText(*written, token);
  position_->setText(tr("token <b>%1</b> of %2 &nbsp; iteration <b>%3</b> &nbsp; offset <b>%4</b>")
                         .arg(token)
                         .arg(count)
                         .arg(text.iteration, text.offset));
  const QSignalBlocker quiet(tokens_->selectionModel());
  if (token < model_->rowCount()) tokens_->selectRow(static_cast<int>(token));
  tokens_->viewport()->update();
}

void ITensorPane::setMarked(std::optional<std::int64_t> token) {
  grid_->setMarked(token);
  model_->setMarked(token);
}

QString ITensorPane::positionText() const {
  return position_->text();
}

}  // namespace sluice::ui
