// Implements the RPCs of matrices, without gRPC.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/matrix_store.h"
#include "server/support/message_budget.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// An upload, in memory until it is complete. It keeps its share of `messages` until it is
// destroyed. Not thread-safe.
class MatrixImport {
 public:
  // Both arguments must outlive the upload.
  MatrixImport(MatrixStore& store, MessageBudget& messages) : store_(store), messages_(messages) {}

  // Adds a message. Returns kInvalidArgument for a wrong message, and kResourceExhausted like
  // MessageBudget.
  absl::Status Take(const v1::UploadMatricesRequest& message);
  absl::StatusOr<v1::Matrices> Finish();

 private:
  absl::Status TakeChunk(const v1::UploadMatricesRequest::Chunk& chunk);

  MatrixStore& store_;
  MessageBudget& messages_;
  MessageBudget::Share share_;          // memory of upload_
  std::optional<MatrixUpload> upload_;  // absent before the header
};

v1::ListMatricesResponse ListMatrices(const MatrixStore& store);
absl::StatusOr<v1::DeleteMatricesResponse> DeleteMatrices(MatrixStore& store,
                                                          const v1::DeleteMatricesRequest& request);

}  // namespace vrp
