#pragma once
// TypeField: the text of an iterative tensor type, read as it is typed; what is wrong with it stands below,
// and where is underlined.

#include <QWidget>
#include <optional>

#include "engine/itensor/itensor.h"

class QLabel;
class QPlainTextEdit;

namespace sluice::ui {

class TypeField : public QWidget {
  Q_OBJECT

 public:
  explicit TypeField(const QString& accessible_name, QWidget* parent = nullptr);

  void setText(const QString& text);
  QString text() const;
  /// Of the text, as long as it is one.
  const std::optional<ITensor>& type() const { return type_; }
  /// Said below the field; empty where nothing is wrong.
  QString message() const;
  QPlainTextEdit* editor() const { return editor_; }

 signals:
  void typeChanged();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void read();
  void underline();

  QPlainTextEdit* editor_;
  QLabel* message_;
  std::optional<ITensor> type_;
  std::optional<int> wrong_column_;  ///< from 1
};

}  // namespace sluice::ui
