#include "core/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/escaping.h"

namespace vrp {
namespace {

// Returns the number of continuation bytes after `lead`; -1 if no character can begin with `lead`.
int ContinuationBytes(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead <= 0xDF) return 1;
  if (lead >= 0xE0 && lead <= 0xEF) return 2;
  if (lead >= 0xF0 && lead <= 0xF4) return 3;
  return -1;
}

// Whether `point` is a printable code point that needs `continuations` continuation bytes.
bool IsPrintable(uint32_t point, int continuations) {
  if (continuations == 2 && (point < 0x800 || (point >= 0xD800 && point <= 0xDFFF))) return false;
  if (continuations == 3 && (point < 0x10000 || point > 0x10FFFF)) return false;
  return point >= 0x20 && (point < 0x7F || point > 0x9F);
}

constexpr size_t kShownBytes = 80;  // maximum number of bytes that Quoted shows

}  // namespace

std::string Escaped(std::string_view text) {
  return IsPrintableUtf8(text) ? std::string(text) : absl::CHexEscape(ToAbsl(text));
}

std::string Quoted(std::string_view text) {
  const std::string shown = Escaped(text.substr(0, kShownBytes));
  return absl::StrCat("\"", shown, text.size() > kShownBytes ? "...\"" : "\"");
}

bool IsPrintableUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int continuations = ContinuationBytes(lead);
    if (continuations < 0) return false;
    uint32_t point = continuations == 0 ? lead : lead & (0x3Fu >> continuations);
    for (int k = 0; k < continuations; ++k, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
      point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    }
    if (!IsPrintable(point, continuations)) return false;
  }
  return true;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({above + 1, row[j] + 1, replaced});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace vrp
