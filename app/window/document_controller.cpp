#include "app/window/document_controller.h"

#include <QFileInfo>
#include <QUndoCommand>

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "engine/program/pinned_nodes.h"

namespace sluice::ui {
namespace {

constexpr int undoLimit = 10000;
constexpr int changeId = 1;

/// 0 where there is no such file.
std::size_t contentHash(const std::filesystem::path& file) {
  const Result<std::string> bytes = readFile(file);
  return bytes ? std::hash<std::string>{}(*bytes) | 1U : 0;
}

}  // namespace

class DocumentController::Change : public QUndoCommand {
 public:
  Change(DocumentController* owner, const QString& label, std::shared_ptr<const DesignState> after,
         QString drag)
      : QUndoCommand(label),
        owner_(owner),
        before_(owner->state_),
        after_(std::move(after)),
        drag_(std::move(drag)) {}

  void undo() override { owner_->become(before_); }
  void redo() override { owner_->become(after_); }
  int id() const override { return drag_.isEmpty() ? -1 : changeId; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const Change*>(other);
    if (next->drag_ != drag_) return false;
    after_ = next->after_;
    setText(next->text());
    return true;
  }

 private:
  DocumentController* owner_;
  std::shared_ptr<const DesignState> before_, after_;
  QString drag_;
};

DocumentController::DocumentController(QObject* parent)
    : QObject(parent), state_(std::make_shared<const DesignState>()), saved_(state_), undo_(this) {
  undo_.setUndoLimit(undoLimit);
}

QString DocumentController::fileName() const {
  return QString::fromStdString(file_.filename().string());
}

bool DocumentController::isModified() const {
  return open_ && state_ != saved_ &&
         !(state_->document == saved_->document && state_->pinned == saved_->pinned);
}

Result<Done> DocumentController::open(const std::filesystem::path& file) {
  Result<Document> loaded = loadDocument(file);
  if (!loaded) return loaded.diagnostics();
  adopt(*loaded, file, pinnedNodes(file));
  saved_ = state_;
  emit opened();
  emit titleChanged();
  return Done{};
}

void DocumentController::openAs(const Document& document, const std::filesystem::path& file,
                                const std::set<std::string>& pinned) {
  adopt(document, file, pinned);
  saved_ = std::make_shared<const DesignState>();
  if (Result<Document> before = loadDocument(file))
    saved_ = std::make_shared<const DesignState>(DesignState{std::move(*before), {}, pinnedNodes(file)});
  emit opened();
  emit titleChanged();
}

void DocumentController::adopt(const Document& document, const std::filesystem::path& file,
                               const std::set<std::string>& pinned) {
  state_ = std::make_shared<const DesignState>(DesignState{document, defaultKnobs(document), pinned});
  file_ = std::filesystem::absolute(file);
  on_disk_ = contentHash(file_);
  open_ = true;
  undo_.clear();
}

bool DocumentController::changedOnDisk() const {
  return open_ && contentHash(file_) != on_disk_;
}

bool DocumentController::isReadOnly() const {
  const QFileInfo file(QString::fromStdString(file_.string()));
  return open_ && file.exists() && !file.isWritable();
}

Result<Done> DocumentController::save() {
  return saveAs(file_);
}

Result<Done> DocumentController::saveAs(const std::filesystem::path& file) {
  Result<Done> written = saveDocument(state_->document, state_->pinned, file);
  if (!written) return written;
  file_ = std::filesystem::absolute(file);
  on_disk_ = contentHash(file_);
  saved_ = state_;
  emit titleChanged();
  return written;
}

void DocumentController::edit(const QString& label, const std::function<void(Document&)>& change) {
  edit(label, change, state_->pinned);
}

void DocumentController::edit(const QString& label, const std::function<void(Document&)>& change,
                              const std::set<std::string>& pinned) {
  DesignState after = *state_;
  change(after.document);
  after.pinned = pinned;
  if (after == *state_) return;
  // Knobs may have come or gone.
  KnobValues knobs = defaultKnobs(after.document);
  for (auto& [name, value] : knobs) {
    const auto kept = state_->knobs.find(name);
    if (kept != state_->knobs.end()) value = kept->second;
  }
  after.knobs = std::move(knobs);
  push(label, std::move(after), {});
}

void DocumentController::setKnobs(const KnobValues& knobs, const QString& label, const QString& drag) {
  if (knobs == state_->knobs) return;
  DesignState after = *state_;
  after.knobs = knobs;
  push(label, std::move(after), drag.isEmpty() ? drag : drag + QString::number(drags_));
}

void DocumentController::push(const QString& label, DesignState after, const QString& drag) {
  undo_.push(new Change(this, label, std::make_shared<const DesignState>(std::move(after)), drag));
}

void DocumentController::become(std::shared_ptr<const DesignState> state) {
  const std::shared_ptr<const DesignState> before = std::exchange(state_, std::move(state));
  emit changed(*before);
  emit titleChanged();
}

}  // namespace sluice::ui
