#include "server/access/tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/access/pem.h"
#include "server/access/private_file.h"

namespace vrp {
namespace {

constexpr int64_t kMaxBytes = 1 << 20;

// Instead of OpenSSL's own, which asks at the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

absl::Status Wrong(std::string_view path, std::string_view what) {
  ERR_clear_error();
  return absl::InvalidArgumentError(Concat(path, ": ", what));
}

absl::StatusOr<CertificatePtr> FirstCertificate(const std::string& pem, const std::string& path) {
  CertificatePtr certificate(PEM_read_bio_X509(PemReader(pem).get(), nullptr, NoPassword, nullptr));
  if (certificate == nullptr) return Wrong(path, "holds no certificate in PEM form");
  return certificate;
}

absl::StatusOr<absl::Time> Expiry(const X509& certificate, const std::string& path,
                                  absl::Time now) {
  tm end = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) {
    return Wrong(path, "the certificate's end of validity cannot be read");
  }
  const absl::Time expires = absl::FromTM(end, absl::UTCTimeZone());
  if (expires > now) return expires;
  return Wrong(path, Concat("the certificate expired at ",
                            absl::FormatTime(absl::RFC3339_sec, expires, absl::UTCTimeZone())));
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, absl::Time now) {
  TlsMaterial material;
  VRP_ASSIGN_OR_RETURN(material.certificate, ReadFile(paths.certificate, kMaxBytes));
  VRP_ASSIGN_OR_RETURN(const auto certificate,
                       FirstCertificate(material.certificate, paths.certificate));
  VRP_ASSIGN_OR_RETURN(material.expires, Expiry(*certificate, paths.certificate, now));
  VRP_ASSIGN_OR_RETURN(material.key, ReadPrivateFile(paths.key));
  const KeyPtr key(
      PEM_read_bio_PrivateKey(PemReader(material.key).get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) {
    return Wrong(paths.key, "holds no private key in PEM form that is not encrypted");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return Wrong(paths.key, Concat("is not the key of the certificate in ", paths.certificate));
  }
  if (paths.client_ca.empty()) return material;
  VRP_ASSIGN_OR_RETURN(material.client_ca, ReadFile(paths.client_ca, kMaxBytes));
  VRP_RETURN_IF_ERROR(FirstCertificate(material.client_ca, paths.client_ca).status());
  return material;
}

TlsFiles::TlsFiles(TlsPaths paths, TlsMaterial material)
    : paths_(std::move(paths)),
      current_{std::make_shared<const TlsMaterial>(std::move(material)), 1} {}

absl::StatusOr<std::unique_ptr<TlsFiles>> TlsFiles::Create(TlsPaths paths, absl::Time now) {
  VRP_ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsFiles(paths, now));
  return std::unique_ptr<TlsFiles>(new TlsFiles(std::move(paths), std::move(material)));
}

absl::Status TlsFiles::Reload(absl::Time now) {
  VRP_ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsFiles(paths_, now));
  absl::MutexLock lock(&mutex_);
  current_ = {std::make_shared<const TlsMaterial>(std::move(material)), current_.generation + 1};
  return absl::OkStatus();
}

TlsFiles::Current TlsFiles::current() const {
  absl::MutexLock lock(&mutex_);
  return current_;
}

}  // namespace vrp
