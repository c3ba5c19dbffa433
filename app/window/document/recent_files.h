#pragma once
// RecentFiles: the files opened last, in the settings and as a menu.

#include <QMenu>
#include <filesystem>

namespace sluice::ui {

class RecentFiles : public QMenu {
  Q_OBJECT

 public:
  explicit RecentFiles(QWidget* parent = nullptr);
  void add(const std::filesystem::path& file);
  QStringList files() const;

 signals:
  void fileChosen(const QString& file);

 private:
  void rebuild();
};

}  // namespace sluice::ui
