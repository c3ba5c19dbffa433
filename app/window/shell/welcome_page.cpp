#include "app/window/shell/welcome_page.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>

#include "app/window/document/samples.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {

WelcomePage::WelcomePage(QWidget* parent)
    : QFrame(parent),
      samples_(list(QStringLiteral("welcomeSamples"), tr("Samples"))),
      recent_(list(QStringLiteral("welcomeRecent"), tr("Files opened last"))),
      tour_(new QPushButton(tr("Ta&ke the Tour (2 minutes)"))) {
  setObjectName(QStringLiteral("welcomePage"));
  setAutoFillBackground(true);
  auto* title =
      new QLabel(tr("<h2>Sluice</h2>Explore the design space of streaming tensor programs on spatial "
                    "dataflow accelerators."));
  title->setWordWrap(true);
  auto* open = new QPushButton(tr("&Open a Program\u2026"));
  auto* fresh = new QPushButton(tr("&New Program"));
  tour_->setObjectName(QStringLiteral("welcomeTour"));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(28, 20, 28, 20);
  grid->setSpacing(10);
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {tour_, open, fresh}) buttons->addWidget(button);
  buttons->addStretch();
  grid->addWidget(title, 0, 0, 1, 2);
  grid->addLayout(buttons, 1, 0, 1, 2);
  grid->addWidget(sectionTitle(tr("Samples")), 2, 0);
  grid->addWidget(sectionTitle(tr("Files opened last")), 2, 1);
  grid->addWidget(samples_, 3, 0);
  grid->addWidget(recent_, 3, 1);
  grid->setRowStretch(3, 1);
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 2);
  connect(tour_, &QPushButton::clicked, this, &WelcomePage::tourRequested);
  connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
  connect(fresh, &QPushButton::clicked, this, &WelcomePage::newRequested);
}

QListWidget* WelcomePage::list(const QString& name, const QString& accessible) {
  auto* made = new QListWidget;
  made->setObjectName(name);
  made->setAccessibleName(accessible);
  made->setFrameShape(QFrame::NoFrame);
  made->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(made, &QListWidget::itemActivated, this,
          [this](const QListWidgetItem* item) { emit fileChosen(item->data(Qt::UserRole).toString()); });
  connect(made, &QListWidget::itemClicked, this,
          [this](const QListWidgetItem* item) { emit fileChosen(item->data(Qt::UserRole).toString()); });
  return made;
}

void WelcomePage::setRecent(const QStringList& files) {
  recent_->clear();
  for (const QString& file : files) {
    auto* item = new QListWidgetItem(QFileInfo(file).fileName(), recent_);
    item->setToolTip(file);
    item->setData(Qt::UserRole, file);
  }
  if (files.isEmpty()) (new QListWidgetItem(tr("None yet."), recent_))->setFlags(Qt::NoItemFlags);
}

/// Reading the samples' titles waits until somebody looks.
void WelcomePage::showEvent(QShowEvent* event) {
  QFrame::showEvent(event);
  if (samples_->count() > 0) return;
  for (const Sample& sample : sluice::ui::samples()) {
    auto* item = new QListWidgetItem(sample.title, samples_);
    item->setToolTip(QStringLiteral("<p>%1</p>").arg(sample.description.toHtmlEscaped()));
    item->setData(Qt::UserRole, sample.file);
  }
}

}  // namespace sluice::ui
