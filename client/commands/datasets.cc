// Implements the commands `datasets upload`, `list`, `get`, `export` and `delete`.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/commands/command.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/text.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr size_t kDatasetChunkBytes = size_t{1} << 18;
// Many jobs and labels may have to go.
constexpr absl::Duration kDeletionTimeout = absl::Minutes(2);
constexpr char kDatasetNameHelp[] = "Name the dataset: NAME or datasets/NAME";
constexpr char kUploadExample[] =
    "vrpctl generate --problem cvrp --customers 10 --count 64 --out own.jsonl\n"
    "vrpctl datasets upload own.jsonl --name depot7\n";
constexpr char kLogExample[] =
    "echo '{\"day\": \"2026-11-02\", \"id\": \"a1\", \"at\": 0, \"customer\": \"7\"}' > log.jsonl\n"
    "vrpctl datasets upload log.jsonl --name history";

// The messages of an upload: the header, then the file in chunks.
class DatasetMessages {
 public:
  // Prepares an upload of `stream`, whose size is `bytes`, 0 if unknown.
  DatasetMessages(CommandContext& context, std::istream& stream, int64_t bytes)
      : context_(context), stream_(stream), bytes_(bytes) {}

  // Sets the header. The daemon's errors use `file` as the file's name.
  void SetHeader(const std::string& name, const std::string& file) {
    v1::UploadDatasetRequest::Header& header = *header_.emplace().mutable_header();
    header.set_name(ToValidUtf8(name));
    header.set_file_name(ToValidUtf8(file));
    header.set_size_bytes(bytes_);
  }
  absl::StatusOr<std::optional<v1::UploadDatasetRequest>> Next() {
    if (header_.has_value()) return std::exchange(header_, std::nullopt);
    std::string chunk(kDatasetChunkBytes, '\0');
    stream_.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    if (stream_.bad()) return absl::InvalidArgumentError("cannot be read");
    chunk.resize(static_cast<size_t>(stream_.gcount()));
    if (chunk.empty()) return std::nullopt;
    sent_ += static_cast<int64_t>(chunk.size());
    DrawProgress();
    v1::UploadDatasetRequest message;
    message.set_chunk(std::move(chunk));
    return message;
  }
  // Ends the line of the progress bar.
  void EndProgress() {
    if (drawn_) context_.err() << std::endl;
  }

 private:
  void DrawProgress() {
    const std::optional<int> width = context_.environment().terminal_width();
    if (!width.has_value() || context_.json() || bytes_ == 0) return;
    drawn_ = true;
    context_.err() << "\r" << BytesBarLine(sent_, bytes_, *width - 1) << std::flush;
  }

  CommandContext& context_;
  std::istream& stream_;
  const int64_t bytes_;
  std::optional<v1::UploadDatasetRequest> header_;
  int64_t sent_ = 0;
  bool drawn_ = false;
};

struct DatasetUploadFlags {
  std::string path;
  std::string name;
};

absl::StatusOr<v1::Dataset> SendDataset(CommandContext& context, const DatasetUploadFlags& flags,
                                        std::istream& stream, int64_t bytes) {
  DatasetMessages messages(context, stream, bytes);
  messages.SetHeader(flags.name, BaseName(flags.path));
  absl::StatusOr<v1::Dataset> dataset = context.client().Upload(
      &v1::DatasetService::Stub::UploadDataset, [&messages] { return messages.Next(); });
  messages.EndProgress();
  return dataset;
}

absl::StatusOr<v1::Dataset> SendDatasetFile(CommandContext& context,
                                            const DatasetUploadFlags& flags) {
  if (flags.path == "-") return SendDataset(context, flags, context.environment().in, 0);
  const absl::Status readable = CheckReadable(flags.path);
  if (!readable.ok()) return readable;
  std::error_code error;
  const auto size = std::filesystem::file_size(flags.path, error);
  std::ifstream stream(flags.path, std::ios::binary);
  return SendDataset(context, flags, stream, error ? 0 : static_cast<int64_t>(size));
}

