// The SHA-256 of what comes in pieces, by OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

// Of OpenSSL.
using EVP_MD_CTX = struct evp_md_ctx_st;

namespace vrp::client {

// Not thread-safe.
class Digest {
 public:
  Digest();
  void Add(std::string_view piece);
  // 64 lower-case hex digits; call once, last. Empty where OpenSSL failed.
  std::string Hex();

 private:
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
  bool sound_;
};

}  // namespace vrp::client
