// DatasetService without gRPC.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/problem/generate/generators.h"
#include "server/service/stream_source.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// What `request` asks for, checked; of at most `max_nodes` nodes an instance.
absl::StatusOr<GeneratorOptions> GeneratorOptionsFromProto(
    const v1::GenerateInstancesRequest& request, int32_t max_nodes);

// The instances that `request` names, made as they are asked for, some 64 KiB at a time.
// kInvalidArgument names the field.
absl::StatusOr<std::unique_ptr<StreamSource<v1::GenerateInstancesResponse>>> OpenGenerator(
    const v1::GenerateInstancesRequest& request, int32_t max_nodes);

}  // namespace vrp
