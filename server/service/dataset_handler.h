// Implements DatasetService without gRPC.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/problem/generate/generators.h"
#include "server/service/stream_source.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// Returns the options of a request for instances of at most `max_nodes` nodes. Returns
// kInvalidArgument naming the field. Does not check whether a positive capacity suffices, which
// GenerateInstance does.
absl::StatusOr<GeneratorOptions> GeneratorOptionsFromProto(
    const v1::GenerateInstancesRequest& request, int32_t max_nodes);

// Opens a stream that generates instances on demand, about 64 KiB at a time. Returns
// kInvalidArgument naming the field.
absl::StatusOr<std::unique_ptr<StreamSource<v1::GenerateInstancesResponse>>> OpenGenerator(
    const v1::GenerateInstancesRequest& request, int32_t max_nodes);

}  // namespace vrp
