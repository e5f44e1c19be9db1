#include "core/base/sha256.h"

#include <openssl/sha.h>

#include <array>

#include "absl/strings/escaping.h"

namespace vrp {

std::string Sha256Hex(std::string_view content) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.data());
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace vrp
