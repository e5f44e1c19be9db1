// Implements BackupServer without gRPC.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "core/jobs/backup/snapshot.h"
#include "server/service/stream_source.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp {

// Takes a snapshot and opens it as a stream. Blocks on the disk. Returns the errors of
// TakeSnapshot.
absl::StatusOr<std::unique_ptr<StreamSource<v1::BackupServerResponse>>> OpenBackup(
    const BackupSources& sources);

}  // namespace vrp
