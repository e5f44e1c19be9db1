// BackupServer without gRPC.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "core/jobs/backup/snapshot.h"
#include "server/service/stream_source.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp {

// Takes the snapshot; blocks on the disk. Errors as of TakeSnapshot.
absl::StatusOr<std::unique_ptr<StreamSource<v1::BackupServerResponse>>> OpenBackup(
    const BackupSources& sources);

}  // namespace vrp
