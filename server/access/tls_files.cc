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

absl::StatusOr<absl::Time> EndOf(const X509& certificate, const std::string& path) {
  tm end = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) {
    return Wrong(path, "the certificate's end of validity cannot be read");
  }
  return absl::FromTM(end, absl::UTCTimeZone());
}

std::string Shown(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

absl::StatusOr<absl::Time> Expiry(const X509& certificate, const std::string& path,
                                  absl::Time now) {
  VRP_ASSIGN_OR_RETURN(const absl::Time expires, EndOf(certificate, path));
  if (expires > now) return expires;
  return Wrong(path,
               Concat("the certificate expired at ", Shown(expires), ", it is now ", Shown(now),
                      ", and clients would refuse it; put a renewed one there and start "
                      "again, or mend the machine's clock"));
}

// The last end of validity of all in the file: while authorities change, old ones stand beside new
// ones.
absl::StatusOr<absl::Time> LastExpiry(const std::string& pem, const std::string& path,
                                      absl::Time now) {
  absl::Time last = absl::InfinitePast();
  const auto reader = PemReader(pem);
  while (true) {
    const CertificatePtr certificate(PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr));
    if (certificate == nullptr) break;
    VRP_ASSIGN_OR_RETURN(const absl::Time end, EndOf(*certificate, path));
    last = std::max(last, end);
  }
  ERR_clear_error();  // of the end of the file
  if (last == absl::InfinitePast()) return Wrong(path, "holds no certificate in PEM form");
  if (last > now) return last;
  return Wrong(path, Concat("the authority of the clients expired at ", Shown(last), ", it is now ",
                            Shown(now),
                            ", and no client could connect; put the authority's renewed "
                            "certificate there and start again, or mend the machine's clock"));
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
