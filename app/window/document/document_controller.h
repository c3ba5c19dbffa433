#pragma once
// DocumentController: the document that the window shows, with its file and its undo stack. Every change,
// knobs included, is a whole snapshot before and after: undo can then never miss anything. Snapshots share
// what they can and documents are small.

#include <QObject>
#include <QUndoStack>
#include <filesystem>
#include <functional>
#include <memory>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::ui {

/// What undo keeps: the document, and where its knobs stand, which is no part of the file.
struct DesignState {
  Document document;
  KnobValues knobs;
  bool operator==(const DesignState&) const = default;
};

class DocumentController : public QObject {
  Q_OBJECT

 public:
  explicit DocumentController(QObject* parent = nullptr);

  bool hasDocument() const { return open_; }
  const Document& document() const { return state_->document; }
  const KnobValues& knobs() const { return state_->knobs; }
  /// Of a document without a name yet: where it would be saved.
  const std::filesystem::path& file() const { return file_; }
  /// Whether the document has been opened from a file of its own or saved to one.
  bool hasFile() const { return has_file_; }
  /// What relative paths of inputs are taken from.
  std::filesystem::path folder() const { return file_.parent_path(); }
  /// "simple_moe.sluice", or empty.
  QString fileName() const;
  /// Whether the document differs from its file, or from what it began with. Turning a knob changes no file.
  bool isModified() const;
  QUndoStack* undoStack() { return &undo_; }

  /// On an error everything stays as it is.
  Result<Done> open(const std::filesystem::path& file);
  /// A document that is not what the file holds: one that was recovered. The file need not be there.
  void openAs(const Document& document, const std::filesystem::path& file);
  /// A document that begins with nothing to lose, and has no file yet. `file` is what saving suggests.
  void openNew(const Document& document, const std::filesystem::path& file);
  /// A document that has no file yet and is to be kept: one that was imported.
  void openUntitled(const Document& document, const std::filesystem::path& file);
  /// The file has another content now than when it was opened or saved; also if it is gone.
  bool changedOnDisk() const;
  bool isReadOnly() const;
  Result<Done> save();
  /// In another folder, relative paths of inputs lead to the same files as before.
  Result<Done> saveAs(const std::filesystem::path& file);

  /// Changes the document as one step for undo; does nothing if `change` changes nothing. The pins of nodes
  /// that are gone go with them.
  void edit(const QString& label, const std::function<void(Document&)>& change);
  /// Likewise, and these knobs stand at these values afterwards, as far as the document has and allows them.
  void edit(const QString& label, const std::function<void(Document&)>& change, const KnobValues& knobs);
  /// Sets knobs as one step for undo. Calls with the same `drag` (not empty) become one step until
  /// endDrag().
  void setKnobs(const KnobValues& knobs, const QString& label, const QString& drag = {});
  void endDrag() { ++drags_; }

 signals:
  /// Another file is open.
  void opened();
  /// The document, the knobs or both are other than `before`; also after undo and redo.
  void changed(const sluice::ui::DesignState& before);
  /// The title or isModified() may have changed.
  void titleChanged();

 private:
  class Change;
  void push(const QString& label, DesignState after, const QString& drag);
  void adopt(const Document& document, const std::filesystem::path& file, bool has_file = true);
  void become(std::shared_ptr<const DesignState> state);

  std::shared_ptr<const DesignState> state_;
  std::shared_ptr<const DesignState> saved_;
  std::filesystem::path file_;
  std::size_t on_disk_ = 0;  ///< a hash of what the file held
  bool open_ = false, has_file_ = false;
  int drags_ = 0;
  QUndoStack undo_;
};

}  // namespace sluice::ui
