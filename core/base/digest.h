// SHA-256 of what comes in pieces, by OpenSSL's libcrypto. (Of a text: sha256.h.)
#pragma once

#include <memory>
#include <string>
#include <string_view>

// Of OpenSSL.
using EVP_MD_CTX = struct evp_md_ctx_st;

namespace vrp {

// Not thread-safe.
class Sha256 {
 public:
  Sha256();

  void Add(std::string_view piece);
  // 64 lower-case hex digits, of all pieces so far; then the next piece is the first.
  std::string TakeHex();

 private:
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace vrp
