#pragma once
// PlaceSelection: what of the program is selected, once for every view - a node by its path or a stream by
// its origin. Views set it when the user points at something, and follow it when somebody else did.

#include <QObject>
#include <QString>
#include <utility>

namespace sluice::ui {

class PlaceSelection : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const QString& node() const { return node_; }
  const QString& stream() const { return stream_; }
  bool isEmpty() const { return node_.isEmpty() && stream_.isEmpty(); }
  void selectNode(const QString& path) { become(path, {}); }
  void selectStream(const QString& origin) { become({}, origin); }
  void clear() { become({}, {}); }

 signals:
  void changed();

 private:
  /// Said again for the same place: a view may have lost it since.
  void become(QString node, QString stream) {
    node_ = std::move(node);
    stream_ = std::move(stream);
    emit changed();
  }

  QString node_, stream_;
};

}  // namespace sluice::ui
