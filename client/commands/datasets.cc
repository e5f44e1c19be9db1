// datasets upload, datasets list, datasets get, datasets delete.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr size_t kDatasetChunkBytes = size_t{1} << 18;
constexpr char kUploadExample[] =
    "vrpctl generate --problem cvrp --customers 10 --count 64 --out own.jsonl\n"
    "vrpctl datasets upload own.jsonl --name depot7\n";

std::string DatasetResource(const std::string& name) {
  const bool whole = absl::StartsWith(name, "datasets/");
  return ToValidUtf8(whole ? name : absl::StrCat("datasets/", name));
}

// The upload's messages: the header, then the file in chunks.
class DatasetMessages {
 public:
  // `bytes`: of the whole stream, 0 where that is not known.
  DatasetMessages(CommandContext& context, std::istream& stream, int64_t bytes)
      : context_(context), stream_(stream), bytes_(bytes) {}

  // `file` stands in the daemon's errors.
  void Begin(const std::string& name, const std::string& file) {
    v1::UploadDatasetRequest::Header& header = *header_.emplace().mutable_header();
    header.set_name(ToValidUtf8(name));
    header.set_file_name(ToValidUtf8(file));
    header.set_bytes(bytes_);
  }
  absl::StatusOr<std::optional<v1::UploadDatasetRequest>> Next() {
    if (header_.has_value()) return std::exchange(header_, std::nullopt);
    std::string piece(kDatasetChunkBytes, '\0');
    stream_.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (stream_.bad()) return absl::InvalidArgumentError("cannot be read");
    piece.resize(static_cast<size_t>(stream_.gcount()));
    if (piece.empty()) return std::nullopt;
    sent_ += static_cast<int64_t>(piece.size());
    Show();
    v1::UploadDatasetRequest message;
    message.set_chunk(std::move(piece));
    return message;
  }
  // Ends the bar's line.
  void End() {
    if (shown_) context_.err() << std::endl;
  }

 private:
  void Show() {
    const std::optional<int> width = context_.environment().terminal_width();
    if (!width.has_value() || context_.json() || bytes_ == 0) return;
    shown_ = true;
    context_.err() << "\r" << BytesBarLine(sent_, bytes_, *width - 1) << std::flush;
  }

  CommandContext& context_;
  std::istream& stream_;
  const int64_t bytes_;
  std::optional<v1::UploadDatasetRequest> header_;
  int64_t sent_ = 0;
  bool shown_ = false;
};

void PrintDataset(CommandContext& context, const v1::Dataset& dataset) {
  if (context.json()) return WriteJsonLine(context.out(), DatasetJson(dataset));
  context.out() << DatasetText(dataset) << std::flush;
}

struct DatasetFlags {
  std::string path;
  std::string name;
};

absl::StatusOr<v1::Dataset> SendDataset(CommandContext& context, const DatasetFlags& flags,
                                        std::istream& stream, int64_t bytes) {
  DatasetMessages messages(context, stream, bytes);
  messages.Begin(flags.name, BaseName(flags.path));
  absl::StatusOr<v1::Dataset> kept =
      context.client().UploadDataset([&messages] { return messages.Next(); });
  messages.End();
  return kept;
}

absl::StatusOr<v1::Dataset> SendDatasetFile(CommandContext& context, const DatasetFlags& flags) {
  if (flags.path == "-") return SendDataset(context, flags, context.environment().in, 0);
  const absl::Status readable = CheckReadable(flags.path);
  if (!readable.ok()) return readable;
  std::error_code error;
  const auto size = std::filesystem::file_size(flags.path, error);
  std::ifstream stream(flags.path, std::ios::binary);
  return SendDataset(context, flags, stream, error ? 0 : static_cast<int64_t>(size));
}

ExitCode RunDatasetUpload(CommandContext& context, const DatasetFlags& flags) {
  const absl::StatusOr<v1::Dataset> kept = SendDatasetFile(context, flags);
  if (!kept.ok()) return context.Fail(kept.status(), flags.path);
  PrintDataset(context, *kept);
  if (!context.json()) {
    context.out() << "train on it: vrpctl train --preset tiny_1 --set problem.instances="
                  << kept->name() << std::endl;
  }
  return kExitDone;
}

