// The marker `state.json`, which distinguishes a state folder whose database is lost from a new
// one. JobBook::Open writes the marker right after it creates the database.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"

namespace vrp {

// Name of the marker. Schema: {"schema_version": 1, "id": ..., "created": ...}; the database has
// the same id.
inline constexpr std::string_view kStateMarkerFile = "state.json";

// Checks the database before it is opened, since opening would create a new one. Returns kDataLoss
// if the database is absent, empty or without tables, although the folder has a marker or folders
// of jobs.
absl::Status CheckDatabaseNotLost(const StateFolder& folder);

// Writes the marker of an open database if the marker is absent or damaged. Returns
// kFailedPrecondition if the database belongs to another folder, or a newer vrpd wrote the marker.
absl::Status WriteOrCheckMarker(const StateFolder& folder, JobStore& store, absl::Time now);

}  // namespace vrp
