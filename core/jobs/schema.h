// The tables of the job store and their migrations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/sqlite.h"

namespace vrp {

// Returns the migrations. Step i takes a database from schema version i to i + 1.
std::span<const std::string_view> JobSchemaMigrations();

// Returns the schema version; 0 if there are no tables. Returns kFailedPrecondition if the tables
// belong to another program.
absl::StatusOr<int64_t> ReadSchemaVersion(Database& database);

// Migrates `database` to the version after the last of `migrations`, each step in its own
// transaction. Leaves the database unchanged and returns kFailedPrecondition if it is newer or
// belongs to another program.
absl::Status Migrate(Database& database, std::span<const std::string_view> migrations);

// Returns the permanent id of a migrated database. If the database has no id, `new_id` becomes its
// id.
absl::StatusOr<std::string> IdentifyDatabase(Database& database, const std::string& new_id);

}  // namespace vrp
