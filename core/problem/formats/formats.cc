#include "core/problem/formats/formats.h"

#include <algorithm>
#include <iterator>

#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/cordeau.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/formats/json/json_reader.h"
#include "core/problem/formats/li_lim.h"
#include "core/problem/formats/solomon.h"
#include "core/problem/formats/text/text_scanner.h"
#include "core/problem/formats/vroom/vroom_reader.h"
#include "core/problem/formats/vrplib/vrplib_reader.h"

namespace vrp {
namespace {

// Bounds the bytes at the start of a text that decide on its format. JSON is searched to its end,
// because its keys may follow megabytes of vehicles or matrices.
constexpr size_t kSearchedBytes = size_t{1} << 16;

// Whether `line` is VRPLIB's `keyword : value`. The value may be absent, and so may the colon
// before a number.
bool IsEntry(std::string_view line, std::string_view keyword) {
  if (UpperCase(line.substr(0, keyword.size())) != keyword) return false;
  const std::string_view rest = Trimmed(line.substr(keyword.size()));
  return rest.empty() || rest.front() == ':' || ParseNumber(rest).has_value();
}

bool IsHeading(std::string_view line, std::string_view word) {
  return UpperCase(Trimmed(line)) == word;
}

template <typename Fits>
bool AnyLine(std::string_view text, Fits fits) {
  TextScanner scanner(text.substr(0, kSearchedBytes), "");
  while (const auto line = scanner.NextLine()) {
    if (fits(*line)) return true;
  }
  return false;
}

// Whether a JSON text contains, in quotes, the name of a key of instances in our JSON or VROOM's.
bool HasInstanceKey(std::string_view text) {
  constexpr std::string_view kKeys[] = {"\"kind\"",    "\"coords\"", "\"distance_matrix\"",
                                        "\"demands\"", "\"jobs\"",   "\"shipments\""};
  return std::any_of(std::begin(kKeys), std::end(kKeys), [text](std::string_view key) {
    return text.find(key) != std::string_view::npos;
  });
}

// Guesses the format of files that hold only numbers from the columns of their first two rows.
InstanceFormat GuessTableFormat(std::string_view text) {
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
  if (Trimmed(text).starts_with("{")) {
    return HasInstanceKey(text) ? InstanceFormat::kJson : InstanceFormat::kAuto;
  }
  if (AnyLine(text, [](std::string_view line) {
        return IsEntry(line, "DIMENSION") || IsEntry(line, "EDGE_WEIGHT_TYPE");
      })) {
    return InstanceFormat::kVrplib;
  }
  if (AnyLine(text, [](std::string_view line) {
        return IsHeading(line, "VEHICLE") || IsHeading(line, "CUSTOMER");
      })) {
    return InstanceFormat::kSolomon;
  }
  return GuessTableFormat(text);
}

// Describes a text of unknown format. Returns an empty text if nothing is recognised.
std::string_view Description(std::string_view text) {
  const std::string_view start = Trimmed(text);
  if (start.empty()) return " (it is empty)";
  if (text.starts_with("\x1f\x8b") || text.starts_with("PK\x03\x04")) {
    return " (it is compressed: unpack it first)";
  }
  if (text.substr(0, kSearchedBytes).find('\0') != std::string_view::npos) return " (it is binary)";
  if (start.starts_with("<")) return " (it is a web page or XML)";
  if (start.starts_with("{")) return " (it is a JSON object without keys of an instance)";
  if (start.starts_with("[")) return " (it is a JSON array, wanted one object)";
  if (AnyLine(text,
              [](std::string_view line) { return UpperCase(line.substr(0, 7)) == "ROUTE #"; })) {
    return " (it is a solution: give it together with its instance)";
  }
  return "";
}

}  // namespace

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
      Concat(name, ": no known format", Description(text),
             ": wanted one of CVRPLIB and TSPLIB (with a line `DIMENSION : n`), Solomon and "
             "Homberger (with a line `VEHICLE`), Li and Lim, Cordeau (tables of numbers), this "
             "project's JSON (an object with `kind`) or VROOM's (with `jobs` or `shipments`)"));
}

absl::StatusOr<Instance> ParseJson(std::string_view text, std::string_view name,
                                   const MatrixSource* matrices) {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json root, ParseJsonText(text, name));
  if (!root.is_object()) {
    return absl::InvalidArgumentError(Concat(name, ": got ", Shown(root), ", wanted an object"));
  }
  return LooksLikeVroom(root) ? InstanceFromVroom(root, name)
                              : InstanceFromJson(root, name, matrices);
}

bool RefersToMatrices(std::string_view text, std::string_view name) {
  // A JSON string without an escape, such as `\/`, spells the name in full. This check avoids
  // parsing most texts.
  if (text.find(name) == text.npos && text.find('\\') == text.npos) return false;
  const absl::StatusOr<nlohmann::json> root = ParseJsonText(WithoutByteOrderMark(text), "");
  if (!root.ok() || !root->is_object()) return false;
  const auto refers = [name](const nlohmann::json& object) {
    const auto value = object.find("matrices");
    return value != object.end() && value->is_string() &&
           value->get_ref<const std::string&>() == name;
  };
  const auto vehicles = root->find("vehicles");
  return refers(*root) || (vehicles != root->end() && vehicles->is_array() &&
                           std::any_of(vehicles->begin(), vehicles->end(), refers));
}

}  // namespace vrp
