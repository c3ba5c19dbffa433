#pragma once
// WhenSeen: work for a page that is done only while the page is seen - at once, or when it is shown next.

#include <QObject>
#include <functional>

class QWidget;

namespace sluice::ui {

class WhenSeen : public QObject {
 public:
  /// Wanted from the beginning. The work ends with the page or with this.
  WhenSeen(QWidget* page, std::function<void()> work);

  /// What the page shows is out of date.
  void want();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void doIfSeen(bool seen);

  QWidget* page_;
  std::function<void()> work_;
  bool wanted_ = true;
};

}  // namespace sluice::ui
