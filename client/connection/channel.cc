#include "client/connection/channel.h"

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/connection/request_id.h"
#include "client/support/files.h"
#include "google/rpc/status.pb.h"

namespace vrp::client {
namespace {

std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const Connection& connection) {
  if (!connection.tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = connection.ca,
                               .pem_private_key = connection.key,
                               .pem_cert_chain = connection.certificate});
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  // A web server or proxy answered with an HTTP status, which gRPC has translated.
  if (absl::StartsWith(status.error_message(), "Received http2 header with status")) {
    return absl::UnavailableError(
        absl::StrCat("the server there is not vrpd (", status.error_message(), ")"));
  }
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  absl::Status result(code, status.error_message().empty() ? absl::StatusCodeToString(code)
                                                           : status.error_message());
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& detail : details.details()) {
      result.SetPayload(detail.type_url(), absl::Cord(detail.value()));
    }
  }
  return result;
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const Connection& connection) {
  grpc::ChannelArguments arguments;
  if (!connection.server_name.empty()) {
    arguments.SetSslTargetNameOverride(connection.server_name);
  }
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  // Detects during calls that the daemon's machine is gone. The daemon accepts pings 10 s apart or
  // more.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  // gRPC uses the smallest backoff as the connect timeout: 5 s until "unreachable".
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  // Ignores http_proxy, which would redirect even loopback traffic.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(connection.remote, MakeCredentials(connection), arguments);
}

absl::Status FromGrpc(const grpc::Status& status, const grpc::ClientContext& context) {
  absl::Status result = FromGrpc(status);
  if (result.ok()) return result;
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto id = metadata.find("x-request-id");
  if (id != metadata.end()) {
    result.SetPayload(kRequestIdUrl,
                      absl::Cord(absl::string_view(id->second.data(), id->second.size())));
  }
  return result;
}

}  // namespace vrp::client
