// Computes the SHA-256 of data that arrives in pieces, by OpenSSL's libcrypto. sha256.h hashes a
// single text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

// OpenSSL's type, declared here so that this header need not include OpenSSL's.
using EVP_MD_CTX = struct evp_md_ctx_st;

namespace vrp {

// A running SHA-256. Aborts the program if OpenSSL fails, such as for lack of memory. Not
// thread-safe.
class Sha256 {
 public:
  Sha256();

  void Add(std::string_view piece);
  // Returns the digest of all pieces so far as 64 lower-case hex digits, and starts a new digest.
  std::string TakeHex();

 private:
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace vrp
