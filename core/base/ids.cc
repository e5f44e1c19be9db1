#include "core/base/ids.h"

#include <array>
#include <cstdint>
#include <random>

#include "core/base/text.h"

namespace vrp {
namespace {

constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstvwxyz0123456789";
constexpr size_t kLetters = 22;      // letters at the start of kAlphabet
constexpr size_t kIdLength = 16;     // characters of NewId
constexpr size_t kMaxIdLength = 63;  // characters of an id that a user has chosen
static_assert(kAlphabet.size() == 32);

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string NewId() {
  // Draws from the processor's or the kernel's generator. The device stays open, because every
  // request needs an id and opening takes longer than drawing.
  thread_local std::random_device device;
  std::uniform_int_distribution<size_t> any(0, kAlphabet.size() - 1);
  std::uniform_int_distribution<size_t> letter(0, kLetters - 1);
  std::string id(kIdLength, ' ');
  id[0] = kAlphabet[letter(device)];
  for (size_t i = 1; i < kIdLength; ++i) id[i] = kAlphabet[any(device)];
  return id;
}

absl::Status ValidateId(std::string_view field, std::string_view id) {
  bool valid = !id.empty() && id.size() <= kMaxIdLength && IsLetterOrDigit(id.front());
  for (const char c : id) valid = valid && (IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.');
  if (valid) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(field, ": got ", Quoted(id), ", wanted 1 to ", kMaxIdLength,
             " characters of a-z, 0-9, '-', '_', '.', the first a letter or digit"));
}

}  // namespace vrp
