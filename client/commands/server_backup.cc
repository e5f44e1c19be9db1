// Implements the command `server backup`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/support/digest.h"
#include "client/support/files.h"
#include "client/support/text.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr mode_t kOwnerOnly = 0600;  // archives hold the plans of all callers

// A writer that stores a backup's chunks in a file and verifies the whole archive at the end.
class BackupWriter {
 public:
  BackupWriter(CommandContext& context, OutputFile file)
      : context_(context), file_(std::move(file)) {}

  bool Receive(const v1::BackupServerResponse& message) {
    status_ = file_.Write(message.data());
    digest_.Add(message.data());
    bytes_ += static_cast<int64_t>(message.data().size());
    total_ = message.total_bytes();
    if (message.has_summary()) summary_ = message.summary();
    DrawProgress();
    return status_.ok();
  }

  // Verifies the size and the digest, makes the file durable and returns the summary. Returns
  // kDataLoss for an incomplete or changed archive, otherwise the error of a failed write.
  absl::StatusOr<v1::BackupSummary> Finish() {
    if (drawn_) context_.err() << std::endl;
    if (!status_.ok()) return status_;
    if (!summary_.has_value() || bytes_ != total_) {
      return absl::DataLossError(absl::StrCat("the daemon ended the backup after ", bytes_, " of ",
                                              total_, " bytes; repeat the backup"));
    }
    if (const std::string digest = digest_.Hex(); digest != summary_->sha256()) {
      return absl::DataLossError(absl::StrCat("the received data has SHA-256 ", digest,
                                              ", the sent data ", summary_->sha256(),
                                              "; repeat the backup"));
    }
    if (const absl::Status written = file_.Commit(); !written.ok()) return written;
    return *summary_;
  }
  int64_t bytes() const { return bytes_; }

 private:
  void DrawProgress() {
    const std::optional<int> width = context_.environment().terminal_width();
    if (!width.has_value() || context_.json()) return;
    drawn_ = true;
    context_.err() << "\r" << BytesBarLine(bytes_, total_, *width - 1) << std::flush;
  }

  CommandContext& context_;
  OutputFile file_;
  Sha256 digest_;
  int64_t bytes_ = 0;
  int64_t total_ = 0;
  bool drawn_ = false;
  absl::Status status_;
  std::optional<v1::BackupSummary> summary_;
};

ExitCode PrintBackup(CommandContext& context, const std::string& path, int64_t bytes,
                     const v1::BackupSummary& summary) {
  if (summary.skipped_link_count() > 0 && !context.json()) {
    context.err() << "vrpctl: server backup: left out " << summary.skipped_link_count()
                  << " symbolic links of the state folder" << std::endl;
  }
  return context.Print(
      {{"file", path},
       {"bytes", bytes},
       {"sha256", summary.sha256()},
       {"files", summary.file_count()},
       {"jobs", summary.job_count()},
       {"models", summary.model_count()},
       {"skipped_links", summary.skipped_link_count()}},
      absl::StrCat(path, ": ", FormatBytes(bytes), ", ", FormatCount(summary.file_count(), "file"),
                   ", ", FormatCount(summary.job_count(), "job"), ", ",
                   FormatCount(summary.model_count(), "model version"),
                   "\nsha256: ", summary.sha256(), "\nrestore it: vrpd --restore ", path,
                   " --state-dir EMPTY_FOLDER\n"));
}

ExitCode RunBackup(CommandContext& context, const std::string& path) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path, kOwnerOnly);
  if (!file.ok()) return context.Fail(file.status(), path);
  BackupWriter writer(context, *std::move(file));
  const absl::Status received = context.client().Stream(
      &v1::SystemService::Stub::BackupServer, {},
      [&](const v1::BackupServerResponse& message) { return writer.Receive(message); });
  if (!received.ok()) return context.Fail(received);
  const absl::StatusOr<v1::BackupSummary> summary = writer.Finish();
  if (!summary.ok()) return context.Fail(summary.status(), path);
  return PrintBackup(context, path, writer.bytes(), *summary);
}

}  // namespace

void AddServerBackup(CLI::App& server, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(server, "backup", "Save the daemon's whole state in a tar file while jobs run",
                 "vrpctl server backup vrp-$(date +%F).tar\n"
                 "tar xf vrp-$(date +%F).tar && sha256sum -c SHA256SUMS  # verifies it\n"
                 "vrpd --restore vrp-$(date +%F).tar --state-dir new-state  # on any machine");
  const auto path = std::make_shared<std::string>();
  AddArgument(*command, "FILE", *path, "Write to this file, completely or not at all");
  SetCallback(*command, chosen, path, RunBackup);
}

}  // namespace vrp::client
