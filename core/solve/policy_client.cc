#include "core/solve/policy_client.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/problem/plan/plan_value.h"
#include "core/solve/policy_plan.h"

namespace vrp {
namespace {

// Maximum share of the remaining time that a seeded search waits for the policy.
constexpr double kPolicyShare = 0.2;
// Number of samples that guide a seeded search, and their estimated time as a multiple of a greedy
// tour's.
constexpr int32_t kGuideSamples = 32;
constexpr double kGuideTimeRatio = 8;
// Time reserved for search to construct a plan if a policy alone has none in time, and its largest
// share of the remaining time.
constexpr absl::Duration kConstructing = absl::Microseconds(300);
constexpr absl::Duration kConstructingPerNode = absl::Microseconds(15);
constexpr double kConstructingShare = 0.25;

}  // namespace

absl::Status PolicyClient::Check() const {
  VRP_RETURN_IF_ERROR(options_.policy->Supports(instance_));
  const bool improves = options_.strategy == Strategy::kImproved;
  return improves ? options_.policy->SupportsImprovement(instance_) : absl::OkStatus();
}

const PolicyRequest& PolicyClient::Request() {
  if (!request_.has_value()) request_ = RequestFor(DecodeOptionsForStrategy());
  return *request_;
}

bool PolicyClient::WouldExceed() {
  if (options_.network_only || options_.batcher == nullptr) return false;
  const PolicyRequest& request = Request();
  return options_.batcher->WouldExceed(request, request.options.stop.deadline() - SteadyNow());
}

NetworkTime PolicyClient::Time() {
  const absl::Time until = frame_.answer_due;
  const DecodeTime needed = options_.batcher != nullptr ? options_.batcher->TimeOf(Request(), until)
                                                        : MeasureDecodeTime(Request(), until);
  return {.strategy = options_.strategy,
          .customers = instance_.num_customers(),
          .needed = needed.time,
          .at_least = needed.at_least,
          .budget = frame_.budget,
          .by_deadline = frame_.by_deadline};
}

absl::StatusOr<DecodedPlan> PolicyClient::CheckOutcome(DecodeOutcome outcome) {
  batch_wait_ += outcome.waited;
  decoding_ += outcome.computed;
  return CheckDecodedPlan(*options_.policy, instance_, std::move(outcome.plan));
}

PolicyClient::Seeds PolicyClient::DecodeSeeds() {
  const absl::Time now = SteadyNow();
  if (frame_.stop.ShouldStop()) return {.note = "no time was left for the policy"};
  if (const absl::Status known = Check(); !known.ok()) {
    return {.note = std::string(known.message())};
  }
  DecodeOptions decode;
  decode.stop = frame_.stop.Sooner(now + (frame_.stop.deadline() - now) * kPolicyShare);
  absl::StatusOr<DecodedPlan> greedy = Decode(RequestFor(decode));
  if (!greedy.ok()) return {.note = std::string(greedy.status().message())};
  Seeds seeds;
  std::vector<Plan>& plans = seeds.plans;
  plans.push_back(std::move(greedy->plan));
  if (SteadyNow() + kGuideTimeRatio * decoding_ > decode.stop.deadline()) return seeds;
  decode.method = DecodeMethod::kSample;
  decode.width = kGuideSamples;
  decode.others = kGuideSamples - 1;
  absl::StatusOr<DecodedPlan> samples = Decode(RequestFor(decode));
  if (!samples.ok()) return seeds;  // the search starts from the greedy plan alone
  const bool is_better = PlanCost(instance_, samples->plan) < PlanCost(instance_, plans.front());
  plans.insert(is_better ? plans.begin() : plans.end(), std::move(samples->plan));
  std::move(samples->others.begin(), samples->others.end(), std::back_inserter(plans));
  return seeds;
}

absl::Time PolicyClient::DecodeDeadline() const {
  const absl::Time end = frame_.stop.deadline();
  if (options_.network_only) return end;
  const absl::Duration left = std::max(end - SteadyNow(), absl::ZeroDuration());
  const absl::Duration construction = kConstructing + kConstructingPerNode * instance_.num_nodes();
  return end - std::min(construction, left * kConstructingShare);
}

DecodeOptions PolicyClient::DecodeOptionsForStrategy() const {
  DecodeOptions decode;
  const absl::Time end = DecodeDeadline();
  decode.stop = frame_.stop.Sooner(end);
  if (options_.strategy == Strategy::kImproved) {
    const absl::Duration closing = frame_.stop.deadline() - frame_.search_ends;
    decode.improvement = {.rounds = options_.rounds, .until = end - closing};
  } else if (options_.strategy == Strategy::kMultiStart) {
    decode.method = DecodeMethod::kMultiStart;
    decode.width = 0;
    decode.augmentations = kMaxAugmentations;
  } else if (options_.strategy != Strategy::kGreedy) {
    const bool samples = options_.strategy == Strategy::kSample;
    decode.method = samples ? DecodeMethod::kSample : DecodeMethod::kBeam;
    decode.width = options_.width;
  }
  return decode;
}

PolicyRequest PolicyClient::RequestFor(DecodeOptions decode) const {
  decode.seed = options_.seed;
  // One greedy tour keeps one thread busy; samples, beams and starts are shared among threads.
  const bool shared = decode.method != DecodeMethod::kGreedy;
  return {.policy = options_.policy,
          .instance = instance_,
          .options = std::move(decode),
          .threads = shared ? options_.threads : 1,
          .importance = options_.importance};
}

absl::StatusOr<DecodedPlan> PolicyClient::Decode(const PolicyRequest& request) {
  if (options_.batcher != nullptr) return CheckOutcome(options_.batcher->Decode(request));
  const absl::Time start = SteadyNow();
  DecodeOutcome outcome{.plan = DecodeAlone(request)};
  outcome.computed = SteadyNow() - start;
  return CheckOutcome(std::move(outcome));
}

}  // namespace vrp
