#include "server/telemetry/device_sampler.h"

#include <utility>

namespace vrp {
namespace {

std::shared_ptr<const DeviceSample> FirstSample(
    const absl::StatusOr<std::unique_ptr<TelemetryReader>>& reader) {
  return std::make_shared<const DeviceSample>(
      reader.ok() ? absl::UnavailableError("the GPU driver has not answered yet")
                  : reader.status());
}

}  // namespace

DeviceSampler::DeviceSampler(absl::StatusOr<std::unique_ptr<TelemetryReader>> reader,
                             const Pace& pace)
    : latest_(FirstSample(reader)), reader_(reader.ok() ? *std::move(reader) : nullptr) {
  if (reader_ != nullptr) thread_ = std::thread([this, pace] { Run(pace); });
}

DeviceSampler::~DeviceSampler() {
  stopping_.Set();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const DeviceSample> DeviceSampler::Latest() const {
  const absl::MutexLock lock(&mutex_);
  return latest_;
}

void DeviceSampler::Run(const Pace& pace) {
  while (!stopping_.WaitFor(Sample() ? pace.interval : pace.retry)) {
  }
}

bool DeviceSampler::Sample() {
  auto sample = std::make_shared<const DeviceSample>(reader_->Read());
  const bool answered = sample->ok();
  const absl::MutexLock lock(&mutex_);
  latest_ = std::move(sample);
  return answered;
}

}  // namespace vrp