// Returns the line that says how to use an uploaded dataset.
std::string UseText(const v1::Dataset& dataset) {
  if (dataset.kind() == v1::DATASET_KIND_ROUTE_HISTORY) {
    return absl::StrCat(
        "train on it: vrpctl train --preset habits --set habits.history=", dataset.name(), "\n");
  }
  if (dataset.kind() == v1::DATASET_KIND_REQUEST_LOG) {
    return absl::StrCat("replay it: vrpctl dispatch simulate ", dataset.name(), " --site FILE\n");
  }
  return absl::StrCat(
      "train on it: vrpctl train --preset tiny_1 --set problem.instances=", dataset.name(), "\n");
}

ExitCode UploadDataset(CommandContext& context, const DatasetUploadFlags& flags) {
  const absl::StatusOr<v1::Dataset> dataset = SendDatasetFile(context, flags);
  if (!dataset.ok()) return context.Fail(dataset.status(), flags.path);
  return context.Print(DatasetJson(*dataset),
                       absl::StrCat(DatasetText(*dataset), UseText(*dataset)));
}

ExitCode ListDatasets(CommandContext& context) {
  const absl::StatusOr<v1::ListDatasetsResponse> response =
      context.client().Call(&v1::DatasetService::Stub::ListDatasets, {});
  if (!response.ok()) return context.Fail(response.status());
  ListPrinter<v1::Dataset> printer(
      context, {"DATASET", "KIND", "CONTENT", "PROBLEMS", "CUSTOMERS", "TOURS", "SIZE", "CREATED"},
      DatasetJson, DatasetRow);
  for (const v1::Dataset& dataset : response->datasets()) printer.Add(dataset);
  return printer.Finish();
}

ExitCode GetDataset(CommandContext& context, const std::string& name) {
  return CallByName(context, WithCollection("datasets", name),
                    &v1::DatasetService::Stub::GetDataset,
                    [&context](const std::string&, const v1::Dataset& dataset) {
                      return context.Print(DatasetJson(dataset), DatasetText(dataset));
                    });
}

struct DatasetExportFlags {
  std::string name;
  std::string path;
};

// Passes the content to `write`, piece by piece, until `write` fails.
absl::Status ReceiveDataset(CommandContext& context, const std::string& name,
                            absl::FunctionRef<absl::Status(const std::string&)> write) {
  v1::ExportDatasetRequest request;
  request.set_name(name);
  absl::Status written;
  const absl::Status status =
      context.client().Stream(&v1::DatasetService::Stub::ExportDataset, request,
                              [&](const v1::ExportDatasetResponse& response) {
                                written = write(response.chunk());
                                return written.ok();
                              });
  return status.ok() ? written : status;
}

absl::Status ExportToStandardOutput(CommandContext& context, const std::string& name) {
  absl::Status status = ReceiveDataset(context, name, [&](const std::string& piece) {
    context.out() << piece;
    return context.out() ? absl::OkStatus()
                         : absl::InternalError("cannot write to standard output");
  });
  context.out().flush();
  return status;
}

absl::Status ExportToFile(CommandContext& context, const std::string& name,
                          const std::string& path) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  if (!file.ok()) return file.status();
  int64_t bytes = 0;
  absl::Status status = ReceiveDataset(context, name, [&](const std::string& piece) {
    bytes += static_cast<int64_t>(piece.size());
    return file->Write(piece);
  });
  if (status.ok()) status = file->Commit();
  if (!status.ok()) return status;
  context.Print({{"name", name}, {"file", path}, {"bytes", bytes}},
                absl::StrCat(name, ": written to ", path, "\n"));
  return absl::OkStatus();
}

ExitCode ExportDataset(CommandContext& context, const DatasetExportFlags& flags) {
  const std::string name = WithCollection("datasets", flags.name);
  const absl::Status status = flags.path.empty() || flags.path == "-"
                                  ? ExportToStandardOutput(context, name)
                                  : ExportToFile(context, name, flags.path);
  return status.ok() ? kExitDone : context.Fail(status, name);
}

