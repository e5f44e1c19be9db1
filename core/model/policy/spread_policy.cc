#include "core/model/policy/spread_policy.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

class SpreadPolicy final : public Policy {
 public:
  SpreadPolicy(std::vector<std::unique_ptr<Policy>> copies, DeviceLoad& load)
      : copies_(std::move(copies)), load_(load) {
    for (const auto& copy : copies_) devices_.push_back(copy->info().device);
  }

  const PolicyInfo& info() const override { return copies_.front()->info(); }
  absl::Status Supports(const Instance& instance) const override {
    return copies_.front()->Supports(instance);
  }
  absl::Status SupportsImprovement(const Instance& instance) const override {
    return copies_.front()->SupportsImprovement(instance);
  }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    const DeviceLoad::Lease lease = load_.BeginOnLeastBusy(devices_);
    const auto found = std::find(devices_.begin(), devices_.end(), lease.device());
    return copies_[static_cast<size_t>(found - devices_.begin())]->Decode(batch, options);
  }

 private:
  const std::vector<std::unique_ptr<Policy>> copies_;
  DeviceLoad& load_;
  std::vector<DeviceId> devices_;  // of the copies
};

}  // namespace

std::unique_ptr<Policy> MakeSpreadPolicy(std::vector<std::unique_ptr<Policy>> copies,
                                         DeviceLoad& load) {
  return std::make_unique<SpreadPolicy>(std::move(copies), load);
}

PolicyLoader SpreadLoader(PolicyLoader loader, std::vector<DeviceId> devices, DeviceLoad& load) {
  return [loader = std::move(loader), devices = std::move(devices), &load](
             const std::string& directory, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
    std::vector<std::unique_ptr<Policy>> copies;
    for (const DeviceId device : devices) {
      VRP_ASSIGN_OR_RETURN(std::unique_ptr<Policy> copy, loader(directory, device));
      copies.push_back(std::move(copy));
    }
    return MakeSpreadPolicy(std::move(copies), load);
  };
}

}  // namespace vrp
