// Names for versions of models that can be moved from one version to another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/model_folder.h"
#include "core/registry/staging_area.h"

namespace vrp {

inline constexpr size_t kMaxAliases = 100;  // of a model

// A reserved alias: it always names the newest version, live ones included (see registry.h).
inline constexpr std::string_view kLiveAlias = "live";

// Letters, digits, '-' and '_', 1 to 64 of them, beginning with a letter, so that no alias passes
// for a version; not "latest" or "newest", which are what a name without a version means.
absl::Status CheckAliasName(std::string_view alias);

// kInvalidArgument: `live` cannot be set or deleted.
absl::Status ReservedLiveAlias(std::string_view model, std::string_view remedy);

// "models/{name}/aliases/{alias}".
std::string AliasResourceName(std::string_view model, std::string_view alias);

// Such a name's parts; nullopt: it is none.
std::optional<ModelReference> ParseAliasResource(std::string_view name);

// The files `DIR/{model}/{alias}`, each with a version's number, as git keeps its refs: one is set,
// moved and removed without a look at the others, at once and durably, by any number of processes.
// Thread-safe; reads the disk at each call. Names of models were checked by the caller.
class AliasStore {
 public:
  // `staging`, on the same file system, outlives it.
  AliasStore(std::string directory, StagingArea& staging)
      : directory_(std::move(directory)), staging_(staging) {}

  bool Has(std::string_view model, std::string_view alias) const;
  // kNotFound names those there are; kDataLoss: the file holds no version.
  absl::StatusOr<int32_t> Find(std::string_view model, std::string_view alias) const;
  // Alias and version; files that hold none are left out.
  std::map<std::string, int32_t> List(std::string_view model) const;
  // kResourceExhausted: the model has kMaxAliases others.
  absl::Status Set(std::string_view model, std::string_view alias, int32_t version);
  // kNotFound as of Find.
  absl::Status Delete(std::string_view model, std::string_view alias);

 private:
  std::string PathOf(std::string_view model, std::string_view alias) const;
  absl::Status NotFound(std::string_view model, std::string_view alias) const;

  const std::string directory_;
  StagingArea& staging_;
};

}  // namespace vrp
