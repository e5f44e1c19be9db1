// Implements ImportModel and ExportModel without gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/state_quota.h"
#include "core/registry/registry.h"
#include "server/service/stream_source.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {

// An upload. It writes files to a staging folder as they arrive, under its own names, and removes
// an unfinished upload. Methods block on the disk. Not thread-safe.
class ModelImport {
 public:
  // Both arguments must outlive the upload. `quota` may be null.
  ModelImport(Registry& registry, const StateQuota* quota) : registry_(registry), quota_(quota) {}
  ~ModelImport();
  ModelImport(const ModelImport&) = delete;
  ModelImport& operator=(const ModelImport&) = delete;

  absl::Status Take(const v1::ImportModelRequest& message);
  // Checks quota, header, card and checksum, loads the weights once and publishes the version. Call
  // this once, after the last message.
  absl::StatusOr<v1::Model> Finish();

 private:
  // Checks the quota, which counts the received bytes if the models are in the state folder.
  absl::Status CheckQuota() const;
  absl::Status TakeHeader(const v1::ImportModelRequest::Header& header);
  absl::Status TakeChunk(const v1::FileChunk& chunk);

  Registry& registry_;
  const StateQuota* const quota_;
  std::string name_;    // empty before the header
  std::string folder_;  // staging folder
  int64_t card_bytes_ = 0;
  int64_t weights_bytes_ = 0;
};

absl::StatusOr<std::unique_ptr<StreamSource<v1::ExportModelResponse>>> OpenModelExport(
    const Registry& registry, const v1::ExportModelRequest& request);

}  // namespace vrp
