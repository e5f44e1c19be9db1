#include "client/connection/rpc_client.h"

#include <grpc/support/time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/connection/channel.h"

namespace vrp::client {
namespace {

// Returns the deadline on the monotonic clock, so that setting the machine's clock moves no
// deadline.
gpr_timespec DeadlineAfter(absl::Duration timeout) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(timeout), GPR_TIMESPAN));
}

}  // namespace

RpcClient::RpcClient(Connection connection)
    : connection_(std::move(connection)), channel_(MakeChannel(connection_)) {}

void RpcClient::Cancel() {
  absl::MutexLock lock(&mutex_);
  cancelled_ = true;
  for (grpc::ClientContext* context : active_) context->TryCancel();
}

RpcClient::ActiveCall::ActiveCall(RpcClient& client, absl::Duration timeout) : client_(client) {
  if (timeout < absl::InfiniteDuration()) context_.set_deadline(DeadlineAfter(timeout));
  if (!client_.connection_.token.empty()) {
    context_.AddMetadata("authorization", absl::StrCat("Bearer ", client_.connection_.token));
  }
  absl::MutexLock lock(&client_.mutex_);
  client_.active_.insert(&context_);
  if (client_.cancelled_) context_.TryCancel();
}

RpcClient::ActiveCall::~ActiveCall() {
  absl::MutexLock lock(&client_.mutex_);
  client_.active_.erase(&context_);
}

absl::Status RpcClient::ActiveCall::Finish(const grpc::Status& status) const {
  return FromGrpc(status, context_);
}

}  // namespace vrp::client
