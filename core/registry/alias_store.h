// Movable names of model versions.
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

inline constexpr size_t kMaxAliases = 100;  // maximum per model

// The reserved alias of the newest version, live ones included (see registry.h).
inline constexpr std::string_view kLiveAlias = "live";

// Checks an alias: 1 to 64 letters, digits, '-' and '_', beginning with a letter, so that an alias
// is never a version number. Refuses "latest" and "newest", because a name without a version means
// the newest finished one.
absl::Status CheckAliasName(std::string_view alias);

// Returns kInvalidArgument with `remedy`, because `live` cannot be set or deleted.
absl::Status ReservedLiveAlias(std::string_view model, std::string_view remedy);

// Returns "models/{name}/aliases/{alias}".
std::string AliasResourceName(std::string_view model, std::string_view alias);

// Parses the name of an alias. Returns nullopt if `name` is not one.
std::optional<ModelReference> ParseAliasResource(std::string_view name);

// A store with a file `DIR/{model}/{alias}` per alias. The file holds a version's number, as git
// stores refs. Any number of processes may set, move and remove aliases, atomically and durably.
// Thread-safe; every call reads the disk. Callers check the names of models.
class AliasStore {
 public:
  // Stores aliases in `directory`. `staging` must be on the same file system and outlive the store.
  AliasStore(std::string directory, StagingArea& staging)
      : directory_(std::move(directory)), staging_(staging) {}

  // Whether there is a file for the alias. Does not read it.
  bool Has(std::string_view model, std::string_view alias) const;
  // Returns the version. Returns kInvalidArgument as CheckAliasName does, kNotFound listing the
  // existing aliases, or kDataLoss if the file holds no version.
  absl::StatusOr<int32_t> Find(std::string_view model, std::string_view alias) const;
  // Returns the version of each alias. Omits files that hold no version.
  std::map<std::string, int32_t> List(std::string_view model) const;
  // Sets or moves an alias. Returns kInvalidArgument as CheckAliasName does, or kResourceExhausted
  // if the model has kMaxAliases others.
  absl::Status Set(std::string_view model, std::string_view alias, int32_t version);
  // Removes an alias. Returns kInvalidArgument and kNotFound as Find does.
  absl::Status Delete(std::string_view model, std::string_view alias);

 private:
  std::string PathOf(std::string_view model, std::string_view alias) const;
  absl::Status NotFound(std::string_view model, std::string_view alias) const;

  const std::string directory_;
  StagingArea& staging_;
};

}  // namespace vrp
