// Converts the depots and customers of an Instance message for DataFromProto.
#pragma once

#include <cstddef>

#include "core/problem/instance/instance_data.h"
#include "server/convert/violation_list.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// Whether any depot or customer has a time window.
bool HasTimeWindow(const v1::Instance& message);
// Returns the largest number of loads that any customer states in one field.
int MaxLoadDimensions(const v1::Instance& message);

// Sets the per-node fields of `data`, whose kind must be set. No field has more loads than
// `load_dimensions`.
void ConvertNodes(const v1::Instance& message, size_t load_dimensions, InstanceData& data,
                  ViolationList& errors);

}  // namespace vrp
