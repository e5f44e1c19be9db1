#include "server/access/tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/access/pem.h"
#include "server/access/private_file.h"

namespace vrp {
namespace {

constexpr int64_t kMaxTlsFileBytes = 1 << 20;

// Replaces OpenSSL's default callback, which reads a password from the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

absl::Status TlsFileError(std::string_view path, std::string_view problem) {
  ERR_clear_error();
  return absl::InvalidArgumentError(Concat(path, ": ", problem));
}

absl::StatusOr<CertificatePtr> FirstCertificate(const std::string& pem, const std::string& path) {
  CertificatePtr certificate(PEM_read_bio_X509(PemReader(pem).get(), nullptr, NoPassword, nullptr));
  if (certificate == nullptr) return TlsFileError(path, "holds no certificate in PEM form");
  return certificate;
}

absl::StatusOr<absl::Time> ReadExpiry(const X509& certificate, const std::string& path) {
  tm end = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) {
    return TlsFileError(path, "the certificate's expiry time cannot be read");
  }
  return absl::FromTM(end, absl::UTCTimeZone());
}

std::string UtcText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

absl::StatusOr<absl::Time> ValidExpiry(const X509& certificate, const std::string& path,
                                       absl::Time now) {
  VRP_ASSIGN_OR_RETURN(const absl::Time expires, ReadExpiry(certificate, path));
  if (expires > now) return expires;
  return TlsFileError(
      path, Concat("the certificate expired at ", UtcText(expires), ", now is ", UtcText(now),
                   ", and clients would refuse it; renew the file, or correct the machine's clock, "
                   "then start vrpd again or reload it (SIGHUP)"));
}

// Returns the latest expiry of the certificates in the file. Returns an error if the file holds
// none or if all have expired. The file may hold an old and a new CA certificate while clients
// change to the new one.
absl::StatusOr<absl::Time> LastExpiry(const std::string& pem, const std::string& path,
                                      absl::Time now) {
  absl::Time last = absl::InfinitePast();
  const auto reader = PemReader(pem);
  while (true) {
    const CertificatePtr certificate(PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr));
    if (certificate == nullptr) break;
    VRP_ASSIGN_OR_RETURN(const absl::Time end, ReadExpiry(*certificate, path));
    last = std::max(last, end);
  }
  ERR_clear_error();  // the end of the file sets an error
  if (last == absl::InfinitePast()) return TlsFileError(path, "holds no certificate in PEM form");
  if (last > now) return last;
  return TlsFileError(path,
                      Concat("all client CA certificates have expired, the last at ", UtcText(last),
                             ", now is ", UtcText(now),
                             ", and no client could connect; renew the certificates, or correct "
                             "the machine's clock, then start vrpd again or reload it (SIGHUP)"));
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, absl::Time now) {
  TlsMaterial material;
  VRP_ASSIGN_OR_RETURN(material.certificate, ReadFile(paths.certificate, kMaxTlsFileBytes));
  VRP_ASSIGN_OR_RETURN(const auto certificate,
                       FirstCertificate(material.certificate, paths.certificate));
  VRP_ASSIGN_OR_RETURN(material.expires, ValidExpiry(*certificate, paths.certificate, now));
  VRP_ASSIGN_OR_RETURN(material.key, ReadPrivateFile(paths.key));
  const KeyPtr key(
      PEM_read_bio_PrivateKey(PemReader(material.key).get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) {
    return TlsFileError(paths.key, "holds no unencrypted private key in PEM form");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return TlsFileError(paths.key,
                        Concat("is not the key of the certificate in ", paths.certificate));
  }
  if (paths.client_ca.empty()) return material;
  VRP_ASSIGN_OR_RETURN(material.client_ca, ReadFile(paths.client_ca, kMaxTlsFileBytes));
  VRP_ASSIGN_OR_RETURN(material.client_ca_expires,
                       LastExpiry(material.client_ca, paths.client_ca, now));
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
