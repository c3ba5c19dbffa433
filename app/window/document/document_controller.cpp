#include "app/window/document/document_controller.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "engine/traces/trace_set.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

constexpr int undo_limit = 10000;
constexpr int change_id = 1;

/// 0 where there is no such file.
std::size_t contentHash(const std::filesystem::path& file) {
  const Result<std::string> bytes = readFile(file);
  return bytes ? std::hash<std::string>{}(*bytes) | 1U : 0;
}

/// The same state for a document in another folder.
std::shared_ptr<const DesignState> moved(const std::shared_ptr<const DesignState>& state,
                                         const std::filesystem::path& from, const std::filesystem::path& to) {
  std::vector<Input> inputs = movedInputs(state->document.inputs, from, to);
  if (inputs == state->document.inputs) return state;
  DesignState there = *state;
  there.document.inputs = std::move(inputs);
  return std::make_shared<const DesignState>(std::move(there));
}

}  // namespace

class DocumentController::Change : public QUndoCommand {
 public:
  Change(DocumentController* owner, const QString& label, std::shared_ptr<const DesignState> after,
         QString drag)
      : QUndoCommand(label),
        owner_(owner),
        folder_(owner->folder()),
        before_(owner->state_),
        after_(std::move(after)),
        drag_(std::move(drag)) {}

  void undo() override { owner_->become(moved(before_, folder_, owner_->folder())); }
  void redo() override { owner_->become(moved(after_, folder_, owner_->folder())); }
  int id() const override { return drag_.isEmpty() ? -1 : change_id; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const Change*>(other);
    if (next->drag_ != drag_) return false;
    after_ = moved(next->after_, next->folder_, folder_);
    setText(next->text());
    return true;
  }

 private:
  DocumentController* owner_;
  std::filesystem::path folder_;  ///< that of the document then
  std::shared_ptr<const DesignState> before_, after_;
  QString drag_;
};

DocumentController::DocumentController(QObject* parent)
    : QObject(parent), state_(std::make_shared<const DesignState>()), saved_(state_), undo_(this) {
  undo_.setUndoLimit(undo_limit);
}

QString DocumentController::fileName() const {
  return QString::fromStdString(file_.filename().string());
}

bool DocumentController::isModified() const {
  return state_ != saved_ && !(state_->document == saved_->document);
}

Result<Done> DocumentController::open(const std::filesystem::path& file) {
  SLUICE_TRY(const Document loaded, loadDocument(file));
  adopt(loaded, file);
  saved_ = state_;
  emit opened();
  emit titleChanged();
  return Done{};
}

void DocumentController::openAs(const Document& document, const std::filesystem::path& file) {
  adopt(document, file);
  saved_ = std::make_shared<const DesignState>();
  if (Result<Document> before = loadDocument(file))
    saved_ = std::make_shared<const DesignState>(DesignState{std::move(*before), {}});
  emit opened();
  emit titleChanged();
}

void DocumentController::openUntitled(const Document& document, const std::filesystem::path& file) {
  adopt(document, file, false);
  saved_ = std::make_shared<const DesignState>();
  emit opened();
  emit titleChanged();
}

void DocumentController::openNew(const Document& document, const std::filesystem::path& file) {
  adopt(document, file, false);
  saved_ = state_;
  emit opened();
  emit titleChanged();
}

void DocumentController::adopt(const Document& document, const std::filesystem::path& file, bool has_file) {
  state_ = std::make_shared<const DesignState>(DesignState{document, defaultKnobs(document)});
  file_ = std::filesystem::absolute(file);
  on_disk_ = contentHash(file_);
  open_ = true;
  has_file_ = has_file;
  undo_.clear();
}

bool DocumentController::changedOnDisk() const {
  return has_file_ && contentHash(file_) != on_disk_;
}

bool DocumentController::isReadOnly() const {
  const QFileInfo file(QString::fromStdString(file_.string()));
  return has_file_ && file.exists() && !file.isWritable();
}

Result<Done> DocumentController::save() {
  return saveAs(file_);
}

Result<Done> DocumentController::saveAs(const std::filesystem::path& file) {
  const std::filesystem::path target = std::filesystem::absolute(file);
  const std::shared_ptr<const DesignState> there = moved(state_, folder(), target.parent_path());
  SLUICE_CHECK(saveDocument(there->document, target));
  file_ = target;
  on_disk_ = contentHash(file_);
  has_file_ = true;
  saved_ = there;
  if (there == state_)
    emit titleChanged();
  else
    become(there);
  return Done{};
}

void DocumentController::edit(const QString& label, const std::function<void(Document&)>& change) {
  edit(label, change, {});
}

void DocumentController::edit(const QString& label, const std::function<void(Document&)>& change,
                              const KnobValues& wanted) {
  DesignState after = *state_;
  change(after.document);
  std::erase_if(after.document.pinned,
                [&](const std::string& path) { return !findNode(after.document, path); });
  if (wanted.empty() && after == *state_) return;
  // Knobs may have come or gone, or have other values.
  KnobValues knobs = defaultKnobs(after.document);
  for (const Knob& knob : after.document.knobs) {
    for (const KnobValues& values : {std::cref(state_->knobs), std::cref(wanted)}) {
      const auto kept = values.find(knob.name);
      if (kept != values.end() && knob.allows(kept->second)) knobs[knob.name] = kept->second;
    }
  }
  after.knobs = std::move(knobs);
  if (after == *state_) return;
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
