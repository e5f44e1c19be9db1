#include "server/telemetry/tls_sessions.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <climits>
#include <string>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/access/pem.h"

namespace vrp {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

CertificatePtr NextCertificate(BIO& pem) {
  return CertificatePtr(PEM_read_bio_X509(&pem, nullptr, nullptr, nullptr));
}

// Uses the first certificate as the server's own and the others as intermediate ones. Returns false
// if OpenSSL refuses one.
bool UseCertificates(SSL_CTX& context, const std::string& pem) {
  const auto reader = PemReader(pem);
  const auto certificate = NextCertificate(*reader);
  if (certificate == nullptr || SSL_CTX_use_certificate(&context, certificate.get()) != 1) {
    return false;
  }
  while (auto next = NextCertificate(*reader)) {
    if (SSL_CTX_add0_chain_cert(&context, next.get()) != 1) return false;
    (void)next.release();  // the context now owns the certificate
  }
  return true;
}

bool UseKey(SSL_CTX& context, const std::string& pem) {
  const KeyPtr key(PEM_read_bio_PrivateKey(PemReader(pem).get(), nullptr, nullptr, nullptr));
  return key != nullptr && SSL_CTX_use_PrivateKey(&context, key.get()) == 1;
}

bool AskForCertificates(SSL_CTX& context, const std::string& authorities) {
  const auto reader = PemReader(authorities);
  while (const auto authority = NextCertificate(*reader)) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), authority.get()) != 1) return false;
    if (SSL_CTX_add_client_CA(&context, authority.get()) != 1) return false;
  }
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return true;
}

int Bounded(size_t bytes) { return static_cast<int>(std::min(bytes, size_t{INT_MAX})); }

}  // namespace

TlsSession::TlsSession(ssl_ctx_st* context, int socket) : ssl_(SSL_new(context)) {
  if (ssl_ != nullptr) SSL_set_fd(ssl_, socket);
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

TlsSession::Outcome TlsSession::OutcomeOf(int result) const {
  const int error = SSL_get_error(ssl_, result);
  ERR_clear_error();
  if (error == SSL_ERROR_WANT_READ) return Outcome::kWantsRead;
  return error == SSL_ERROR_WANT_WRITE ? Outcome::kWantsWrite : Outcome::kFailed;
}

TlsSession::Outcome TlsSession::Accept() {
  if (ssl_ == nullptr) return Outcome::kFailed;
  const int result = SSL_accept(ssl_);
  return result == 1 ? Outcome::kDone : OutcomeOf(result);
}

TlsSession::Transfer TlsSession::Read(absl::Span<char> into) {
  const int result = SSL_read(ssl_, into.data(), Bounded(into.size()));
  if (result > 0) return {Outcome::kDone, static_cast<size_t>(result)};
  return {OutcomeOf(result)};
}

TlsSession::Transfer TlsSession::Write(absl::Span<const char> bytes) {
  const int result = SSL_write(ssl_, bytes.data(), Bounded(bytes.size()));
  if (result > 0) return {Outcome::kDone, static_cast<size_t>(result)};
  return {OutcomeOf(result)};
}

void TlsSession::Close() {
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

TlsSessions::~TlsSessions() { SSL_CTX_free(context_); }

absl::Status TlsSessions::Renew(const TlsFiles::Current& current) {
  std::unique_ptr<SSL_CTX, FreeContext> context(SSL_CTX_new(TLS_server_method()));
  const TlsMaterial& material = *current.material;
  const bool accepted =
      context != nullptr && UseCertificates(*context, material.certificate) &&
      UseKey(*context, material.key) &&
      (material.client_ca.empty() || AskForCertificates(*context, material.client_ca));
  ERR_clear_error();
  if (!accepted) return absl::InternalError("OpenSSL refuses the certificate or its key");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Lets a retried write continue with a part of the response.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_free(context_);  // open sessions hold a reference
  context_ = context.release();
  generation_ = current.generation;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TlsSession>> TlsSessions::Start(int socket) {
  const TlsFiles::Current current = files_.current();
  if (current.generation != generation_) VRP_RETURN_IF_ERROR(Renew(current));
  return std::make_unique<TlsSession>(context_, socket);
}

}  // namespace vrp
