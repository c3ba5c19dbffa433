#include "app/window/explore/store_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/window/document/save_file_dialog.h"
#include "app/window/explore/recent_stores.h"
#include "engine/core/atomic_file.h"
#include "engine/core/cancelled.h"
#include "engine/explorer/store/json_lines.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

using Path = std::filesystem::path;

Path pathOf(const QString& file) {
  return QFile::encodeName(file).toStdString();
}

QString titleOf(const ExplorationRecord& record) {
  return qt(record.title.empty() ? record.file : record.title);
}

QString joined(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << qt(name);
  return list.join(QStringLiteral(", "));
}

Result<std::vector<ExplorationRecord>> explorationsOf(const Path& file) {
  SLUICE_TRY(ResultStore store, ResultStore::open(file, ResultStore::Access::Read));
  return store.explorations();
}

/// In the order of the exploration's visits.
Result<std::vector<DesignPoint>> pointsOf(const Path& file, const ExplorationRecord& record,
                                          const std::stop_token& stop) {
  SLUICE_TRY(ResultStore store, ResultStore::open(file, ResultStore::Access::Read));
  std::vector<DesignPoint> points;
  points.reserve(record.points);
  SLUICE_CHECK(store.visits(record, [&](const Visit& visit) -> Result<Done> {
    if (stop.stop_requested()) return cancelledDiagnostic();
    points.push_back(visit.point);
    return Done{};
  }));
  return points;
}

Result<MergeReport> merged(const Path& file, const Path& other) {
  SLUICE_TRY(ResultStore store, ResultStore::open(file, ResultStore::Access::Write));
  return mergeFile(store, other);
}

Result<Done> exported(const Path& file, std::optional<std::int64_t> exploration, const Path& target) {
  SLUICE_TRY(ResultStore store, ResultStore::open(file, ResultStore::Access::Read));
  return writeFileAtomically(target, [&](const ByteSink& sink) {
    return target.extension() == ".jsonl" ? writeJsonLines(store, exploration, sink)
                                          : store.writeCsv(exploration, sink);
  });
}

}  // namespace

StoreDialog::StoreDialog(QWidget* parent)
    : QDialog(parent),
      recent_(new QComboBox),
      name_(new QLabel),
      status_(new QLabel),
      list_(new QTreeWidget),
      choose_(new QPushButton(tr("&Store…"))),
      merge_(new QPushButton(tr("&Merge with…"))),
      export_(new QPushButton(tr("E&xport…"))),
      open_(new QPushButton(tr("Show &Points"))) {
  setObjectName(QStringLiteral("storeDialog"));
  setWindowTitle(tr("Past Explorations"));
  build();
  connect(choose_, &QPushButton::clicked, this, [this] {
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a Result Store"), file_,
                                                      tr("Result stores (*.db);;All files (*)"));
    if (!file.isEmpty()) openStore(file);
  });
  connect(merge_, &QPushButton::clicked, this, [this] {
    const QString other =
        QFileDialog::getOpenFileName(this, tr("Merge with Another Store"), file_,
                                     tr("Result stores and JSON Lines (*.db *.jsonl);;All files (*)"));
    if (!other.isEmpty()) mergeStore(other);
  });
  connect(export_, &QPushButton::clicked, this, [this] {
    const QString file =
        chooseFileToSave(this, tr("Export Points"), QString(), tr("CSV (*.csv);;JSON Lines (*.jsonl)"));
    if (!file.isEmpty()) exportTo(file);
  });
  connect(open_, &QPushButton::clicked, this, &StoreDialog::openChosen);
  connect(recent_, &QComboBox::activated, this, [this] { openStore(recent_->currentData().toString()); });
  connect(list_, &QTreeWidget::itemActivated, this, &StoreDialog::openChosen);
  connect(list_, &QTreeWidget::itemSelectionChanged, this, &StoreDialog::enable);
  offerRecent();
  enable();
  resize(900, 420);
}

