#include "server/runtime/server_credentials.h"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "grpc/grpc.h"
#include "grpc/grpc_security.h"
#include "server/convert/status_convert.h"

namespace vrp {
namespace {

std::string_view TextOf(const grpc_slice& slice) {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)), GRPC_SLICE_LENGTH(slice)};
}

// gRPC's callback for each call: `state` is the AccessControl.
void ProcessCall(void* state, grpc_auth_context*, const grpc_metadata* metadata, size_t count,
                 grpc_process_auth_metadata_done_cb done, void* user_data) {
  std::string_view method;
  std::optional<std::string_view> authorization;
  const grpc_metadata* consumed = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view key = TextOf(metadata[i].key);
    if (key == ":path") method = TextOf(metadata[i].value);
    if (key == "authorization") {
      authorization = TextOf(metadata[i].value);
      consumed = &metadata[i];
    }
  }
  const grpc::Status status =
      ToGrpcStatus(static_cast<const AccessControl*>(state)->Check(method, authorization));
  // The token goes no further than this.
  done(user_data, consumed, consumed == nullptr ? 0 : 1, nullptr, 0,
       static_cast<grpc_status_code>(status.error_code()),
       status.ok() ? nullptr : status.error_message().c_str());
}

// What gRPC asks at each handshake whether the certificate has changed.
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
    if (given_.exchange(current.generation) == current.generation) {
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    }
    const TlsMaterial& material = *current.material;
    const grpc_ssl_pem_key_cert_pair pair = {material.key.c_str(), material.certificate.c_str()};
    // gRPC wants an authority even where it is to ask nobody for a certificate.
    const std::string& authority =
        material.client_ca.empty() ? material.certificate : material.client_ca;
    *config = grpc_ssl_server_certificate_config_create(authority.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const TlsFiles& files_;
  std::atomic<int64_t> given_ = 0;
};

class Credentials final : public grpc::ServerCredentials {
 public:
  explicit Credentials(const PortProtection& protection) {
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
    grpc_server_credentials_set_auth_metadata_processor(
        core_, {.process = &ProcessCall,
                .destroy = nullptr,
                .state = const_cast<AccessControl*>(protection.access)});
  }
  ~Credentials() override { grpc_server_credentials_release(core_); }

  // The processor is fixed at construction.
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {
    std::abort();
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), core_);
  }

  std::unique_ptr<CertificateSource> source_;
  grpc_server_credentials* core_ = nullptr;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const PortProtection& protection) {
  return std::make_shared<Credentials>(protection);
}

}  // namespace vrp
