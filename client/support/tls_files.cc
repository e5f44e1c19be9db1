#include "client/support/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"

namespace vrp::client {
namespace {

struct OpenSslDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

// Refuses to give a password. Replaces OpenSSL's callback, which asks at the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

// Returns a reader of `pem`, which must outlive the reader.
std::unique_ptr<BIO, OpenSslDeleter> MakeReader(const std::string& pem) {
  return std::unique_ptr<BIO, OpenSslDeleter>(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

std::unique_ptr<X509, OpenSslDeleter> CertificateOf(const std::string& pem) {
  return std::unique_ptr<X509, OpenSslDeleter>(
      PEM_read_bio_X509(MakeReader(pem).get(), nullptr, NoPassword, nullptr));
}

absl::Status PemError(absl::string_view flag, const std::string& path, absl::string_view what) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", path, ": ", what));
}

}  // namespace

absl::Status CheckAuthority(const std::string& path, const std::string& pem) {
  if (CertificateOf(pem) != nullptr) return absl::OkStatus();
  return PemError("--tls-ca", path,
                  "holds no certificate in PEM form, wanted that of a certificate authority (CA)");
}

absl::Status CheckOwnCertificate(const OwnCertificate& own, absl::Time now) {
  const auto certificate = CertificateOf(own.pem);
  if (certificate == nullptr) {
    return PemError("--tls-certificate", own.path, "holds no certificate in PEM form");
  }
  tm end = {};
  const bool has_end = ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) == 1;
  if (const absl::Time expires = absl::FromTM(end, absl::UTCTimeZone());
      has_end && expires <= now) {
    const std::string when = absl::FormatTime(absl::RFC3339_sec, expires, absl::UTCTimeZone());
    return PemError("--tls-certificate", own.path,
                    absl::StrCat("expired at ", when, "; request a new one from its issuer"));
  }
  const std::unique_ptr<EVP_PKEY, OpenSslDeleter> key(
      PEM_read_bio_PrivateKey(MakeReader(own.key_pem).get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) {
    return PemError("--tls-key", own.key_path, "holds no unencrypted private key in PEM form");
  }
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return absl::OkStatus();
  return PemError("--tls-key", own.key_path,
                  absl::StrCat("is not the key of the certificate in ", own.path,
                               "; name the key that belongs to it"));
}

}  // namespace vrp::client
