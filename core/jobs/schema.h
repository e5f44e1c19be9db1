// The tables of the job store, and how older ones are brought up to date.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "core/jobs/sqlite.h"

namespace vrp {

// Step i takes a database from schema version i to i + 1.
std::span<const std::string_view> JobSchemaMigrations();

// Brings `database` to the version after the last of `migrations`, each step in a transaction of
// its own. kFailedPrecondition: it is newer, or holds tables of another program; nothing is changed
// then.
absl::Status Migrate(Database& database, std::span<const std::string_view> migrations);

}  // namespace vrp