// Returns "60 labels, 1 simulation" for the counts that are not 0; empty if all are.
std::string RemovedText(const v1::DeleteDatasetResponse& response) {
  std::vector<std::string> parts;
  const auto add = [&parts](int64_t count, std::string_view noun) {
    if (count > 0) parts.push_back(FormatCount(count, noun));
  };
  add(response.deleted_label_count(), "label");
  add(response.deleted_simulations_size(), "simulation");
  add(response.deleted_training_jobs_size(), "training job");
  return absl::StrJoin(parts, ", ");
}

std::string DeletionText(const std::string& name, const v1::DeleteDatasetResponse& response) {
  std::string text = absl::StrCat(name, ": deleted\n");
  const std::string removed = RemovedText(response);
  if (!removed.empty()) absl::StrAppend(&text, "removed: ", removed, "\n");
  if (response.kept_models_size() == 0) return text;
  absl::StrAppend(&text, "kept: ", absl::StrJoin(response.kept_models(), ", "),
                  ", whose weights were trained on it\n");
  return text;
}

ExitCode DeleteDataset(CommandContext& context, const std::string& name) {
  return CallByName(
      context, WithCollection("datasets", name), &v1::DatasetService::Stub::DeleteDataset,
      [&context](const std::string& deleted, const v1::DeleteDatasetResponse& response) {
        const auto list = [](const auto& names) {
          return Json(std::vector<std::string>(names.begin(), names.end()));
        };
        return context.Print({{"deleted", deleted},
                              {"labels", response.deleted_label_count()},
                              {"simulations", list(response.deleted_simulations())},
                              {"training_jobs", list(response.deleted_training_jobs())},
                              {"kept_models", list(response.kept_models())}},
                             DeletionText(deleted, response));
      },
      kDeletionTimeout);
}

void AddDatasetUpload(CLI::App& datasets, ChosenCommand& chosen) {
  CLI::App* upload = AddCommand(
      datasets, "upload", "Upload instances, requests or routes, one JSON object per line",
      absl::StrCat(
          kUploadExample,
          "vrpctl generate --problem cvrp --count 1000 | vrpctl datasets upload - --name cvrp20\n",
          kLogExample));
  const auto flags = std::make_shared<DatasetUploadFlags>();
  AddArgument(*upload, "FILE", flags->path,
              "Read instances, past requests or past routes; - for standard input");
  upload
      ->add_option("--name", flags->name,
                   "Name the dataset: 1 to 64 letters, digits, '-', '_'; first a letter or digit")
      ->type_name("NAME")
      ->required();
  SetCallback(*upload, chosen, flags, UploadDataset);
}

void AddDatasetExport(CLI::App& datasets, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(datasets, "export", "Write the content of a dataset as it was uploaded",
                 absl::StrCat(kUploadExample, "vrpctl datasets export depot7 --out depot7.jsonl"));
  const auto flags = std::make_shared<DatasetExportFlags>();
  AddArgument(*command, "NAME", flags->name, kDatasetNameHelp);
  command->add_option("--out", flags->path, "Write to a file instead of standard output")
      ->type_name("FILE");
  SetCallback(*command, chosen, flags, ExportDataset);
}

}  // namespace

void AddDatasets(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* datasets =
      AddCommand(app, "datasets", "Manage the instances and past days that the daemon keeps",
                 absl::StrCat(kUploadExample,
                              "vrpctl train --preset tiny_1 --set problem.instances=datasets/depot7"
                              "\nvrpctl datasets list"));
  datasets->require_subcommand(1);
  AddDatasetUpload(*datasets, chosen);
  SetCallback(
      *AddCommand(*datasets, "list", "List all datasets", "vrpctl datasets list --output json"),
      chosen, ListDatasets);
  const auto add = [&](const std::string& verb, const std::string& description,
                       ExitCode (*run)(CommandContext&, const std::string&)) {
    CLI::App* command =
        AddCommand(*datasets, verb, description,
                   absl::StrCat(kUploadExample, "vrpctl datasets ", verb, " depot7"));
    const auto name = std::make_shared<std::string>();
    AddArgument(*command, "NAME", *name, kDatasetNameHelp);
    SetCallback(*command, chosen, name, run);
  };
  add("get", "Show a dataset", GetDataset);
  AddDatasetExport(*datasets, chosen);
  add("delete", "Delete a dataset and what was derived from it, except models", DeleteDataset);
}

}  // namespace vrp::client
