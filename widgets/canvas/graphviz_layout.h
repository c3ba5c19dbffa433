#pragma once
// GraphvizLayout: asks the helper process sluice-layout. Where that is absent, fails or takes too long, the
// layered layout answers.

#include <QProcess>
#include <QTimer>

#include "widgets/canvas/layered_layout.h"

namespace sluice::ui {

class GraphvizLayout : public GraphLayout {
  Q_OBJECT

 public:
  static constexpr int deadline_milliseconds = 2500;
  /// More than the helper can lay out before the deadline; it is not asked.
  static constexpr std::size_t most_nodes = 1000, most_edges = 2500;

  explicit GraphvizLayout(QString helper, QObject* parent = nullptr);
  ~GraphvizLayout() override;

  void start(const LayoutGraph& graph, quint64 generation) override;
  void cancel() override;
  double done() const override { return running() ? 0 : layered_.done(); }
  void setDeadline(int milliseconds) { deadline_.setInterval(milliseconds); }
  bool running() const { return process_ != nullptr; }

 signals:
  /// The helper could not answer, and why; finished() with the fallback follows.
  void fellBack(const QString& reason);

 private:
  void fallBack(const QString& reason);
  void readAnswer(int exit_code, QProcess::ExitStatus status);

  QString helper_;
  LayeredLayout layered_;
  QProcess* process_ =
      nullptr;  ///< the one that may still answer; a dropped process deletes itself when it has died
  QTimer deadline_;
  LayoutGraph graph_;
  quint64 generation_ = 0;
};

}  // namespace sluice::ui
