#include "server/daemon/server_credentials.h"

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "grpc/grpc.h"
#include "grpc/grpc_security.h"
#include "server/convert/status_convert.h"
#include "server/support/call_authorizer.h"

namespace vrp {
namespace {

std::string_view TextOf(const grpc_slice& slice) {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)), GRPC_SLICE_LENGTH(slice)};
}

// Returns the name in the client's certificate; empty without a certificate. gRPC 1.51 gives no
// address of a call that has not begun.
std::string PeerOf(const grpc_auth_context* context) {
  grpc_auth_property_iterator names = grpc_auth_context_peer_identity(context);
  const grpc_auth_property* const name = grpc_auth_property_iterator_next(&names);
  return name == nullptr ? "" : std::string(name->value, name->value_length);
}

// Handles gRPC's callback for each call. `state` is the CallAuthorizer.
void ProcessCall(void* state, grpc_auth_context* context, const grpc_metadata* metadata,
                 size_t count, grpc_process_auth_metadata_done_cb done, void* user_data) {
  const std::string peer = PeerOf(context);
  CallAuthorizer::Caller caller;
  caller.peer = peer;
  const grpc_metadata* consumed = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view key = TextOf(metadata[i].key);
    if (key == ":path") caller.method = TextOf(metadata[i].value);
    if (key == "user-agent") caller.user_agent = TextOf(metadata[i].value);
    if (key == "authorization") {
      caller.authorization = TextOf(metadata[i].value);
      consumed = &metadata[i];
    }
  }
  const grpc::Status status = ToGrpcStatus(static_cast<CallAuthorizer*>(state)->Check(caller));
  // Removes the token, so that handlers do not see it.
  done(user_data, consumed, consumed == nullptr ? 0 : 1, nullptr, 0,
       static_cast<grpc_status_code>(status.error_code()),
       status.ok() ? nullptr : status.error_message().c_str());
}

// The source of certificates. gRPC asks it at each handshake whether the certificate has changed.
class CertificateSource {
 public:
  explicit CertificateSource(const TlsFiles& files) : files_(files) {}

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<CertificateSource*>(self)->FetchNew(config);
  }

 private:
  grpc_ssl_certificate_config_reload_status FetchNew(grpc_ssl_server_certificate_config** config) {
    const TlsFiles::Current current = files_.current();
    if (sent_generation_.exchange(current.generation) == current.generation) {
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    }
    const TlsMaterial& material = *current.material;
    const grpc_ssl_pem_key_cert_pair pair = {material.key.c_str(), material.certificate.c_str()};
    // gRPC requires a CA certificate even if clients need no certificate.
    const std::string& authority =
        material.client_ca.empty() ? material.certificate : material.client_ca;
    *config = grpc_ssl_server_certificate_config_create(authority.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const TlsFiles& files_;
  std::atomic<int64_t> sent_generation_ = 0;
};

class Credentials final : public grpc::ServerCredentials {
 public:
  Credentials(const PortProtection& protection, Metrics& metrics) {
    if (protection.tls == nullptr) {
      core_ = grpc_insecure_server_credentials_create();
    } else {
      source_ = std::make_unique<CertificateSource>(*protection.tls);
      core_ = grpc_ssl_server_credentials_create_with_options(
          grpc_ssl_server_credentials_create_options_using_config_fetcher(
              protection.tls->asks_for_client_certificate()
                  ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                  : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
              &CertificateSource::Fetch, source_.get()));
    }
    if (protection.access == nullptr) return;
    authorizer_ = std::make_unique<CallAuthorizer>(*protection.access, metrics);
    grpc_server_credentials_set_auth_metadata_processor(
        core_, {.process = &ProcessCall, .destroy = nullptr, .state = authorizer_.get()});
  }
  ~Credentials() override { grpc_server_credentials_release(core_); }

  // Aborts, because the processor is fixed at construction.
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {
    std::abort();
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), core_);
  }

  std::unique_ptr<CertificateSource> source_;
  std::unique_ptr<CallAuthorizer> authorizer_;
  grpc_server_credentials* core_ = nullptr;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const PortProtection& protection,
                                                               Metrics& metrics) {
  return std::make_shared<Credentials>(protection, metrics);
}

}  // namespace vrp
