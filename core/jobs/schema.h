// The tables of the job store, and how older ones are brought up to date.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/sqlite.h"

namespace vrp {

// Step i takes a database from schema version i to i + 1.
std::span<const std::string_view> JobSchemaMigrations();

// 0: it has no tables. kFailedPrecondition: those of another program.
absl::StatusOr<int64_t> ReadSchemaVersion(Database& database);

// Brings `database` to the version after the last of `migrations`, each step in a transaction of
// its own. kFailedPrecondition: it is newer, or holds tables of another program; nothing is changed
// then.
absl::Status Migrate(Database& database, std::span<const std::string_view> migrations);

// The id of a migrated database, which it keeps for good: `fresh`, where it has none yet.
absl::StatusOr<std::string> IdentifyDatabase(Database& database, const std::string& fresh);

}  // namespace vrp
