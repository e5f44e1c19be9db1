// Splits a fuzz input into length-prefixed frames. A length has two bytes, in little-endian order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/fuzz/received.h"

namespace vrp::fuzz {

// Removes the first frame from `rest` and returns its content. Returns the remainder if the content
// is truncated, and nullopt if `rest` holds no complete length.
inline std::optional<std::string_view> TakeFramed(std::string_view& rest) {
  if (rest.size() < 2) return std::nullopt;
  const size_t length = static_cast<uint8_t>(rest[0]) | size_t{static_cast<uint8_t>(rest[1])} << 8;
  const std::string_view framed = rest.substr(2, length);
  rest.remove_prefix(2 + framed.size());
  return framed;
}

// Returns the next readable message of a stream; nullopt at the end. Skips unreadable messages.
template <typename Message>
std::optional<Message> TakeMessage(std::string_view& rest) {
  while (const std::optional<std::string_view> framed = TakeFramed(rest)) {
    Message message;
    if (Receive(*framed, message)) return message;
  }
  return std::nullopt;
}

}  // namespace vrp::fuzz
