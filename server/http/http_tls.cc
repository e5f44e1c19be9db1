#include "server/http/http_tls.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/system/system_error.hpp>

#include "core/base/text.h"

namespace vrp {
namespace {

namespace ssl = boost::asio::ssl;

std::shared_ptr<ssl::context> MakeContext(const TlsMaterial& material) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  context->use_certificate_chain(boost::asio::buffer(material.certificate));
  context->use_private_key(boost::asio::buffer(material.key), ssl::context::pem);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  if (material.client_ca.empty()) return context;
  context->add_certificate_authority(boost::asio::buffer(material.client_ca));
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return context;
}

}  // namespace

absl::StatusOr<std::shared_ptr<ssl::context>> HttpTls::Current() {
  const TlsFiles::Current current = files_.current();
  absl::MutexLock lock(&mutex_);
  if (generation_ == current.generation) return context_;
  try {
    context_ = MakeContext(*current.material);
  } catch (const boost::system::system_error& error) {
    return absl::InternalError(Concat(
        "OpenSSL refuses the certificate, its key or the client CA certificates: ", error.what()));
  }
  generation_ = current.generation;
  return context_;
}

}  // namespace vrp
