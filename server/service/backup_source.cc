#include "server/service/backup_source.h"

#include <functional>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/status_macros.h"
#include "core/jobs/backup/backup_stream.h"

namespace vrp {
namespace {

class BackupSource final : public StreamSource<v1::BackupServerResponse> {
 public:
  BackupSource(std::unique_ptr<BackupStream> stream, WatchFn watch)
      : stream_(std::move(stream)), watch_(std::move(watch)) {}

  absl::StatusOr<std::vector<v1::BackupServerResponse>> Next() override {
    std::vector<v1::BackupServerResponse> messages;
    if (at_end_) return messages;
    const auto watched = BeginWatch(watch_, "backup", {});
    VRP_ASSIGN_OR_RETURN(std::string piece, stream_->Next());
    v1::BackupServerResponse& message = messages.emplace_back();
    message.set_total_bytes(stream_->total_bytes());
    if (piece.empty()) {
      *message.mutable_summary() = Summary();
      at_end_ = true;
    }
    digest_.Add(piece);
    message.set_data(std::move(piece));
    return messages;
  }
  bool AtEnd() const override { return at_end_; }
  // Calls `on_ready` at once, because Next returns no messages only at the end.
  void NotifyWhenReady(std::function<void()> on_ready) override { on_ready(); }

 private:
  v1::BackupSummary Summary() {
    const StateSnapshot& snapshot = stream_->snapshot();
    v1::BackupSummary summary;
    summary.set_sha256(digest_.TakeHex());
    summary.set_file_count(stream_->file_count());
    summary.set_job_count(snapshot.jobs);
    summary.set_model_count(snapshot.models);
    summary.set_skipped_link_count(snapshot.skipped_links);
    return summary;
  }

  const std::unique_ptr<BackupStream> stream_;
  const WatchFn watch_;
  Sha256 digest_;
  bool at_end_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::BackupServerResponse>>> OpenBackup(
    const BackupSources& sources) {
  const auto watched = BeginWatch(sources.watch, "backup", {});
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<BackupStream> stream, BackupStream::Open(sources));
  return std::make_unique<BackupSource>(std::move(stream), sources.watch);
}

}  // namespace vrp
