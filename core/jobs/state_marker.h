// What tells a state folder whose database is lost from one that is fresh: `state.json`, which is
// there as soon as the database is.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"

namespace vrp {

// Schema: {"schema_version": 1, "id": ..., "created": ...}; the database has the same id.
inline constexpr std::string_view kStateMarkerFile = "state.json";

// Before the database is opened, which would make a fresh one. kDataLoss: there is none, it is
// empty or it has no tables, though the folder has a marker or folders of jobs.
absl::Status CheckDatabaseKept(const StateFolder& folder);

// After it was opened: writes the marker where it is absent or damaged. kFailedPrecondition: the
// database is that of another folder, or a newer vrpd wrote the marker.
absl::Status MarkState(const StateFolder& folder, JobStore& store, absl::Time now);

}  // namespace vrp
