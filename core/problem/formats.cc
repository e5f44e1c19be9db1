#include "core/problem/formats.h"

#include <algorithm>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/matrices.h"
#include "core/problem/text_scanner.h"

namespace vrp {
namespace {

// Whether some line of the first 64 kB begins with `word`, in whatever case.
bool HasLineWith(std::string_view text, std::string_view word) {
  TextScanner scanner(text.substr(0, size_t{1} << 16), "");
  while (const auto line = scanner.NextLine()) {
    if (UpperCase(line->substr(0, word.size())) == word) return true;
  }
  return false;
}

// Of files without words, by the columns of their first two rows.
InstanceFormat GuessOfTables(std::string_view text) {
  TextScanner scanner(text, "");
  const size_t first = scanner.WordsOfNextLine();
  for (size_t i = 0; i < std::min<size_t>(first, 4); ++i) {
    if (!scanner.NextNumber("", "").ok()) return InstanceFormat::kAuto;
  }
  const size_t second = first > 4 ? 0 : scanner.WordsOfNextLine();
  if (first == 3 && second == 9) return InstanceFormat::kLiLim;
  if (first == 4 && second == 2) return InstanceFormat::kCordeau;
  return InstanceFormat::kAuto;
}

InstanceFormat Guess(std::string_view text) {
  const std::string_view start = Trimmed(text);
  if (start.starts_with("{")) return InstanceFormat::kJson;
  if (HasLineWith(text, "DIMENSION") || HasLineWith(text, "EDGE_WEIGHT_TYPE")) {
    return InstanceFormat::kVrplib;
  }
  if (HasLineWith(text, "VEHICLE") || HasLineWith(text, "CUSTOMER")) {
    return InstanceFormat::kSolomon;
  }
  return GuessOfTables(text);
}

}  // namespace

absl::StatusOr<Instance> ParseInstance(std::string_view text, std::string_view name,
                                       InstanceFormat format) {
  return ParseInstance(text, name, format, nullptr);
}

absl::StatusOr<Instance> ParseInstance(std::string_view text, std::string_view name,
                                       InstanceFormat format, const MatrixSource* matrices) {
  VRP_RETURN_IF_ERROR(CheckEncoding(text, name));
  text = WithoutByteOrderMark(text);
  switch (format == InstanceFormat::kAuto ? Guess(text) : format) {
    case InstanceFormat::kVrplib:
      return ParseVrplib(text, name);
    case InstanceFormat::kSolomon:
      return ParseSolomon(text, name);
    case InstanceFormat::kLiLim:
      return ParseLiLim(text, name);
    case InstanceFormat::kCordeau:
      return ParseCordeau(text, name);
    case InstanceFormat::kJson:
      return ParseJson(text, name, matrices);
    case InstanceFormat::kAuto:
      break;
  }
  return absl::InvalidArgumentError(
      Concat(name, ": no format known here", Trimmed(text).empty() ? " (the text is empty)" : "",
             "; wanted CVRPLIB or TSPLIB (a line `DIMENSION : n`), Solomon "
             "(a line `VEHICLE`), a JSON object (ours or VROOM's), or the tables of Li and Lim or "
             "Cordeau, as plain text"));
}

}  // namespace vrp