ExitCode RunDatasetList(CommandContext& context) {
  const absl::StatusOr<v1::ListDatasetsResponse> response = context.client().ListDatasets();
  if (!response.ok()) return context.Fail(response.status());
  Table table({"DATASET", "INSTANCES", "KINDS", "CUSTOMERS", "TOURS", "SIZE", "CREATED"});
  for (const v1::Dataset& dataset : response->datasets()) {
    if (context.json()) {
      WriteJsonLine(context.out(), DatasetJson(dataset));
      continue;
    }
    table.AddRow(DatasetRow(dataset));
  }
  if (!context.json()) context.out() << table.Text() << std::flush;
  return kExitDone;
}

ExitCode RunDatasetGet(CommandContext& context, const std::string& name) {
  v1::GetDatasetRequest request;
  request.set_name(DatasetResource(name));
  const absl::StatusOr<v1::Dataset> dataset = context.client().GetDataset(request);
  if (!dataset.ok()) return context.Fail(dataset.status());
  PrintDataset(context, *dataset);
  return kExitDone;
}

ExitCode RunDatasetDelete(CommandContext& context, const std::string& name) {
  v1::DeleteDatasetRequest request;
  request.set_name(DatasetResource(name));
  const absl::StatusOr<v1::DeleteDatasetResponse> response =
      context.client().DeleteDataset(request);
  if (!response.ok()) return context.Fail(response.status());
  if (context.json()) {
    WriteJsonLine(context.out(), {{"deleted", request.name()}});
  } else {
    context.out() << request.name() << ": deleted" << std::endl;
  }
  return kExitDone;
}

void AddDatasetUpload(CLI::App& datasets, ChosenCommand& chosen) {
  CLI::App* upload = AddCommand(
      datasets, "upload", "Upload instances, one JSON object per line, to train on",
      absl::StrCat(
          kUploadExample,
          "vrpctl generate --problem cvrp --count 1000 | vrpctl datasets upload - --name cvrp20"));
  const auto flags = std::make_shared<DatasetFlags>();
  upload
      ->add_option("FILE", flags->path,
                   "Instances in this project's JSON, perhaps with ref_routes; - for standard "
                   "input")
      ->type_name("")
      ->required();
  upload->add_option("--name", flags->name, "Name of the dataset: letters, digits, '-' and '_'")
      ->type_name("NAME")
      ->required();
  upload->callback([flags, &chosen] {
    chosen = {"datasets upload",
              [flags](CommandContext& context) { return RunDatasetUpload(context, *flags); }};
  });
}

// `get` and `delete`.
void AddDatasetNamed(CLI::App& datasets, const std::string& verb, const std::string& description,
                     ExitCode (*run)(CommandContext&, const std::string&), ChosenCommand& chosen) {
  CLI::App* command = AddCommand(datasets, verb, description,
                                 absl::StrCat(kUploadExample, "vrpctl datasets ", verb, " depot7"));
  const auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "NAME or datasets/NAME")->type_name("")->required();
  command->callback([verb, name, run, &chosen] {
    chosen = {absl::StrCat("datasets ", verb),
              [name, run](CommandContext& context) { return run(context, *name); }};
  });
}

}  // namespace

void AddDatasets(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* datasets =
      AddCommand(app, "datasets", "Training data that the daemon keeps: upload, list, get, delete",
                 absl::StrCat(kUploadExample,
                              "vrpctl train --preset tiny_1 --set problem.instances=datasets/depot7"
                              "\nvrpctl datasets list"));
  datasets->require_subcommand(1);
  AddDatasetUpload(*datasets, chosen);
  AddCommand(*datasets, "list", "List all datasets", "vrpctl datasets list --output json")
      ->callback([&chosen] {
        chosen = {"datasets list", RunDatasetList};
      });
  AddDatasetNamed(*datasets, "get", "Show what a dataset holds", RunDatasetGet, chosen);
  AddDatasetNamed(*datasets, "delete", "Delete a dataset that no unfinished job reads",
                  RunDatasetDelete, chosen);
}

}  // namespace vrp::client
