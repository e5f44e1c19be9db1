#include "client/support/digest.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"

namespace vrp::client {

Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free),
      ok_(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1) {}

void Sha256::Add(std::string_view piece) {
  ok_ = ok_ && EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1;
}

std::string Sha256::Hex() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (!ok_ || EVP_DigestFinal_ex(context_.get(), bytes, &size) != 1) return "";
  return absl::BytesToHexString({reinterpret_cast<const char*>(bytes), size});
}

}  // namespace vrp::client
