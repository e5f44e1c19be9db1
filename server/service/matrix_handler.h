// DatasetService's matrices without gRPC.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/matrix_store.h"
#include "server/support/message_budget.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// One upload, in memory until it is whole; its share of `messages` is held until it goes. Calls
// come one after the other, from any thread.
class MatrixImport {
 public:
  // Both outlive it.
  MatrixImport(MatrixStore& store, MessageBudget& messages) : store_(store), messages_(messages) {}

  // kResourceExhausted: as of the budget.
  absl::Status Take(const v1::UploadMatricesRequest& message);
  absl::StatusOr<v1::Matrices> Finish();

 private:
  absl::Status TakeChunk(const v1::UploadMatricesRequest::Chunk& chunk);

  MatrixStore& store_;
  MessageBudget& messages_;
  MessageBudget::Share share_;          // of what upload_ has
  std::optional<MatrixUpload> upload_;  // none: no header yet
};

v1::ListMatricesResponse ListMatrices(const MatrixStore& store);
absl::StatusOr<v1::DeleteMatricesResponse> DeleteMatrices(MatrixStore& store,
                                                          const v1::DeleteMatricesRequest& request);

}  // namespace vrp
