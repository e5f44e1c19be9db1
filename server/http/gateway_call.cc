#include "server/http/gateway_call.h"

#include <utility>
#include <vector>

namespace vrp {
namespace {

constexpr char kRequestIdKey[] = "x-request-id";

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

std::shared_ptr<GatewayCall> GatewayCall::Start(const std::shared_ptr<grpc::Channel>& channel,
                                                Options options) {
  std::shared_ptr<GatewayCall> call(new GatewayCall(std::move(options)));
  call->self_ = call;
  if (!call->options_.request_id.empty()) {
    call->context_.AddMetadata(kRequestIdKey, call->options_.request_id);
  }
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>(channel).PrepareBidiStreamingCall(
      &call->context_, call->options_.path, {}, call.get());
  // One hold for reads and one for writes, which other threads than gRPC's begin.
  call->AddMultipleHolds(2);
  call->StartRead(&call->incoming_);
  call->StartCall();
  return call;
}

std::shared_ptr<GatewayCall> GatewayCall::Refused(const grpc::Status& status) {
  std::shared_ptr<GatewayCall> call(new GatewayCall({}));
  absl::MutexLock lock(&call->mutex_);
  call->writer_ended_ = true;
  call->status_ = status;
  return call;
}

void GatewayCall::Write(const std::string& message) {
  const grpc::Slice slice(message);
  {
    absl::MutexLock lock(&mutex_);
    if (writer_ended_) return;
    writing_ = true;
    outgoing_ = grpc::ByteBuffer(&slice, 1);
  }
  StartWrite(&outgoing_);
}

void GatewayCall::WritesDone() {
  {
    absl::MutexLock lock(&mutex_);
    if (writer_ended_) return;
    writing_ = true;
  }
  StartWritesDone();
}

bool GatewayCall::can_write() const {
  absl::MutexLock lock(&mutex_);
  return !writing_;
}

bool GatewayCall::EndWriting() { return !std::exchange(writer_ended_, true); }

std::optional<std::string> GatewayCall::Take() {
  std::string message;
  {
    absl::MutexLock lock(&mutex_);
    if (!has_message_) return std::nullopt;
    message = BytesOf(incoming_);
    has_message_ = false;
    incoming_.Clear();
  }
  StartRead(&incoming_);
  return message;
}

std::optional<grpc::Status> GatewayCall::status() const {
  absl::MutexLock lock(&mutex_);
  return has_message_ ? std::nullopt : status_;
}

std::string GatewayCall::request_id() const {
  const auto& trailers = context_.GetServerTrailingMetadata();
  const auto found = trailers.find(kRequestIdKey);
  return found == trailers.end() ? "" : std::string(found->second.data(), found->second.size());
}

void GatewayCall::Cancel() {
  bool reads = false;
  bool ends = false;
  {
    absl::MutexLock lock(&mutex_);
    if (status_.has_value() || std::exchange(cancelled_, true)) return;
    reads = std::exchange(has_message_, false);
    ends = !writing_ && EndWriting();
  }
  context_.TryCancel();
  if (reads) StartRead(&incoming_);
  if (ends) RemoveHold();
}

void GatewayCall::OnReadDone(bool ok) {
  bool read_again = false;
  bool ends = false;
  {
    absl::MutexLock lock(&mutex_);
    read_again = ok && cancelled_;
    has_message_ = ok && !read_again;
    reader_ended_ = !ok;
    ends = !ok && !writing_ && EndWriting();
  }
  if (read_again) return StartRead(&incoming_);
  options_.on_change();
  if (ends) RemoveHold();
  if (!ok) RemoveHold();
}

void GatewayCall::OnWriteDone(bool ok) {
  bool ends = false;
  {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    ends = (!ok || cancelled_ || reader_ended_) && EndWriting();
  }
  options_.on_change();
  if (ends) RemoveHold();
}

void GatewayCall::OnWritesDoneDone(bool) {
  bool ends = false;
  {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    ends = EndWriting();
  }
  options_.on_change();
  if (ends) RemoveHold();
}

void GatewayCall::OnDone(const grpc::Status& status) {
  std::shared_ptr<GatewayCall> alive = std::move(self_);
  const std::function<void()> on_end = options_.on_end;
  {
    absl::MutexLock lock(&mutex_);
    status_ = status;
  }
  options_.on_change();
  alive = nullptr;  // may destroy this object
  on_end();
}

}  // namespace vrp
