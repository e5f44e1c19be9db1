// Provides a policy and requests for tests of the decode queue and the batcher.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/search/build/construct.h"
#include "core/solve/decode_queue.h"
#include "tests/testing/instance_builder.h"

namespace vrp::test {

// Returns a random CVRP instance with a capacity of 25.
inline Instance RandomCvrp(int32_t customers, uint64_t seed = 1) {
  return AnInstance().WithCustomers(customers).Seed(seed).RandomDemands().Capacity(25).Build();
}

// A policy that returns nearest-neighbour plans. It fails for batches with an instance named
// "poison". While the policy is closed, calls block. A call whose stop condition holds thereafter
// fails with DEADLINE_EXCEEDED. Thread-safe.
class GatedPolicy final : public Policy {
 public:
  explicit GatedPolicy(bool closed = false) : closed_(closed) { info_.architecture = "gated"; }

  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance&) const override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    {
      absl::MutexLock lock(&mutex_);
      batches_.push_back(batch.size());
      ++running_;
      max_concurrent_ = std::max(max_concurrent_, running_);
      mutex_.Await(absl::Condition(
          +[](bool* closed) { return !*closed; }, &closed_));
      --running_;
    }
    if (options.stop.ShouldStop()) return absl::DeadlineExceededError("late");
    std::vector<DecodedPlan> plans;
    for (const Instance& instance : batch) {
      if (instance.name() == "poison") return absl::FailedPreconditionError("poisoned");
      plans.push_back({.plan = NearestNeighbourPlan(instance)});
    }
    return plans;
  }

  void Open() {
    absl::MutexLock lock(&mutex_);
    closed_ = false;
  }
  // Blocks until `calls` calls have begun.
  void AwaitCalls(size_t calls) {
    absl::MutexLock lock(&mutex_);
    const auto begun = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return batches_.size() >= calls;
    };
    mutex_.Await(absl::Condition(&begun));
  }
  // Returns the batch sizes of the calls, in order.
  std::vector<size_t> batches() {
    absl::MutexLock lock(&mutex_);
    return batches_;
  }
  int max_concurrent() {
    absl::MutexLock lock(&mutex_);
    return max_concurrent_;
  }

 private:
  PolicyInfo info_;
  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  int max_concurrent_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<size_t> batches_ ABSL_GUARDED_BY(mutex_);
};

inline PolicyRequest Greedy(std::shared_ptr<Policy> policy, Instance instance) {
  return {.policy = std::move(policy), .instance = std::move(instance)};
}

}  // namespace vrp::test
