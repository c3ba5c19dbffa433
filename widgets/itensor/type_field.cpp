#include "widgets/itensor/type_field.h"

#include <QEvent>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include "engine/itensor/itensor_text.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/common/diagnostic_text.h"

namespace sluice::ui {
TypeField::TypeField(const QString& accessible_name, QWidget* parent)
    : QWidget(parent), editor_(new QPlainTextEdit), message_(new QLabel) {
  editor_->setObjectName(QStringLiteral("typeText"));
  editor_->setAccessibleName(accessible_name);
  editor_->setPlaceholderText(
      QStringLiteral("itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>"));
  editor_->setTabChangesFocus(true);
  editor_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  editor_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  const int margins = 2 * static_cast<int>(editor_->document()->documentMargin()) + 2 * editor_->frameWidth();
  editor_->setFixedHeight(3 * QFontMetrics(editor_->font()).lineSpacing() + margins);
  message_->setObjectName(QStringLiteral("typeMessage"));
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setFocusProxy(editor_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(3);
  layout->addWidget(editor_);
  layout->addWidget(message_);
  message_->hide();
  connect(editor_, &QPlainTextEdit::textChanged, this, &TypeField::read);
}

void TypeField::setText(const QString& text) {
  if (text != editor_->toPlainText()) editor_->setPlainText(text);
}

QString TypeField::text() const {
  return editor_->toPlainText();
}

QString TypeField::message() const {
  return message_->text();
}

void TypeField::read() {
  const std::string text = editor_->toPlainText().toStdString();
  const Result<WrittenITensor> written = parseITensor(text);
  type_ = written ? std::optional(written->type) : std::nullopt;
  const bool empty = QString::fromStdString(text).trimmed().isEmpty();
  const QString wrong = written || empty ? QString() : inlineText(written.diagnostics().front());
  message_->setText(wrong);
  message_->setVisible(!wrong.isEmpty());
  editor_->setAccessibleDescription(wrong);
  wrong_column_ = written || empty ? std::nullopt : columnOf(written.diagnostics().front().place);
  underline();
  emit typeChanged();
}

void TypeField::underline() {
  QList<QTextEdit::ExtraSelection> marks;
  const QColor error = CanvasTheme::of(palette(), font()).error;
  if (wrong_column_) {
    QTextEdit::ExtraSelection mark;
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(error);
    mark.cursor = QTextCursor(editor_->document());
    const int size = editor_->document()->characterCount() - 1;
    const int begin = std::clamp(*wrong_column_ - 1, 0, std::max(0, size - 1));
    mark.cursor.setPosition(begin);
    mark.cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
    if (mark.cursor.position() == begin)
      mark.cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
    marks << mark;
  }
  editor_->setExtraSelections(marks);
  QPalette colours = message_->palette();
  colours.setColor(QPalette::WindowText, error);
  message_->setPalette(colours);
}

void TypeField::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) underline();
}

}  // namespace sluice::ui
