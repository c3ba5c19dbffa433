#pragma once
// WelcomePage: what is in the middle while nothing is open - the samples, the last files, the tour.

#include <QFrame>

class QListWidget;
class QPushButton;

namespace sluice::ui {

class WelcomePage : public QFrame {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent);

  void setRecent(const QStringList& files);
  QListWidget* samples() const { return samples_; }
  QListWidget* recent() const { return recent_; }
  QPushButton* tourButton() const { return tour_; }

 signals:
  void fileChosen(const QString& file);
  void openRequested();
  void newRequested();
  void tourRequested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QListWidget* list(const QString& name, const QString& accessible);

  QListWidget *samples_, *recent_;
  QPushButton* tour_;
};

}  // namespace sluice::ui
