#pragma once
// CanvasSelection: the nodes or the stream that are selected on the canvas, and how that shows in the scene.
// What is hidden in a collapsed region shows as that region.

#include <QObject>
#include <QRectF>
#include <QStringList>

namespace sluice::ui {

class GraphScene;

class CanvasSelection : public QObject {
  Q_OBJECT

 public:
  CanvasSelection(GraphScene* scene, QObject* parent) : QObject(parent), scene_(scene) {}

  const QStringList& nodes() const { return nodes_; }
  QString node() const { return nodes_.isEmpty() ? QString() : nodes_.last(); }
  const QString& stream() const { return stream_; }
  bool empty() const { return nodes_.isEmpty() && stream_.isEmpty(); }

  void set(const QStringList& nodes, const QString& stream);  ///< by call
  // By the user, who is told below.
  void pick(const QString& node, const QString& stream);
  void pickNodes(const QStringList& nodes);
  void toggle(const QString& node);
  /// After the scene has changed: what is gone is no longer selected.
  void restore();
  void forget();  ///< silently, with a scene that is about to go

  QRectF bounds() const;  ///< of what shows of it
  QString description() const;

 signals:
  void picked(const QString& node);
  void streamPicked(const QString& stream);
  void cleared();
  void changed();  ///< by the user or by call
  void shown();    ///< the scene shows it, changed or not

 private:
  GraphScene* scene_;
  QStringList nodes_;
  QString stream_;
};

}  // namespace sluice::ui
