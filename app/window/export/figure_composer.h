#pragma once
// FigureComposer: makes the figures of the document - panels on a page at its true size, with what each shows
// and how all of it looks. Every change is a step of the document's undo; the page follows the document, the
// points and the runs.

#include <QDialog>
#include <QTimer>
#include <memory>
#include <set>

#include "app/window/export/field_form.h"
#include "app/window/export/figure_source.h"

class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;

namespace sluice::ui {

class FigurePreview;

class FigureComposer : public QDialog {
  Q_OBJECT

 public:
  /// The context without its `files`.
  explicit FigureComposer(const WindowContext& context, QWidget* parent = nullptr);

  /// Of the document; null if it has none.
  const Figure* figure() const;
  void choose(const QString& figure);
  /// With a name that no figure has, at the width of a page of text.
  void addFigure();
  void removeFigure();
  /// Shows a design as the knobs stand now.
  void addPanel(PanelView view);
  /// Refuses where a panel cannot be drawn. The format goes by the suffix.
  Result<Done> exportTo(const QString& file);
  FigurePreview* preview() const { return preview_; }
  /// Everything that the page shows is there.
  bool idle() const { return !refresh_.isActive() && source_.idle(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeBar();
  QWidget* makePanels();
  QWidget* makeFields();
  QWidget* makeButtons();
  void connectPreview();
  void change(const QString& label, const std::function<void(Figure&)>& change);
  void rename();
  void usePreset(int preset);
  void movePanel(int from, int to);
  void stretchPanel(int panel, QSizeF by);
  void selectPanel(int panel);
  void removePanel(int panel);
  void copy();
  void exportWithDialog();
  void follow();        ///< the document
  void refresh();       ///< the page
  void showPanels();    ///< the list
  void showSelected();  ///< the fields

  const WindowContext context_;
  FigureSource source_;
  QString chosen_;     ///< name of the figure that shows
  int selected_ = -1;  ///< panel
  std::unique_ptr<FigureSheet> sheet_;
  QTimer refresh_;
  QComboBox *figures_, *preset_;
  QLineEdit* name_;
  QPushButton *remove_, *copy_, *export_;
  QListWidget* panels_;
  QToolButton *add_, *remove_panel_;
  FigurePreview* preview_;
  FieldForm<FigurePanel>* panel_form_;
  FieldForm<Figure>* page_form_;
  QLabel* note_;
};

}  // namespace sluice::ui
