// Owning pointers to OpenSSL objects, and readers of PEM texts. Include this header only in .cc
// files.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace vrp {

// A deleter of OpenSSL objects.
struct OpenSslFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using CertificatePtr = std::unique_ptr<X509, OpenSslFree>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree>;

// Returns a reader of `pem`. `pem` must outlive the reader.
inline std::unique_ptr<BIO, OpenSslFree> PemReader(const std::string& pem) {
  return std::unique_ptr<BIO, OpenSslFree>(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

}  // namespace vrp
