#include "server/convert/names.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/registry/alias_store.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

constexpr size_t kMaxNameBytes = 200;

absl::Status WrongName(std::string_view field, std::string_view name, std::string_view wanted) {
  return InvalidField(field, Concat("got ", Quoted(name), ", wanted ", wanted));
}

}  // namespace

std::string ModelVersionName(std::string_view name, int32_t version) {
  return Concat("models/", name, "/versions/", version);
}

absl::StatusOr<std::string> ParseJobName(JobKind kind, std::string_view field,
                                         std::string_view name) {
  const std::string prefix = JobResourceName(kind, "");
  const bool plausible = name.size() <= kMaxNameBytes && name.substr(0, prefix.size()) == prefix;
  if (!plausible || !ValidateId(field, name.substr(prefix.size())).ok()) {
    return WrongName(field, name, JobResourceName(kind, "{id}"));
  }
  return std::string(name.substr(prefix.size()));
}

absl::StatusOr<ModelReference> ParseModelName(std::string_view field, std::string_view name) {
  constexpr std::string_view kWanted =
      "models/{name}, models/{name}/versions/{n} or models/{name}/aliases/{alias}";
  if (name.size() > kMaxNameBytes) return WrongName(field, name, kWanted);
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(name), '/');
  ModelReference result;
  if ((parts.size() != 2 && parts.size() != 4) || parts[0] != "models" ||
      !CheckModelName(parts[1]).ok()) {
    return WrongName(field, name, kWanted);
  }
  result.name = parts[1];
  if (parts.size() == 2) return result;
  if (parts[2] == "aliases" && CheckAliasName(parts[3]).ok()) {
    result.alias = parts[3];
    return result;
  }
  const bool digits = parts[3].find_first_not_of("0123456789") == std::string::npos;
  if (parts[2] != "versions" || !digits || !absl::SimpleAtoi(parts[3], &result.version) ||
      result.version < 1) {
    return WrongName(field, name, kWanted);
  }
  return result;
}

absl::StatusOr<ModelReference> ParseVersionName(std::string_view field, std::string_view name) {
  absl::StatusOr<ModelReference> result = ParseModelName(field, name);
  if (result.ok() && result->version > 0) return result;
  return WrongName(field, name, "models/{name}/versions/{n}");
}

absl::StatusOr<ModelReference> ParseAliasName(std::string_view field, std::string_view name) {
  absl::StatusOr<ModelReference> result = ParseModelName(field, name);
  if (result.ok() && !result->alias.empty()) return result;
  return WrongName(
      field, name,
      "models/{name}/aliases/{alias}, with an alias of 1 to 64 letters, digits, '-' and '_' that "
      "begins with a letter and is not latest or newest");
}

}  // namespace vrp
