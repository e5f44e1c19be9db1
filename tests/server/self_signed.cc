#include "tests/server/self_signed.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <memory>

#include "core/base/file.h"
#include "gtest/gtest.h"
#include "server/access/pem.h"

namespace vrp::test {
namespace {

std::string SelfSignedPair(absl::Duration valid) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), absl::ToInt64Seconds(valid));
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const std::unique_ptr<BIO, OpenSslFree> text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(text.get(), certificate.get());
  PEM_write_bio_PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::string pem(1 << 16, '\0');
  pem.resize(static_cast<size_t>(BIO_read(text.get(), pem.data(), static_cast<int>(pem.size()))));
  return pem;
}

}  // namespace

void WriteSelfSignedPair(const std::string& path, absl::Duration valid) {
  EXPECT_TRUE(AtomicWriteFile(path, SelfSignedPair(valid)).ok());
  EXPECT_EQ(chmod(path.c_str(), 0600), 0);
}

}  // namespace vrp::test
