// Computes the SHA-256 of data that arrives in pieces, with OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

// OpenSSL's digest context.
using EVP_MD_CTX = struct evp_md_ctx_st;

namespace vrp::client {

// An incremental SHA-256. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  void Add(std::string_view piece);
  // Returns 64 lower-case hex digits, or an empty string if OpenSSL failed. Must be called once,
  // last.
  std::string Hex();

 private:
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
  bool ok_;
};

}  // namespace vrp::client
