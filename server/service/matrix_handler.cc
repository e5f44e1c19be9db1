#include "server/service/matrix_handler.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr int kMaxChunkValues = 500'000;

v1::Matrices MessageOf(const StoredMatrices& stored) {
  v1::Matrices message;
  message.set_name(stored.name);
  message.set_size(stored.size);
  message.set_with_durations(stored.durations);
  message.set_size_bytes(stored.bytes);
  *message.mutable_create_time() = ToProto(stored.created);
  return message;
}

}  // namespace

absl::Status MatrixImport::Take(const v1::UploadMatricesRequest& message) {
  if (message.has_header()) {
    if (upload_.has_value()) return InvalidField("header", "given twice, wanted one header");
    absl::StatusOr<MatrixUpload> upload =
        MatrixUpload::Begin(message.header().size(), message.header().with_durations());
    if (!upload.ok()) return WithPrefix(upload.status(), "header");
    upload_ = *std::move(upload);
    return absl::OkStatus();
  }
  if (!message.has_chunk()) return InvalidField("part", "absent, wanted a header or a chunk");
  if (!upload_.has_value())
    return InvalidField("header", "absent, wanted a header before any chunk");
  return TakeChunk(message.chunk());
}

absl::Status MatrixImport::TakeChunk(const v1::UploadMatricesRequest::Chunk& chunk) {
  const auto& values = chunk.values();
  if (values.size() > kMaxChunkValues) {
    return InvalidField("chunk.values", Concat("has ", values.size(), " entries, wanted at most ",
                                               kMaxChunkValues));
  }
  const auto count = static_cast<size_t>(values.size());
  const int64_t needed_bytes = upload_->BytesWith(count);
  MessageBudget::Share old;  // both allocations exist while the values move
  if (needed_bytes > share_.bytes()) {
    VRP_ASSIGN_OR_RETURN(MessageBudget::Share larger, messages_.Take(needed_bytes));
    old = std::exchange(share_, std::move(larger));
  }
  return WithPrefix(upload_->Add(values.data(), count), "chunk");
}

absl::StatusOr<v1::Matrices> MatrixImport::Finish() {
  if (!upload_.has_value()) return InvalidField("header", "absent, wanted a header and chunks");
  const absl::StatusOr<StoredMatrices> stored = store_.Put(*upload_);
  if (!stored.ok()) return WithPrefix(stored.status(), "chunk");
  return MessageOf(*stored);
}

v1::ListMatricesResponse ListMatrices(const MatrixStore& store) {
  v1::ListMatricesResponse response;
  for (const StoredMatrices& stored : store.List()) *response.add_matrices() = MessageOf(stored);
  return response;
}

absl::StatusOr<v1::DeleteMatricesResponse> DeleteMatrices(
    MatrixStore& store, const v1::DeleteMatricesRequest& request) {
  const absl::Status status = store.Delete(request.name());
  if (absl::IsInvalidArgument(status)) return InvalidField("name", FromAbsl(status.message()));
  if (!status.ok())
    return absl::Status(status.code(), Concat("name: ", FromAbsl(status.message())));
  return v1::DeleteMatricesResponse();
}

}  // namespace vrp
