// Implements the commands `models import` and `export`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/commands/command.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::client {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kModelFiles = {"card.json", "weights.safetensors"};
constexpr size_t kChunkBytes = size_t{1} << 20;

struct TransferFlags {
  std::string path;
  std::string name;
};

// The messages of an upload: the header, then both files in chunks.
class ModelMessages {
 public:
  ModelMessages(fs::path folder, std::string name)
      : folder_(std::move(folder)), name_(std::move(name)) {}

  absl::StatusOr<std::optional<v1::ImportModelRequest>> Next() {
    v1::ImportModelRequest message;
    if (!name_.empty()) {
      message.mutable_header()->set_name(std::exchange(name_, ""));
      return message;
    }
    if (file_ == kModelFiles.size()) return std::nullopt;
    if (!stream_.is_open()) {
      stream_.open(folder_ / kModelFiles[file_], std::ios::binary);
      if (!stream_) return Unreadable();
    }
    std::string data(kChunkBytes, '\0');
    stream_.read(data.data(), static_cast<std::streamsize>(data.size()));
    if (stream_.bad()) return Unreadable();
    data.resize(static_cast<size_t>(stream_.gcount()));
    message.mutable_chunk()->set_file(kModelFiles[file_]);
    message.mutable_chunk()->set_data(std::move(data));
    if (stream_.eof()) {
      stream_ = std::ifstream();
      ++file_;
    }
    return message;
  }

 private:
  absl::Status Unreadable() const {
    return absl::InvalidArgumentError(
        absl::StrCat((folder_ / kModelFiles[file_]).string(), ": cannot be read"));
  }

  const fs::path folder_;
  std::string name_;  // empty once the header is sent
  size_t file_ = 0;
  std::ifstream stream_;
};

ExitCode ImportModel(CommandContext& context, const TransferFlags& flags) {
  std::error_code error;
  const fs::path path(flags.path);
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder &&
      std::find(kModelFiles.begin(), kModelFiles.end(), path.filename()) == kModelFiles.end()) {
    return context.Fail(absl::InvalidArgumentError(absl::StrCat("wanted a folder with ",
                                                                absl::StrJoin(kModelFiles, " and "),
                                                                ", or one of these files")),
                        flags.path);
  }
  const fs::path folder = is_folder ? path : path.parent_path();
  for (const char* file : kModelFiles) {
    const std::string source = (folder / file).string();
    const absl::Status readable = CheckReadable(source);
    if (!readable.ok()) return context.Fail(readable, source);
  }
  ModelMessages messages(folder, flags.name);
  const absl::StatusOr<v1::Model> model = context.client().Upload(
      &v1::ModelService::Stub::ImportModel, [&messages] { return messages.Next(); });
  if (!model.ok()) return context.Fail(model.status(), flags.path);
  return context.Print(ModelJson(*model), ModelText(*model));
}

// Writes both files into `folder`, each completely or not at all.
absl::Status DownloadModel(CommandContext& context, const std::string& model,
                           const fs::path& folder) {
  std::array<std::optional<OutputFile>, kModelFiles.size()> files;
  absl::Status written;
  const auto receive = [&](const v1::ExportModelResponse& response) {
    for (size_t i = 0; i < kModelFiles.size(); ++i) {
      if (response.chunk().file() != kModelFiles[i]) continue;
      if (!files[i].has_value()) {
        absl::StatusOr<OutputFile> file = OutputFile::Create((folder / kModelFiles[i]).string());
        written.Update(file.status());
        if (file.ok()) files[i].emplace(*std::move(file));
      }
      if (written.ok()) written = files[i]->Write(response.chunk().data());
    }
    return written.ok();
  };
  v1::ExportModelRequest request;
  request.set_name(model);
  const absl::Status status =
      context.client().Stream(&v1::ModelService::Stub::ExportModel, request, receive);
  if (!status.ok()) return status;
  for (std::optional<OutputFile>& file : files) {
    if (written.ok() && !file.has_value()) {
      written = absl::InternalError(
          "the daemon did not send both card.json and weights.safetensors; repeat the export");
    }
    if (written.ok()) written = file->Commit();
  }
  return written;
}

ExitCode ExportModel(CommandContext& context, const TransferFlags& flags) {
  const absl::StatusOr<std::string> model = ModelResourceName(flags.name);
  if (!model.ok()) return context.Fail(model.status());
  std::error_code error;
  fs::create_directories(flags.path, error);
  if (error) {
    return context.Fail(absl::InvalidArgumentError(error.message()), flags.path);
  }
  const absl::Status status = DownloadModel(context, *model, flags.path);
  if (!status.ok()) return context.Fail(status, *model);
  return context.Print({{"name", *model}, {"folder", flags.path}},
                       absl::StrCat(*model, ": written to ", flags.path, "\n"));
}

}  // namespace

void AddModelsTransfer(CLI::App& models, ChosenCommand& chosen) {
  const auto in = std::make_shared<TransferFlags>();
  CLI::App* import_command =
      AddCommand(models, "import", "Import weights as the next version of a model",
                 "vrpctl models export gt-mixed --out gt-mixed\n"
                 "vrpctl models import gt-mixed --name my-model");
  AddArgument(*import_command, "PATH", in->path,
              "Read weights.safetensors and card.json in this folder, or name one of them");
  import_command->add_option("--name", in->name, "Name the model")->type_name("NAME")->required();
  SetCallback(*import_command, chosen, in, ImportModel);

  const auto out = std::make_shared<TransferFlags>();
  CLI::App* export_command = AddCommand(models, "export", "Write a model's files into a folder",
                                        "vrpctl models export gt-mixed@5 --out gt-mixed");
  AddArgument(*export_command, "NAME", out->name, kModelNameHelp);
  export_command->add_option("--out", out->path, "Write to this folder, created if missing")
      ->type_name("FOLDER")
      ->required();
  SetCallback(*export_command, chosen, out, ExportModel);
}

}  // namespace vrp::client
