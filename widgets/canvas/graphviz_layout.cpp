#include "widgets/canvas/graphviz_layout.h"

#include <utility>

namespace sluice::ui {

GraphvizLayout::GraphvizLayout(QString helper, QObject* parent)
    : GraphLayout(parent), helper_(std::move(helper)) {
  deadline_.setSingleShot(true);
  deadline_.setInterval(deadline_milliseconds);
  connect(&layered_, &GraphLayout::finished, this, &GraphLayout::finished);
  connect(&deadline_, &QTimer::timeout, this, [this] { fallBack(tr("the layout helper takes too long")); });
}

GraphvizLayout::~GraphvizLayout() {
  cancel();
  for (QProcess* process : findChildren<QProcess*>()) process->waitForFinished(1000);  // killed, so at once
}

void GraphvizLayout::start(const LayoutGraph& graph, quint64 generation) {
  cancel();
  graph_ = graph;
  generation_ = generation;
  if (graph.nodes.size() > most_nodes || graph.edges.size() > most_edges)
    return fallBack(tr("the graph is too large for it"));
  auto* process = process_ = new QProcess(this);
  connect(process, &QProcess::finished, this, [this, process](int exit_code, QProcess::ExitStatus status) {
    process->deleteLater();
    if (process == process_) readAnswer(exit_code, status);
  });
  connect(process, &QProcess::errorOccurred, this, [this, process](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;  // all others end in finished()
    process->deleteLater();
    if (process == process_) fallBack(tr("cannot start %1: %2").arg(helper_, process->errorString()));
  });
  deadline_.start();
  process->start(helper_, QStringList());
  if (process != process_) return;  // refused on the spot
  process->write(QByteArray::fromStdString(layout_protocol::encode(graph)));
  process->closeWriteChannel();
}

void GraphvizLayout::cancel() {
  deadline_.stop();
  layered_.cancel();
  if (QProcess* process = std::exchange(process_, nullptr)) process->kill();
}

void GraphvizLayout::fallBack(const QString& reason) {
  cancel();
  const quint64 generation = generation_;
  emit fellBack(reason);
  layered_.start(graph_, generation);
}

void GraphvizLayout::readAnswer(int exit_code, QProcess::ExitStatus status) {
  const QByteArray answer = process_->readAllStandardOutput();
  const QString complaint = QString::fromUtf8(process_->readAllStandardError()).trimmed();
  if (status != QProcess::NormalExit) return fallBack(tr("the layout helper crashed"));
  if (exit_code != 0) return fallBack(complaint);
  const auto result =
      layout_protocol::decodeResult({answer.data(), static_cast<std::size_t>(answer.size())}, graph_);
  if (!result) return fallBack(QString::fromStdString(text(result.diagnostics())));
  deadline_.stop();
  process_ = nullptr;
  emit finished(generation_, *result);
}

}  // namespace sluice::ui
