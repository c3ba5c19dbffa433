#pragma once
// ITensorPage: one or two iterative tensor types over a tensor, stepped through together, with the converter
// between them and the token in which they part.

#include <QStringList>
#include <QTimer>
#include <QWidget>

#include "widgets/itensor/access_picture.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace sluice::ui {

class ConverterView;
class ITensorPane;
class SliceSelector;

class ITensorPage : public QWidget {
  Q_OBJECT

 public:
  explicit ITensorPage(QWidget* parent = nullptr);

  void setTypes(const QString& source, const QString& result, const QString& tensor);
  void setCompared(bool compared);
  /// What setTypes() set is unchanged.
  bool isAsSet() const;

  ITensorPane* source() const { return source_; }
  ITensorPane* result() const { return result_; }
  ConverterView* converter() const { return converter_; }
  /// Where arrow keys step and no text is typed.
  QList<QWidget*> stepWidgets() const;
  std::int64_t position() const;
  bool playing() const { return player_.isActive(); }
  const std::optional<Parting>& parting() const { return parting_; }

 public slots:
  void first();
  void previous();
  void next();
  void last();
  void togglePlay();
  void goToParting();

 private:
  QWidget* buildTop();
  QWidget* buildTransport();
  QToolButton* stepButton(const char* name, const QString& sign, const QString& title,
                          void (ITensorPage::*step)());
  QStringList written() const;
  void readAll();
  void readShape();
  void showPosition(int token);
  void showParting();
  std::int64_t steps() const;

  ITensorPane *source_, *result_;
  ConverterView* converter_;
  QLineEdit* tensor_;
  QLabel *tensor_message_, *parting_text_, *count_;
  QCheckBox* compared_;
  SliceSelector* slice_;
  QSlider* slider_;
  QWidget* transport_;
  QToolButton *play_ = nullptr, *part_ = nullptr;
  QTimer player_;
  QStringList set_;  ///< by setTypes()
  int stride_ = 1;   ///< tokens a tick
  std::optional<std::vector<std::int64_t>> shape_;
  std::optional<Parting> parting_;
};

}  // namespace sluice::ui
