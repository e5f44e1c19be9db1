#include "core/base/digest.h"

#include <openssl/evp.h>

#include <array>
#include <cstdlib>

#include "absl/strings/escaping.h"

namespace vrp {
namespace {

constexpr size_t kDigestBytes = 32;

// Aborts if OpenSSL failed, such as for lack of memory.
void Check(int result) {
  if (result != 1) std::abort();
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  Check(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::Add(std::string_view piece) {
  Check(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()));
}

std::string Sha256::TakeHex() {
  std::array<unsigned char, kDigestBytes> digest;
  Check(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  Check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace vrp
