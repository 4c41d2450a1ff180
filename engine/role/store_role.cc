#include "engine/role/store_role.h"

#include <atomic>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/threads/background.h"

namespace hourcell {
namespace {

class AloneRole final : public StoreRole {
 public:
  std::string_view name() const override { return "alone"; }
  absl::Status BeforeRead(bool /*at_once*/) override { return absl::OkStatus(); }
  std::shared_ptr<OpenHours> HoursToRead(const std::shared_ptr<OpenHours>& own) override {
    return own;
  }
  absl::Status BeforeWrite() const override { return absl::OkStatus(); }
  absl::Status Acknowledge(absl::Status written) override { return written; }
  absl::Status NoteChange(absl::Status changed) override { return changed; }
  absl::Status NoteAnnotation() override { return absl::OkStatus(); }
  void RetryNote() override {}
  std::vector<ClusterNode> Nodes() const override { return {{.address = {}, .is_writer = true}}; }
  void Stop() override {}
};

absl::Status MustAsk() {
  return absl::AbortedError("the storage must be asked who writes");
}

class SharedWriterRole final : public StoreRole {
 public:
  explicit SharedWriterRole(std::unique_ptr<WriterRole> writer) : writer_(std::move(writer)) {}

  std::string_view name() const override { return "writer"; }
  absl::Status BeforeRead(bool at_once) override {
    return at_once ? MustAsk() : writer_->CheckIsWriter();
  }
  std::shared_ptr<OpenHours> HoursToRead(const std::shared_ptr<OpenHours>& own) override {
    return own;
  }
  absl::Status BeforeWrite() const override {
    const absl::Status lost = writer_->KnownLoss();
    return lost.ok() ? absl::OkStatus() : absl::UnavailableError(lost.message());
  }

  // A new writer first writes the row that names the writer, and reads afterwards. So if the row
  // still names this process after the write, a later writer reads the written data.
  absl::Status Acknowledge(absl::Status written) override {
    if (!written.ok()) return written;
    const absl::Status is_writer = writer_->CheckIsWriter();
    return is_writer.ok() ? written : absl::UnavailableError(is_writer.message());
  }

  // If the notification fails, other processes may not know of the change for a while. The caller
  // gets the error, and RetryNote repeats it.
  absl::Status NoteChange(absl::Status changed) override {
    const bool is_refused = absl::IsInvalidArgument(changed) || absl::IsNotFound(changed) ||
                            absl::IsAlreadyExists(changed);
    if (is_refused) return changed;
    const absl::Status noted = writer_->NoteChange();
    owes_note_ = !noted.ok();
    changed.Update(noted);
    return Acknowledge(std::move(changed));
  }

  absl::Status NoteAnnotation() override {
    if (has_noted_annotation_) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(NoteChange(absl::OkStatus()));
    has_noted_annotation_ = true;
    return absl::OkStatus();
  }

  void RetryNote() override {
    if (owes_note_) NoteChange(absl::OkStatus()).IgnoreError();  // the next call retries
  }

  std::vector<ClusterNode> Nodes() const override { return writer_->Nodes(); }
  void Stop() override {}

 private:
  const std::unique_ptr<WriterRole> writer_;
  std::atomic<bool> owes_note_{false};  // the last notification failed
  std::atomic<bool> has_noted_annotation_{false};
};

class FollowerRole final : public StoreRole {
 public:
  FollowerRole(std::unique_ptr<JournalTail> tail, const Follower::Parts& parts)
      : tail_(std::move(tail)), follower_(parts) {}

  void Start(int64_t tick_ms) {
    ticker_ = std::make_unique<Background>("hc-follow", tick_ms, [this] { follower_.Tick(); });
  }

  std::string_view name() const override { return "follower"; }
  absl::Status BeforeRead(bool at_once) override {
    return at_once ? MustAsk() : follower_.CatchUp();
  }
  std::shared_ptr<OpenHours> HoursToRead(const std::shared_ptr<OpenHours>& /*own*/) override {
    return follower_.hours();
  }
  absl::Status BeforeWrite() const override { return OnlyReads(); }
  absl::Status Acknowledge(absl::Status written) override { return written; }
  absl::Status NoteChange(absl::Status changed) override { return changed; }
  absl::Status NoteAnnotation() override { return absl::OkStatus(); }
  void RetryNote() override {}
  std::vector<ClusterNode> Nodes() const override { return {}; }
  void Stop() override { ticker_.reset(); }

 private:
  const std::unique_ptr<JournalTail> tail_;  // of the journal of another process
  Follower follower_;
  std::unique_ptr<Background> ticker_;
};

}  // namespace

std::unique_ptr<StoreRole> MakeAloneRole() {
  return std::make_unique<AloneRole>();
}

std::unique_ptr<StoreRole> MakeWriterRole(std::unique_ptr<WriterRole> writer) {
  return std::make_unique<SharedWriterRole>(std::move(writer));
}

absl::StatusOr<std::unique_ptr<StoreRole>> MakeFollowerRole(std::unique_ptr<JournalTail> tail,
                                                            Follower::Parts parts,
                                                            int64_t tick_ms) {
  parts.journal = tail.get();
  auto role = std::make_unique<FollowerRole>(std::move(tail), parts);
  HOURCELL_RETURN_IF_ERROR(role->BeforeRead(/*at_once=*/false));
  role->Start(tick_ms);
  return role;
}

}  // namespace hourcell
