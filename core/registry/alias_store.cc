#include "core/registry/alias_store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/registry/number_file.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxAliasLength = 64;  // characters

}  // namespace

absl::Status CheckAliasName(std::string_view alias) {
  const bool well_formed = !alias.empty() && alias.size() <= kMaxAliasLength &&
                           absl::ascii_isalpha(static_cast<unsigned char>(alias.front())) &&
                           std::all_of(alias.begin(), alias.end(), [](unsigned char c) {
                             return absl::ascii_isalnum(c) || c == '-' || c == '_';
                           });
  const bool reserved = alias == "latest" || alias == "newest";
  if (well_formed && !reserved) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(
      "alias: got ", Quoted(alias), ", wanted 1 to ", kMaxAliasLength,
      " letters, digits, '-' and '_', beginning with a letter",
      reserved ? "; this word is reserved: a name without a version means the newest finished one"
               : ""));
}

absl::Status ReservedLiveAlias(std::string_view model, std::string_view remedy) {
  return absl::InvalidArgumentError(
      Concat(AliasResourceName(model, kLiveAlias),
             ": the alias live always names the newest version, live ones included; ", remedy));
}

std::string AliasResourceName(std::string_view model, std::string_view alias) {
  return Concat("models/", model, "/aliases/", alias);
}

std::optional<ModelReference> ParseAliasResource(std::string_view name) {
  constexpr std::string_view kModels = "models/";
  constexpr std::string_view kAliases = "/aliases/";
  if (!name.starts_with(kModels)) return std::nullopt;
  name.remove_prefix(kModels.size());
  const size_t at = name.find(kAliases);
  if (at == std::string_view::npos) return std::nullopt;
  ModelReference reference{.name = std::string(name.substr(0, at)),
                           .alias = std::string(name.substr(at + kAliases.size()))};
  if (!CheckModelName(reference.name).ok() || !CheckAliasName(reference.alias).ok()) {
    return std::nullopt;
  }
  return reference;
}

std::string AliasStore::PathOf(std::string_view model, std::string_view alias) const {
  return Concat(directory_, "/", model, "/", alias);
}

bool AliasStore::Has(std::string_view model, std::string_view alias) const {
  return access(PathOf(model, alias).c_str(), F_OK) == 0;
}

absl::StatusOr<int32_t> AliasStore::Find(std::string_view model, std::string_view alias) const {
  VRP_RETURN_IF_ERROR(CheckAliasName(alias));
  const absl::StatusOr<int32_t> version =
      ReadNumberFile(PathOf(model, alias), "set the alias again");
  return absl::IsNotFound(version.status()) ? NotFound(model, alias) : version;
}

std::map<std::string, int32_t> AliasStore::List(std::string_view model) const {
  std::map<std::string, int32_t> aliases;
  std::error_code error;
  for (fs::directory_iterator at(fs::path(directory_) / model, error), end; !error && at != end;
       at.increment(error)) {
    const std::string alias = at->path().filename().string();
    const absl::StatusOr<int32_t> version = Find(model, alias);
    if (version.ok()) aliases[alias] = *version;
  }
  return aliases;
}

absl::Status AliasStore::Set(std::string_view model, std::string_view alias, int32_t version) {
  VRP_RETURN_IF_ERROR(CheckAliasName(alias));
  const std::map<std::string, int32_t> aliases = List(model);
  if (aliases.size() >= kMaxAliases && !aliases.contains(std::string(alias))) {
    return absl::ResourceExhaustedError(Concat("models/", model, ": has ", aliases.size(),
                                               " aliases, the limit is ", kMaxAliases,
                                               "; delete one"));
  }
  return WriteNumberFile(PathOf(model, alias), version, staging_);
}

absl::Status AliasStore::Delete(std::string_view model, std::string_view alias) {
  VRP_RETURN_IF_ERROR(CheckAliasName(alias));
  const std::string path = PathOf(model, alias);
  if (unlink(path.c_str()) == 0) return SyncPath(fs::path(path).parent_path().string());
  if (errno == ENOENT || errno == ENOTDIR) return NotFound(model, alias);
  return absl::ErrnoToStatus(errno, Concat("unlink ", path));
}

absl::Status AliasStore::NotFound(std::string_view model, std::string_view alias) const {
  const auto name_of = [](std::string* text, const auto& entry) { text->append(entry.first); };
  const std::string known = absl::StrJoin(List(model), ", ", name_of);
  return absl::NotFoundError(
      Concat(AliasResourceName(model, alias),
             ": no such alias; existing aliases: ", known.empty() ? "none" : known));
}

}  // namespace vrp
