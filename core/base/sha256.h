// SHA-256 by OpenSSL's libcrypto.
#pragma once

#include <string>
#include <string_view>

namespace vrp {

// Returns the digest of `content` as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view content);

}  // namespace vrp
