// ImportModel and ExportModel without gRPC.
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

// One upload. Files are written to a staging folder as they come, under names of our own; what was
// not finished is removed. Calls come one after the other, from any thread; they block on the disk.
class ModelImport {
 public:
  // Both outlive it; a quota of null: none.
  ModelImport(Registry& registry, const StateQuota* quota) : registry_(registry), quota_(quota) {}
  ~ModelImport();
  ModelImport(const ModelImport&) = delete;
  ModelImport& operator=(const ModelImport&) = delete;

  absl::Status Take(const v1::ImportModelRequest& message);
  // Checks quota, header, card and sum of the weights, loads them once, publishes.
  absl::StatusOr<v1::Model> Finish();

 private:
  // What came so far is counted where the models lie in the state folder.
  absl::Status CheckQuota() const;
  absl::Status TakeHeader(const v1::ImportModelRequest::Header& header);
  absl::Status TakeChunk(const v1::FileChunk& chunk);

  Registry& registry_;
  const StateQuota* const quota_;
  std::string name_;    // empty: no header yet
  std::string folder_;  // staging
  int64_t card_bytes_ = 0;
  int64_t weights_bytes_ = 0;
};

absl::StatusOr<std::unique_ptr<StreamSource<v1::ExportModelResponse>>> OpenModelExport(
    const Registry& registry, const v1::ExportModelRequest& request);

}  // namespace vrp
