#include "app/window/run/size_fifos_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPointer>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTextBrowser>

#include "app/window/edit/step_text.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

QString row(const QString& name, const QString& before, const QString& after) {
  return QStringLiteral(
             "<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td><td>&nbsp;\u2192&nbsp;</td>"
             "<td align='right'><b>%3</b></td></tr>")
      .arg(name, before, after);
}

QString number(double value) {
  return QLocale().toString(value, 'f', 0);
}

QString html(const ProgramSizing& sizes) {
  QString rows =
      row(QObject::tr("Cycles"),
          sizes.cycles_before ? number(static_cast<double>(*sizes.cycles_before)) : QObject::tr("deadlock"),
          number(static_cast<double>(sizes.cycles_after))) +
      row(QObject::tr("FIFO memory of the program, bytes"), number(sizes.bytes_before),
          number(sizes.bytes_after)) +
      row(QObject::tr("Blocks of BRAM (18 Kbit)"), number(static_cast<double>(sizes.blocks_before)),
          number(static_cast<double>(sizes.blocks_after)));
  QString changes;
  for (const Repair::Change& change : sizes.changes)
    changes += row(QString::fromStdString(shortStreamName(change.stream)).toHtmlEscaped() +
                       (change.instances > 1 ? QStringLiteral(" \u00D7%1").arg(change.instances) : QString()),
                   number(static_cast<double>(change.from)), number(static_cast<double>(change.to)));
  if (changes.isEmpty())
    return QStringLiteral("<p>%1</p>").arg(QObject::tr("Every FIFO has this depth already."));
  return QStringLiteral("<table>%1</table><p><b>%2</b></p><table>%3</table>")
      .arg(rows, QObject::tr("Depths, in tokens"), changes);
}

}  // namespace

SizeFifosDialog::SizeFifosDialog(std::shared_ptr<const Workload> workload, const KnobValues& knobs,
                                 const std::vector<std::string>& regions, const std::string& region,
                                 QWidget* parent)
    : QDialog(parent),
      workload_(std::move(workload)),
      knobs_(knobs),
      region_(new QComboBox),
      strategy_(new QComboBox),
      grouped_(new QCheckBox(tr("&One depth for FIFOs that are alike"))),
      shown_(new QTextBrowser),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("sizeFifosDialog"));
  setWindowTitle(tr("Size FIFOs"));
  region_->addItem(tr("the whole program"), QString());
  for (const std::string& each : regions)
    region_->addItem(QString::fromStdString(each), QString::fromStdString(each));
  region_->setCurrentIndex(std::max(0, region_->findData(QString::fromStdString(region))));
  addStrategies();
  region_->setAccessibleName(tr("FIFOs of"));
  strategy_->setAccessibleName(tr("Depth"));
  grouped_->setToolTip(
      tr("Where depths are tried by simulation (simulated, bram): FIFOs between operators of one "
         "kind, with as many tokens of one size, are sized together."));
  shown_->setObjectName(QStringLiteral("sizePreview"));
  shown_->setAccessibleName(tr("What would change"));
  shown_->setFrameShape(QFrame::NoFrame);
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("Apply"));
  auto* form = new QFormLayout(this);
  form->addRow(tr("&FIFOs of"), region_);
  form->addRow(tr("&Depth"), strategy_);
  form->addRow(grouped_);
  form->addRow(shown_);
  form->addRow(buttons_);
  connect(region_, &QComboBox::currentIndexChanged, this, &SizeFifosDialog::ask);
  connect(strategy_, &QComboBox::currentIndexChanged, this, &SizeFifosDialog::ask);
  connect(grouped_, &QCheckBox::toggled, this, &SizeFifosDialog::ask);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resize(620, 520);
  ask();
}

/// All of them; those that the program has no curves for cannot be chosen.
void SizeFifosDialog::addStrategies() {
  auto* items = qobject_cast<QStandardItemModel*>(strategy_->model());
  for (const DepthStrategy& strategy : depthStrategies()) {
    const QString name = QLatin1String(strategy.name);
    strategy_->addItem(tr("%1 (%2)").arg(QLatin1String(strategy.title), name), name);
    QStandardItem* item = items->item(strategy_->count() - 1);
    item->setToolTip(tr("%1; %2").arg(QLatin1String(strategy.summary), QLatin1String(strategy.promise)));
    item->setEnabled(!strategy.of_design || compilesTensors(workload_->document));
  }
  strategy_->setCurrentIndex(strategy_->findData(QStringLiteral("peaks")));
}

void SizeFifosDialog::ask() {
  sizes_.reset();
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(false);
  shown_->setHtml(QStringLiteral("<p>%1</p>").arg(tr("Simulating with other depths\u2026")));
  computing_.ask([self = QPointer<SizeFifosDialog>(this), workload = workload_, knobs = knobs_,
                  region = region_->currentData().toString().toStdString(), grouped = grouped_->isChecked(),
                  strategy = strategy_->currentData().toString().toStdString()](
                     const std::stop_token& stop) -> BackgroundWork::Answer {
    DepthOptions options;
    options.most_simulations = 2000;
    options.grouped = grouped;
    options.stop = stop;
    auto sizes = std::make_shared<Result<ProgramSizing>>(
        sizeProgram(*workload, knobs, region, *findDepthStrategy(strategy), options));
    return [self, sizes] {
      if (self) self->show(std::move(*sizes));
    };
  });
}

void SizeFifosDialog::show(Result<ProgramSizing> sizes) {
  sizes_ = std::move(sizes);
  shown_->setHtml(*sizes_ ? html(**sizes_)
                          : QStringLiteral("<p>\u2716 %1</p>").arg(diagnosticsHtml(sizes_->diagnostics())));
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(*sizes_ && !(*sizes_)->changes.empty());
}

}  // namespace sluice::ui