void StoreDialog::build() {
  list_->setObjectName(QStringLiteral("explorations"));
  list_->setAccessibleName(tr("Explorations in the store"));
  list_->setHeaderLabels({tr("Started (UTC)"), tr("Program"), tr("Machine"), tr("Strategy"), tr("Fidelity"),
                          tr("Objectives"), tr("Points"), tr("Engine")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAlternatingRowColors(true);
  name_->setObjectName(QStringLiteral("storeName"));
  name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  name_->setText(tr("No store is open. Run > Search writes one where it is given a result store."));
  recent_->setObjectName(QStringLiteral("recentStores"));
  recent_->setAccessibleName(tr("Stores used last"));
  recent_->setToolTip(tr("The result stores that were written or opened last"));
  recent_->setPlaceholderText(tr("Recent stores"));
  recent_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  recent_->setMinimumContentsLength(40);
  status_->setObjectName(QStringLiteral("storeStatus"));
  status_->setWordWrap(true);
  auto* top = new QHBoxLayout;
  top->addWidget(name_, 1);
  top->addWidget(recent_);
  top->addWidget(choose_);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(merge_);
  bottom->addWidget(export_);
  bottom->addWidget(status_, 1);
  bottom->addWidget(open_);
  auto* close = new QPushButton(tr("Close"));
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  bottom->addWidget(close);
  for (QPushButton* button : {choose_, merge_, export_, close}) button->setAutoDefault(false);
  open_->setDefault(true);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(list_, 1);
  layout->addLayout(bottom);
}

void StoreDialog::enable() {
  merge_->setEnabled(!file_.isEmpty());
  export_->setEnabled(!records_.empty());
  open_->setEnabled(chosen() != nullptr);
}

const ExplorationRecord* StoreDialog::chosen() const {
  const QList<QTreeWidgetItem*> items = list_->selectedItems();
  if (items.isEmpty()) return nullptr;
  const auto id = items.front()->data(0, Qt::UserRole).toLongLong();
  const auto at =
      std::find_if(records_.begin(), records_.end(), [&](const ExplorationRecord& r) { return r.id == id; });
  return at == records_.end() ? nullptr : &*at;
}

void StoreDialog::tell(const QString& text, bool trouble) {
  status_->setText(trouble ? tr("⚠ %1").arg(text) : text);
}

void StoreDialog::refuse(const Diagnostics& diagnostics) {
  const Diagnostic& first = diagnostics.front();
  tell(tr("%1: %2 (%3)").arg(qt(text(first.place)), qt(first.cause), qt(first.fix)), true);
}

void StoreDialog::showRecent() {
  offerRecent();
  const QList<RecentStore> stores = recentStores();
  if (!stores.isEmpty()) openStore(stores.front().file);
}

void StoreDialog::offerRecent() {
  recent_->clear();
  for (const RecentStore& store : recentStores()) {
    recent_->addItem(tr("%1: %2, %3 points, %4")
                         .arg(QFileInfo(store.file).fileName(), store.program,
                              QLocale().toString(static_cast<qulonglong>(store.points)),
                              QLocale().toString(store.used, QLocale::ShortFormat)),
                     store.file);
    recent_->setItemData(recent_->count() - 1, store.file, Qt::ToolTipRole);
  }
  recent_->setCurrentIndex(recent_->findData(QFileInfo(file_).absoluteFilePath()));
  recent_->setVisible(recent_->count() > 0);
}

void StoreDialog::openStore(const QString& file) {
  tell(tr("Reading…"));
  work_.ask([this, file](const std::stop_token&) -> BackgroundWork::Answer {
    return [this, file, records = explorationsOf(pathOf(file))] { list(records, file); };
  });
}

void StoreDialog::list(const Result<std::vector<ExplorationRecord>>& records, const QString& file) {
  if (!records) return refuse(records.diagnostics());
  file_ = file;
  records_ = *records;
  name_->setText(file);
  list_->clear();
  std::uint64_t points = 0;
  for (const ExplorationRecord& record : records_) {
    auto* item = new QTreeWidgetItem(
        list_, {qt(record.started), titleOf(record), qt(record.machine), qt(record.strategy),
                qt(text(record.fidelity)), joined(record.objectives),
                QLocale().toString(static_cast<qulonglong>(record.points)), qt(record.engine)});
    item->setData(0, Qt::UserRole, static_cast<qlonglong>(record.id));
    item->setTextAlignment(6, Qt::AlignRight | Qt::AlignVCenter);
    points += record.points;
  }
  for (int column = 0; column < list_->columnCount(); ++column) {
    list_->resizeColumnToContents(column);
    list_->setColumnWidth(column, list_->columnWidth(column) + 12);
  }
  if (list_->topLevelItemCount() > 0)
    list_->setCurrentItem(list_->topLevelItem(list_->topLevelItemCount() - 1));
  if (status_->text() == tr("Reading…"))
    tell((records_.size() == 1 ? tr("%1 exploration, %2 points") : tr("%1 explorations, %2 points"))
             .arg(QLocale().toString(static_cast<qulonglong>(records_.size())),
                  QLocale().toString(static_cast<qulonglong>(points))));
  if (!records_.empty())
    rememberStore({QFileInfo(file).absoluteFilePath(), titleOf(records_.back()), records_.back().points,
                   QDateTime::currentDateTime()});
  offerRecent();
  enable();
}

void StoreDialog::openChosen() {
  const ExplorationRecord* const record = chosen();
  if (!record) return;
  tell(tr("Reading…"));
  work_.ask([this, record = *record, file = file_](const std::stop_token& stop) -> BackgroundWork::Answer {
    // Shared, as there may be millions of points and an answer is copied.
    const auto points =
        std::make_shared<Result<std::vector<DesignPoint>>>(pointsOf(pathOf(file), record, stop));
    return [this, record, points] {
      if (!*points) return refuse(points->diagnostics());
      tell(tr("%1 points of %2 are shown")
               .arg(QLocale().toString(static_cast<qulonglong>((*points)->size())), titleOf(record)));
      emit explorationOpened(**points, record);
    };
  });
}

void StoreDialog::mergeStore(const QString& other) {
  tell(tr("Merging…"));
  work_.ask([this, other, file = file_](const std::stop_token&) -> BackgroundWork::Answer {
    const Result<MergeReport> report = merged(pathOf(file), pathOf(other));
    return [this, report, file, records = explorationsOf(pathOf(file))] {
      if (!report) return refuse(report.diagnostics());
      const auto number = [](std::uint64_t n) { return QLocale().toString(static_cast<qulonglong>(n)); };
      tell(tr("%1 explorations and %2 points added, %3 were here already")
               .arg(number(report->explorations), number(report->points), number(report->known)));
      if (report->different > 0)
        tell(tr("%1 points are here with other numbers; those here were kept").arg(number(report->different)),
             true);
      list(records, file);
    };
  });
}

void StoreDialog::exportTo(const QString& file) {
  const ExplorationRecord* const record = chosen();
  const auto which = record ? std::optional(record->id) : std::nullopt;
  tell(tr("Writing…"));
  work_.ask([this, which, target = file, file = file_](const std::stop_token&) -> BackgroundWork::Answer {
    const Result<Done> done = exported(pathOf(file), which, pathOf(target));
    return [this, done, target] {
      if (!done) return refuse(done.diagnostics());
      tell(tr("%1 is written").arg(QFileInfo(target).fileName()));
    };
  });
}

}  // namespace sluice::ui
