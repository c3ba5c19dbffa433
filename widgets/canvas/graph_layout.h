#pragma once
// GraphLayout: boxes and links in, positions and curves out. Asynchronous, because a good layout takes as
// long as it takes.

#include <QObject>

#include "widgets/canvas/layout_protocol.h"

namespace sluice::ui {

class GraphLayout : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// finished(generation, ...) follows, now or later. A newer start() drops the older one, whose finished()
  /// comes only if it was on its way already.
  virtual void start(const LayoutGraph& graph, quint64 generation) = 0;
  virtual void cancel() = 0;
  virtual double done() const { return 0; }  ///< share of what was started, as far as it is known

 signals:
  void finished(quint64 generation, const sluice::ui::LayoutResult& result);
};

}  // namespace sluice::ui
