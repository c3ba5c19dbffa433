#pragma once
// NoticeBar: something that happened and that can wait - a few words and buttons at the top of a view,
// instead of a box in the way. Several wait for each other.

#include <QFrame>
#include <QList>
#include <functional>

class QBoxLayout;
class QHBoxLayout;
class QLabel;

namespace sluice::ui {

struct Notice {
  struct Choice {
    QString text;
    std::function<void()> run;  ///< may be empty; the notice goes either way
  };
  QString id;  ///< a newer notice takes the place of an older one of this id
  QString text;
  QList<Choice> choices;
};

class NoticeBar : public QFrame {
  Q_OBJECT

 public:
  explicit NoticeBar(QWidget* parent);

  void tell(const Notice& notice);
  void drop(const QString& id);
  QString text() const;  ///< what is shown; empty if nothing is

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showFirst();
  void place();

  QList<Notice> waiting_;
  QLabel* label_;
  QBoxLayout* parts_;  ///< the words, and beside or below them the buttons
  QHBoxLayout* buttons_;
};

}  // namespace sluice::ui
