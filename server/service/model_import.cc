#include "server/service/model_import.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"
#include "server/convert/field_violation.h"
#include "server/convert/model_convert.h"
#include "server/convert/names.h"

namespace vrp {
namespace {

constexpr size_t kMaxImportChunkBytes = size_t{4} << 20;
// Size of an exported chunk, less than the smallest message limit, 1 MiB.
constexpr size_t kExportChunkBytes = size_t{1} << 19;

// A source that sends the files of a model one after the other.
class ExportSource final : public StreamSource<v1::ExportModelResponse> {
 public:
  explicit ExportSource(std::string folder) : folder_(std::move(folder)) {}

  absl::StatusOr<std::vector<v1::ExportModelResponse>> Next() override {
    std::vector<v1::ExportModelResponse> messages;
    if (AtEnd()) return messages;
    const std::string path = (std::filesystem::path(folder_) / kFiles[file_]).string();
    if (!stream_.is_open()) stream_.open(path, std::ios::binary);
    std::string data(kExportChunkBytes, '\0');
    stream_.read(data.data(), static_cast<std::streamsize>(data.size()));
    if (stream_.bad() || !stream_.is_open()) {
      return absl::UnavailableError(
          Concat(kFiles[file_], ": cannot be read; the version may have been deleted"));
    }
    data.resize(static_cast<size_t>(stream_.gcount()));
    v1::FileChunk& chunk = *messages.emplace_back().mutable_chunk();
    chunk.set_file(std::string(kFiles[file_]));
    chunk.set_data(std::move(data));
    if (stream_.eof()) {
      stream_ = std::ifstream();
      ++file_;
    }
    return messages;
  }
  bool AtEnd() const override { return file_ == kFiles.size(); }
  // Calls `on_ready` at once, because Next returns no messages only at the end.
  void NotifyWhenReady(std::function<void()> on_ready) override { on_ready(); }

 private:
  static constexpr std::array<std::string_view, 2> kFiles = {kCardFile, kWeightsFile};

  const std::string folder_;
  size_t file_ = 0;
  std::ifstream stream_;
};

}  // namespace

ModelImport::~ModelImport() {
  if (!folder_.empty()) registry_.DiscardStaging(folder_);
}

absl::Status ModelImport::Take(const v1::ImportModelRequest& message) {
  switch (message.part_case()) {
    case v1::ImportModelRequest::kHeader:
      return TakeHeader(message.header());
    case v1::ImportModelRequest::kChunk:
      return TakeChunk(message.chunk());
    case v1::ImportModelRequest::PART_NOT_SET:
      break;
  }
  return InvalidField("part", "absent, wanted a header or a chunk");
}

absl::Status ModelImport::CheckQuota() const {
  return quota_ == nullptr ? absl::OkStatus() : quota_->Check();
}

absl::Status ModelImport::TakeHeader(const v1::ImportModelRequest::Header& header) {
  if (!name_.empty()) return InvalidField("header", "given twice, wanted one header");
  if (const absl::Status status = CheckModelName(header.name()); !status.ok()) {
    return InvalidField("header.name", FromAbsl(status.message()));
  }
  VRP_RETURN_IF_ERROR(CheckQuota());
  VRP_ASSIGN_OR_RETURN(folder_, registry_.StagingDirectory());
  name_ = header.name();
  return absl::OkStatus();
}

absl::Status ModelImport::TakeChunk(const v1::FileChunk& chunk) {
  if (name_.empty()) return InvalidField("header", "absent, wanted a header before any chunk");
  const bool card = chunk.file() == kCardFile;
  if (!card && chunk.file() != kWeightsFile) {
    return InvalidField("chunk.file", Concat("got ", Quoted(chunk.file()), ", wanted ", kCardFile,
                                             " or ", kWeightsFile));
  }
  if (chunk.data().size() > kMaxImportChunkBytes) {
    return InvalidField("chunk.data", Concat("has ", chunk.data().size(), " bytes, wanted at most ",
                                             kMaxImportChunkBytes));
  }
  int64_t& bytes = card ? card_bytes_ : weights_bytes_;
  const int64_t max_bytes = card ? kMaxCardBytes : kMaxSafetensorsBytes;
  bytes += static_cast<int64_t>(chunk.data().size());
  if (bytes > max_bytes) {
    return absl::ResourceExhaustedError(
        Concat(chunk.file(), ": has more than the limit of ", max_bytes, " bytes"));
  }
  const std::string_view file = card ? kCardFile : kWeightsFile;
  std::ofstream stream(std::filesystem::path(folder_) / file, std::ios::binary | std::ios::app);
  stream.write(chunk.data().data(), static_cast<std::streamsize>(chunk.data().size()));
  stream.close();
  if (stream) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      Concat(file, ": cannot be written; check the free space of the models folder"));
}

absl::StatusOr<v1::Model> ModelImport::Finish() {
  if (name_.empty()) return InvalidField("header", "absent, wanted a header and chunks");
  if (card_bytes_ == 0)
    return InvalidField("chunk.file", Concat(kCardFile, " is missing, wanted both files"));
  if (weights_bytes_ == 0)
    return InvalidField("chunk.file", Concat(kWeightsFile, " is missing, wanted both files"));
  VRP_RETURN_IF_ERROR(CheckQuota());
  const absl::StatusOr<ModelVersion> version = registry_.Import(name_, folder_);
  if (!version.ok()) {
    // The error names the file but not the folder.
    const std::string prefix = Concat(folder_, "/");
    std::string text(version.status().message());
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return absl::Status(version.status().code(), text);
  }
  folder_.clear();
  return ToProto(*version);
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::ExportModelResponse>>> OpenModelExport(
    const Registry& registry, const v1::ExportModelRequest& request) {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("name", request.name()));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, registry.Resolve(name));
  return std::make_unique<ExportSource>(version.directory);
}

}  // namespace vrp
