#pragma once
// StoreField: the result store that a search writes into, typed or chosen among files. Dialogs of searches
// share it.

#include <QWidget>
#include <filesystem>

class QLineEdit;

namespace sluice::ui {

class StoreField : public QWidget {
  Q_OBJECT

 public:
  explicit StoreField(QWidget* parent = nullptr);

  /// Without spaces around it; empty: no store.
  QString text() const;
  void setText(const QString& text);
  bool isEmpty() const { return text().isEmpty(); }
  /// What is typed, from the folder of `document`; empty: no store.
  std::filesystem::path path(const std::filesystem::path& document) const;
  /// Where a label's key leads.
  QLineEdit* line() const { return line_; }

 signals:
  void changed();

 private:
  void browse();

  QLineEdit* line_;
};

}  // namespace sluice::ui
