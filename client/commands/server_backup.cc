// server backup.
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

namespace vrp::client {
namespace {

constexpr mode_t kOwnerOnly = 0600;  // configurations and plans of all callers

// The archive as it comes.
class Download {
 public:
  Download(CommandContext& context, OutputFile file) : context_(context), file_(std::move(file)) {}

  bool Take(const v1::BackupServerResponse& message) {
    status_ = file_.Write(message.data());
    digest_.Add(message.data());
    bytes_ += static_cast<int64_t>(message.data().size());
    total_ = message.total_bytes();
    if (message.has_summary()) summary_ = message.summary();
    Show();
    return status_.ok();
  }

  // The summary, once all that it tells of has come and is on the disk.
  absl::StatusOr<v1::BackupSummary> Finish() {
    if (shown_) context_.err() << std::endl;
    if (!status_.ok()) return status_;
    if (!summary_.has_value() || bytes_ != total_) {
      return absl::DataLossError(absl::StrCat("got ", bytes_, " of ", total_,
                                              " bytes and no more; make the backup again"));
    }
    if (const std::string digest = digest_.Hex(); digest != summary_->sha256()) {
      return absl::DataLossError(absl::StrCat("what came has SHA-256 ", digest, ", what was sent ",
                                              summary_->sha256(), "; make the backup again"));
    }
    if (const absl::Status written = file_.Commit(); !written.ok()) return written;
    return *summary_;
  }
  int64_t bytes() const { return bytes_; }

 private:
  void Show() {
    const std::optional<int> width = context_.environment().terminal_width();
    if (!width.has_value() || context_.json()) return;
    shown_ = true;
    context_.err() << "\r" << BytesBarLine(bytes_, total_, *width - 1) << std::flush;
  }

  CommandContext& context_;
  OutputFile file_;
  Digest digest_;
  int64_t bytes_ = 0;
  int64_t total_ = 0;
  bool shown_ = false;
  absl::Status status_;
  std::optional<v1::BackupSummary> summary_;
};

void Print(CommandContext& context, const std::string& path, int64_t bytes,
           const v1::BackupSummary& summary) {
  if (context.json()) {
    WriteJsonLine(context.out(), {{"file", path},
                                  {"bytes", bytes},
                                  {"sha256", summary.sha256()},
                                  {"files", summary.files()},
                                  {"jobs", summary.jobs()},
                                  {"models", summary.models()},
                                  {"links_left_out", summary.links_left_out()}});
    return;
  }
  context.out() << path << ": " << FormatBytes(bytes) << ", " << summary.files() << " files, "
                << summary.jobs() << " jobs, " << summary.models() << " versions of models\n"
                << "sha256: " << summary.sha256() << "\n"
                << "restore it with: vrpd --restore " << path << " --state-dir EMPTY_FOLDER"
                << std::endl;
  if (summary.links_left_out() > 0) {
    context.err() << "vrpctl: server backup: " << summary.links_left_out()
                  << " symbolic links in the state folder were left out" << std::endl;
  }
}

ExitCode RunBackup(CommandContext& context, const std::string& path) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path, kOwnerOnly);
  if (!file.ok()) return context.Fail(file.status(), path);
  Download download(context, *std::move(file));
  const absl::Status received = context.client().BackupServer(
      [&](const v1::BackupServerResponse& message) { return download.Take(message); });
  if (!received.ok()) return context.Fail(received);
  const absl::StatusOr<v1::BackupSummary> summary = download.Finish();
  if (!summary.ok()) return context.Fail(summary.status(), path);
  Print(context, path, download.bytes(), *summary);
  return kExitDone;
}

}  // namespace

void AddServerBackup(CLI::App& server, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      server, "backup",
      "Everything that the daemon keeps, as of this moment, in a tar file; jobs go on meanwhile",
      "vrpctl server backup vrp-$(date +%F).tar\n"
      "tar xf vrp-$(date +%F).tar && sha256sum -c SHA256SUMS  # whether it is whole\n"
      "vrpd --restore vrp-$(date +%F).tar --state-dir new-state  # on any machine, without a "
      "daemon");
  const auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "The file to write, whole or not at all")
      ->type_name("")
      ->required();
  command->callback([path, &chosen] {
    chosen = {"server backup",
              [path](CommandContext& context) { return RunBackup(context, *path); }};
  });
}

}  // namespace vrp::client
