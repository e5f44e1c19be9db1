#include "server/service/request_id.h"

#include "core/base/ids.h"

namespace vrp {

std::string RequestIdFrom(std::string_view given) {
  constexpr size_t kMaxBytes = 64;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const bool valid = !given.empty() && given.size() <= kMaxBytes &&
                     given.find_first_not_of(kAllowed) == std::string_view::npos;
  return valid ? std::string(given) : NewId();
}

}  // namespace vrp
