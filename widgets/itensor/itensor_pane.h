#pragma once
// ITensorPane: one type: its text, its tensor with the order of access, the token it stands at, its facts and
// all its tokens.

#include <QWidget>

#include "widgets/itensor/access_picture.h"

class QLabel;
class QMenu;
class QTableView;
class QToolButton;

namespace sluice::ui {

class TensorGrid;
class TokenModel;
class TypeFacts;
class TypeField;

class ITensorPane : public QWidget {
  Q_OBJECT

 public:
  explicit ITensorPane(const QString& title, QWidget* parent = nullptr);

  void setTypeText(const QString& text);
  /// Null while the text is none.
  const ITensor* type() const;
  void show(const std::optional<std::vector<std::int64_t>>& shape, const TensorSlice& slice);
  void setPosition(std::int64_t token);
  void setMarked(std::optional<std::int64_t> token);

  TypeField* field() const { return field_; }
  TensorGrid* grid() const { return grid_; }
  TypeFacts* facts() const { return facts_; }
  QTableView* tokens() const { return tokens_; }
  QString positionText() const;

 signals:
  void typeChanged();
  /// A worked example was chosen; `tensor` goes with it.
  void exampleChosen(const QString& tensor);
  void tokenChosen(qint64 token);

 private:
  QWidget* titleRow(const QString& title);
  QMenu* exampleMenu(QWidget* parent);
  QTableView* makeTable();

  TypeField* field_;
  TensorGrid* grid_;
  QLabel* position_;
  TypeFacts* facts_;
  TokenModel* model_;
  QTableView* tokens_;
};

}  // namespace sluice::ui
