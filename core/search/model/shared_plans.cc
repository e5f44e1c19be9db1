#include "core/search/model/shared_plans.h"

#include <algorithm>
#include <utility>

namespace vrp {

void SharedPlans::Offer(int32_t search, Plan plan) {
  const absl::MutexLock lock(&mutex_);
  offered_.push_back({search, std::move(plan)});
  ++count_;
  if (offered_.size() > kKept) offered_.pop_front();
}

std::vector<Plan> SharedPlans::TakeNew(int32_t search, int64_t& seen) {
  const absl::MutexLock lock(&mutex_);
  std::vector<Plan> plans;
  const int64_t fresh = std::min(count_ - seen, static_cast<int64_t>(offered_.size()));
  for (auto it = offered_.end() - fresh; it != offered_.end(); ++it) {
    if (it->search != search) plans.push_back(it->plan);
  }
  seen = count_;
  return plans;
}

}  // namespace vrp
