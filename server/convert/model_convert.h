// Converts models and devices.
#pragma once

#include "core/device/device.h"
#include "core/registry/registry.h"
#include "core/solve/evaluation.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp {

v1::Model ToProto(const ModelVersion& version);
v1::ModelEvaluation ToProto(const CardEvaluation& evaluation);
v1::SizeBucket ToProto(const SizeBucket& bucket);
v1::Device ToProto(const DeviceInfo& device);

}  // namespace vrp
