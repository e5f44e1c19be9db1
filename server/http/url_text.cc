#include "server/http/url_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<std::string> DecodePathSegment(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    if (digits.size() < 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]))) {
      return absl::InvalidArgumentError(
          Concat("URL: got ", Quoted(text), ", wanted two hexadecimal digits after each %"));
    }
    decoded += absl::HexStringToBytes(ToAbsl(digits));
    i += 2;
  }
  return decoded;
}

absl::StatusOr<std::string> DecodeQueryPart(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return DecodePathSegment(spaced);
}

}  // namespace vrp
