#pragma once
// TimeCursor: the one moment of a recorded run that every view shows - timeline, occupancy plots, canvas. It
// can be played. Views set it and follow it; none knows of another.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <optional>

namespace sluice::ui {

class TimeCursor : public QObject {
  Q_OBJECT

 public:
  explicit TimeCursor(QObject* parent = nullptr);

  /// None: no moment is chosen, views show the whole run.
  std::optional<qint64> cycle() const { return cycle_; }
  qint64 end() const { return end_; }
  bool isPlaying() const { return timer_.isActive(); }
  double speed() const { return speed_; }  ///< cycles a second

 public slots:
  /// Kept within 0 and the end; below 0: none. Stops playing.
  void setCycle(qint64 cycle);
  void clear();
  /// A run of that many cycles; the moment stays if it has it.
  void setEnd(qint64 end);
  void setSpeed(double cycles_per_second);
  /// From the beginning where it stands at the end.
  void setPlaying(bool playing);

 signals:
  void cycleChanged(qint64 cycle);  ///< -1: none
  void playingChanged(bool playing);

 private:
  void move(std::optional<qint64> cycle);
  void tick();

  std::optional<qint64> cycle_;
  qint64 end_ = 0;
  double speed_ = 1000, position_ = 0;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace sluice::ui
