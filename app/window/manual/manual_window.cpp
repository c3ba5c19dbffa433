#include "app/window/manual/manual_window.h"

#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QImage>
#include <QLineEdit>
#include <QMainWindow>
#include <QScrollBar>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>

#include "app/window/manual/manual_links.h"

namespace sluice::ui {
namespace {

constexpr int page_id_role = Qt::UserRole;
constexpr int expanded_chapters = 2;  // at first
constexpr int text_width = 680;       // of a picture at most, in device-independent pixels

/// Pictures come from the folder that the build wrote; without it their descriptions are shown.
class ManualText : public QTextBrowser {
 public:
  explicit ManualText(const Manual* manual) : manual_(manual) { setOpenLinks(false); }

 protected:
  QVariant loadResource(int type, const QUrl& url) override {
    if (type != QTextDocument::ImageResource || url.scheme() != QLatin1String("picture"))
      return QTextBrowser::loadResource(type, url);
    const ManualPicture* picture = manual_->findPicture(url.path());
    QImage image;
    if (picture) image.load(QDir(manualFolder()).filePath(pictureFile(picture->name)));
    if (image.isNull()) return placeholder();
    // Pictures are taken at twice their size, for fine screens.
    const int width = qMin(image.width() / 2, text_width);
    const qreal ratio = devicePixelRatioF();
    QImage shown = image.scaledToWidth(qRound(width * ratio), Qt::SmoothTransformation);
    shown.setDevicePixelRatio(ratio);
    return shown;
  }

 private:
  /// A frame where a picture would be.
  QImage placeholder() const {
    QImage frame(text_width, 40, QImage::Format_ARGB32_Premultiplied);
    frame.fill(palette().color(QPalette::AlternateBase));
    return frame;
  }

  const Manual* manual_;
};

}  // namespace

ManualWindow::ManualWindow(const WindowContext& context)
    : QDialog(context.window),
      context_(context),
      manual_(*context.commands),
      search_(new QLineEdit),
      contents_(new QTreeWidget),
      page_(new ManualText(&manual_)),
      back_button_(button(QStringLiteral("manualBack"), QStringLiteral("\u25C0"), tr("Back"),
                          QStringLiteral("Alt+Left"))),
      forward_button_(button(QStringLiteral("manualForward"), QStringLiteral("\u25B6"), tr("Forward"),
                             QStringLiteral("Alt+Right"))) {
  setObjectName(QStringLiteral("manual"));
  setWindowTitle(tr("Manual"));
  search_->setObjectName(QStringLiteral("manualSearch"));
  search_->setPlaceholderText(tr("Search"));
  search_->setAccessibleName(tr("Search the manual"));
  search_->setToolTip(tr("Show the pages with these words only"));
  search_->setClearButtonEnabled(true);
  contents_->setObjectName(QStringLiteral("manualContents"));
  contents_->setAccessibleName(tr("Contents"));
  contents_->setHeaderHidden(true);
  contents_->setFixedWidth(250);
  page_->setObjectName(QStringLiteral("manualPage"));
  page_->setAccessibleName(tr("Page"));
  page_->setFrameShape(QFrame::NoFrame);
  page_->document()->setDocumentMargin(18);
  buildContents();
  auto* bar = new QHBoxLayout;
  bar->addWidget(back_button_);
  bar->addWidget(forward_button_);
  bar->addWidget(search_, 1);
  auto* grid = new QGridLayout(this);
  grid->addLayout(bar, 0, 0);
  grid->addWidget(contents_, 1, 0);
  grid->addWidget(page_, 0, 1, 2, 1);
  grid->setColumnStretch(1, 1);
  connect(search_, &QLineEdit::textChanged, this, &ManualWindow::filter);
  connect(contents_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
    if (item && item->parent()) go(item->data(0, page_id_role).toString());
  });
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { follow(link.toString()); });
  connect(back_button_, &QToolButton::clicked, this, [this] { step(back_, forward_); });
  connect(forward_button_, &QToolButton::clicked, this, [this] { step(forward_, back_); });
  resize(1040, 720);
  go(manual_.first().id);
}

