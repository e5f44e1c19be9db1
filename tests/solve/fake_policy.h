// A policy with scripted answers that records its requests.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/model/policy/policy.h"

namespace vrp::test {

// A policy that answers with the test's function, which gets the first instance of each batch.
// Thread-safe if the function is.
class FakePolicy final : public Policy {
 public:
  using Answer = std::function<absl::StatusOr<std::vector<DecodedPlan>>(const Instance&,
                                                                        const DecodeOptions&)>;

  explicit FakePolicy(Answer answer, absl::Status supports = absl::OkStatus(),
                      bool improves = false)
      : answer_(std::move(answer)), supports_(std::move(supports)), improves_(improves) {
    info_.architecture = "fake";
  }

  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance&) const override { return supports_; }
  absl::Status SupportsImprovement(const Instance& instance) const override {
    return improves_ ? absl::OkStatus() : Policy::SupportsImprovement(instance);
  }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    {
      absl::MutexLock lock(&mu_);
      requests_.push_back(options);
    }
    return answer_(batch[0], options);
  }

  // Returns the options of the calls so far, in order.
  std::vector<DecodeOptions> requests() const {
    absl::MutexLock lock(&mu_);
    return requests_;
  }

 private:
  const Answer answer_;
  const absl::Status supports_;
  const bool improves_;
  PolicyInfo info_;
  mutable absl::Mutex mu_;
  std::vector<DecodeOptions> requests_ ABSL_GUARDED_BY(mu_);
};

}  // namespace vrp::test
