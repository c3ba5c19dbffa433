#pragma once
// Manual: its pages - those of resources/manual/, and those that the registries of views, operators, steps
// and diagnostics write - and the pictures that stand in them, which the build takes (picture_taker.h).

#include <QSize>
#include <QString>
#include <QStringList>
#include <vector>

class QTextDocument;

namespace sluice::ui {

class Commands;

struct ManualPage {
  QString id;  ///< "page:tutorial", "view:timeline", "operator:Map", "step:tile", "code:deadlock"
  QString title;
  QString chapter;
  QString text;  ///< Markdown, of operators and steps HTML
  bool html = false;
};

/// What is done in a window, and what of it is in the picture then. Links (manual_links.h) say what to do.
struct ManualPicture {
  QString name;
  QStringList actions;  ///< "sample:moe_mixtral", "knob:tile=32"
  QString part;         ///< "window", "dialog", or the id of a view
  QSize size;           ///< of the window
};

class Manual {
 public:
  /// Of a window that is complete, whose commands stand in the pages on views.
  explicit Manual(const Commands& commands);

  /// Chapter by chapter.
  const std::vector<ManualPage>& pages() const { return pages_; }
  const std::vector<ManualPicture>& pictures() const { return pictures_; }
  /// Null: there is none.
  const ManualPage* find(const QString& id) const;
  const ManualPicture* findPicture(const QString& name) const;
  const ManualPage& first() const { return pages_.front(); }

 private:
  void addWritten(const QString& chapter, const QStringList& names);
  void addViews(const Commands& commands);
  void addOperators();
  void addSteps();
  void addDiagnostics();

  std::vector<ManualPage> pages_;
  std::vector<ManualPicture> pictures_;
};

/// Replaces what stands in `document`.
void show(const ManualPage& page, QTextDocument& document);
/// The words of a page, to search in.
QString wordsOf(const ManualPage& page);

/// A link to a page or to what it does, or a picture; characters of a document.
struct ManualLink {
  int from = 0, length = 0;
  QString target;
  bool is_picture = false;
};
std::vector<ManualLink> linksOf(const QTextDocument& document);
/// Whether it leads to a page, by what stands before its colon.
bool isPageLink(const QString& link);

/// Where the build puts the pictures and the manual as HTML: beside the application where it is installed, or
/// in the build folder. It need not be there.
QString manualFolder();
/// Of a picture in that folder: "pictures/NAME.png".
QString pictureFile(const QString& name);

}  // namespace sluice::ui