QToolButton* ManualWindow::button(const QString& name, const QString& text, const QString& tip,
                                  const QString& keys) {
  auto* made = new QToolButton;
  made->setObjectName(name);
  made->setText(text);
  made->setAccessibleName(tip);
  made->setToolTip(QStringLiteral("%1 (%2)").arg(tip, keys));
  made->setShortcut(QKeySequence(keys));
  made->setAutoRaise(true);
  made->setEnabled(false);
  return made;
}

void ManualWindow::buildContents() {
  QTreeWidgetItem* chapter = nullptr;
  for (const ManualPage& page : manual_.pages()) {
    if (!chapter || chapter->text(0) != page.chapter) {
      chapter = new QTreeWidgetItem(contents_, {page.chapter});
    }
    auto* item = new QTreeWidgetItem(chapter, {page.title});
    item->setData(0, page_id_role, page.id);
    items_[page.id] = item;
  }
  for (int i = 0; i < expanded_chapters; ++i) contents_->topLevelItem(i)->setExpanded(true);
}

void ManualWindow::showPage(const QString& id) {
  go(manual_.find(id) ? id : manual_.first().id);
  show();
  raise();
  activateWindow();
}

void ManualWindow::follow(const QString& link) {
  if (isPageLink(link)) return showPage(link);
  if (link.startsWith(QLatin1String("https:"))) {
    QDesktopServices::openUrl(QUrl(link));
    return;
  }
  if (const Result<Done> followed = followLink(context_, link); !followed)
    context_.report(followed.diagnostics());
}

void ManualWindow::go(const QString& id) {
  if (id == current_) return;
  if (!current_.isEmpty()) back_ << current_;
  forward_.clear();
  current_ = id;
  fill();
}

void ManualWindow::step(QStringList& from, QStringList& to) {
  if (from.isEmpty()) return;
  to << current_;
  current_ = from.takeLast();
  fill();
}

void ManualWindow::fill() {
  const ManualPage& page = *manual_.find(current_);
  page.html ? page_->setHtml(page.text) : page_->setMarkdown(page.text);
  page_->document()->setDocumentMargin(18);
  if (!search_->text().isEmpty()) page_->find(search_->text());
  contents_->setCurrentItem(items_.value(current_));
  contents_->scrollToItem(items_.value(current_));
  back_button_->setEnabled(!back_.isEmpty());
  forward_button_->setEnabled(!forward_.isEmpty());
}

void ManualWindow::filter(const QString& words) {
  if (words_.isEmpty())
    for (const ManualPage& page : manual_.pages()) words_[page.id] = wordsOf(page);
  const auto shown = [&](const QTreeWidgetItem& item) {
    return item.text(0).contains(words, Qt::CaseInsensitive) ||
           words_.value(item.data(0, page_id_role).toString()).contains(words, Qt::CaseInsensitive);
  };
  QTreeWidgetItem* first = nullptr;
  for (int i = 0; i < contents_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* chapter = contents_->topLevelItem(i);
    bool any = false;
    for (int k = 0; k < chapter->childCount(); ++k) {
      QTreeWidgetItem* item = chapter->child(k);
      const bool show = shown(*item);
      item->setHidden(!show);
      any |= show;
      if (show && !first) first = item;
    }
    chapter->setHidden(!any);
    chapter->setExpanded(any && (!words.isEmpty() || i < expanded_chapters));
  }
  if (!first || words.isEmpty()) return;
  current_ = first->data(0, page_id_role).toString();  // looking around is no step of the history
  fill();
}

void ManualWindow::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  // Links and headings have the colours of the palette that they were read under.
  if (event->type() == QEvent::PaletteChange && !current_.isEmpty()) fill();
}

}  // namespace sluice::ui
