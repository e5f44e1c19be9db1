// DatasetService's matrices without gRPC.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/matrix_store.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// One upload, in memory until it is whole. Calls come one after the other, from any thread.
class MatrixImport {
 public:
  // `store` outlives it.
  explicit MatrixImport(MatrixStore& store) : store_(store) {}

  absl::Status Take(const v1::UploadMatricesRequest& message);
  absl::StatusOr<v1::Matrices> Finish();

 private:
  MatrixStore& store_;
  std::optional<MatrixUpload> upload_;  // none: no header yet
};

v1::ListMatricesResponse ListMatrices(const MatrixStore& store);
absl::StatusOr<v1::DeleteMatricesResponse> DeleteMatrices(MatrixStore& store,
                                                          const v1::DeleteMatricesRequest& request);

}  // namespace vrp
