// Computes the SHA-256 of a text by OpenSSL's libcrypto. digest.h hashes data in pieces.
#pragma once

#include <string>
#include <string_view>

namespace vrp {

// Returns the digest of `content` as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view content);

}  // namespace vrp
