#include "core/solve/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/base/moments.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/gap_reference.h"
#include "core/search/search.h"
#include "core/solve/solver.h"

namespace vrp {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Longest search for one reference.
constexpr absl::Duration kMaxSearchTime = absl::Minutes(1);
// Target time of decoding in a step.
constexpr absl::Duration kStepTime = absl::Milliseconds(500);
constexpr int64_t kMaxBatch = 1024;  // maximum number of plans decoded together, if not improved
// Maximum number of plans that are improved together; enough to keep a large GPU busy.
constexpr int64_t kImprovementBatch = 4096;
// Inclusive upper bounds of the size buckets, in customers.
constexpr std::array<int32_t, 8> kBucketEnds = {20, 50, 100, 200, 500, 1000, 10'000, 100'000};

absl::Status CheckOptions(const EvaluationOptions& options) {
  const auto refuse = [](const auto&... parts) {
    return absl::InvalidArgumentError(Concat(parts...));
  };
  if (options.modes.empty()) return refuse("modes: got none, wanted at least one");
  for (size_t i = 0; i < options.modes.size(); ++i) {
    const EvaluationMode& mode = options.modes[i];
    const int32_t min_width = mode.method == DecodeMethod::kMultiStart ? 0 : 1;
    if (mode.width < min_width || mode.width > kMaxWidth) {
      return refuse("modes[", i, "].width: got ", mode.width, ", wanted ", min_width, " to ",
                    kMaxWidth);
    }
    if (mode.rounds.has_value() && (*mode.rounds < 0 || *mode.rounds > kMaxRounds)) {
      return refuse("modes[", i, "].width: got ", *mode.rounds, " rounds, wanted 0 to ",
                    kMaxRounds);
    }
    if (mode.augmentations < 1 || mode.augmentations > kMaxAugmentations) {
      return refuse("modes[", i, "].width: got ", mode.augmentations,
                    " symmetry augmentations, wanted 1 to ", kMaxAugmentations);
    }
  }
  if (!options.reference_search_time.has_value()) return absl::OkStatus();
  if (*options.reference_search_time < absl::Milliseconds(1) ||
      *options.reference_search_time > kMaxSearchTime) {
    return refuse("reference_search_time: got ",
                  absl::FormatDuration(*options.reference_search_time), ", wanted 1ms to 1m");
  }
  return absl::OkStatus();
}

absl::Status WithInstancePath(int64_t index, const absl::Status& status) {
  return absl::Status(status.code(), Concat("files[", index, "]: ", FromAbsl(status.message())));
}

DecodeOptions DecodingOf(const EvaluationMode& mode, uint64_t seed, CpuPool& pool) {
  DecodeOptions options;
  options.method = mode.method;
  options.width = mode.width;
  options.augmentations = mode.augmentations;
  options.seed = seed;
  if (mode.rounds.has_value()) options.improvement = {.rounds = *mode.rounds};
  options.pool = &pool;
  return options;
}

size_t BucketOf(const Instance& instance) {
  const auto end =
      std::lower_bound(kBucketEnds.begin(), kBucketEnds.end(), instance.num_customers());
  return static_cast<size_t>(end - kBucketEnds.begin());
}

}  // namespace

std::string EvaluationModeName(const EvaluationMode& mode) {
  if (mode.rounds.has_value()) return Concat("improved ", *mode.rounds);
  switch (mode.method) {
    case DecodeMethod::kGreedy:
      return "greedy";
    case DecodeMethod::kSample:
      return Concat("sample ", mode.width);
    case DecodeMethod::kBeam:
      return Concat("beam ", mode.width);
    case DecodeMethod::kMultiStart:
      return Concat("multi_start ", mode.augmentations);
  }
  return "";
}

absl::StatusOr<std::unique_ptr<Evaluation>> Evaluation::Create(std::shared_ptr<Policy> policy,
                                                               std::vector<Instance> instances,
                                                               EvaluationOptions options) {
  VRP_RETURN_IF_ERROR(CheckOptions(options));
  if (instances.empty()) return absl::InvalidArgumentError("files: got none, wanted at least one");
  const bool improves = std::any_of(options.modes.begin(), options.modes.end(),
                                    [](const auto& mode) { return mode.rounds.has_value(); });
  for (size_t i = 0; i < instances.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    absl::Status known = policy->Supports(instances[i]);
    if (known.ok() && improves) known = policy->SupportsImprovement(instances[i]);
    if (!known.ok()) return WithInstancePath(index, known);
  }
  return std::unique_ptr<Evaluation>(
      new Evaluation(std::move(policy), std::move(instances), std::move(options)));
}

Evaluation::Evaluation(std::shared_ptr<Policy> policy, std::vector<Instance> instances,
                       EvaluationOptions options)
    : policy_(std::move(policy)),
      instances_(std::move(instances)),
      options_(std::move(options)),
      pool_(options_.threads),
      references_(instances_.size(), kNaN),
      costs_(options_.modes.size()),
      times_(options_.modes.size()) {
  if (options_.reference_search_time.has_value()) return;
  for (size_t i = 0; i < instances_.size(); ++i) {
    references_[i] = instances_[i].reference_cost().value_or(kNaN);
  }
}

int64_t Evaluation::total() const {
  const int64_t passes = static_cast<int64_t>(options_.modes.size()) +
                         (options_.reference_search_time.has_value() ? 1 : 0);
  return Count() * passes;
}

absl::Status Evaluation::Step() {
  const bool decoded = done_ >= Count() * static_cast<int64_t>(options_.modes.size());
  return decoded ? SearchNextReference() : DecodeNextBatch();
}

absl::Status Evaluation::DecodeNextBatch() {
  const auto mode = static_cast<size_t>(done_ / Count());
  const int64_t first = done_ % Count();
  const bool improves = options_.modes[mode].rounds.has_value();
  if (first == 0) batch_ = improves ? kImprovementBatch : options_.threads;
  const int64_t count = std::min(batch_, Count() - first);
  const std::span<const Instance> batch(instances_.data() + first, static_cast<size_t>(count));
  const absl::Time start = SteadyNow();
  VRP_ASSIGN_OR_RETURN(
      const std::vector<DecodedPlan> plans,
      policy_->Decode(batch, DecodingOf(options_.modes[mode], options_.seed, pool_)));
  const absl::Duration took = SteadyNow() - start;
  times_[mode] += took;
  if (static_cast<int64_t>(plans.size()) != count) {
    return absl::InternalError(
        Concat("the policy gave ", plans.size(), " plans for ", count, " instances"));
  }
  for (size_t i = 0; i < plans.size(); ++i) {
    const CheckReport report = CheckPlan(batch[i], plans[i].plan);
    if (!report.feasible) {
      return WithInstancePath(first + static_cast<int64_t>(i),
                              absl::InternalError(Concat("the checker refuses the policy's plan: ",
                                                         report.violations.front().message)));
    }
    costs_[mode].push_back(report.cost);
  }
  done_ += count;
  if (improves) return absl::OkStatus();
  if (took < kStepTime / 2) batch_ = std::min(2 * batch_, kMaxBatch);
  if (took > 2 * kStepTime) batch_ = std::max<int64_t>(batch_ / 2, 1);
  return absl::OkStatus();
}

absl::Status Evaluation::SearchNextReference() {
  const int64_t first = done_ - Count() * static_cast<int64_t>(options_.modes.size());
  const int64_t count = std::min<int64_t>(options_.threads, Count() - first);
  std::vector<absl::Status> found(static_cast<size_t>(count));
  pool_.ParallelFor(count, [&](int64_t i) {
    SolveOptions options;
    options.strategy = Strategy::kSearch;
    options.budget = *options_.reference_search_time;
    options.seed = options_.seed;
    const auto index = static_cast<size_t>(first + i);
    const absl::StatusOr<SolveAnswer> answer = Solve(instances_[index], options);
    found[static_cast<size_t>(i)] = answer.status();
    if (answer.ok() && answer->check.feasible) references_[index] = answer->check.cost;
  });
  for (const absl::Status& status : found) VRP_RETURN_IF_ERROR(status);
  done_ += count;
  return absl::OkStatus();
}

EvaluationRow Evaluation::RowOf(size_t mode) const {
  Moments cost, gap;
  std::array<Moments, kBucketEnds.size()> bucket_cost, bucket_gap;
  std::array<SizeBucket, kBucketEnds.size()> buckets;
  for (size_t i = 0; i < instances_.size(); ++i) {
    const size_t at = BucketOf(instances_[i]);
    const int32_t size = instances_[i].num_customers();
    SizeBucket& bucket = buckets[at];
    bucket.min_customers = bucket.instances++ == 0 ? size : std::min(size, bucket.min_customers);
    bucket.max_customers = std::max(size, bucket.max_customers);
    cost.Add(costs_[mode][i]);
    bucket_cost[at].Add(costs_[mode][i]);
    const double own_gap = Gap(costs_[mode][i], references_[i]);
    if (std::isnan(own_gap)) continue;
    gap.Add(own_gap);
    bucket_gap[at].Add(own_gap);
  }
  EvaluationRow row{.mode = options_.modes[mode],
                    .instances = Count(),
                    .mean_cost = cost.Mean(),
                    .standard_error = cost.StandardError(),
                    .mean_gap = gap.Mean(),
                    .gap_standard_error = gap.StandardError()};
  const double seconds = absl::ToDoubleSeconds(times_[mode]);
  row.instances_per_second = seconds > 0 ? static_cast<double>(Count()) / seconds : 0;
  for (size_t at = 0; at < buckets.size(); ++at) {
    if (buckets[at].instances == 0) continue;
    buckets[at].mean_cost = bucket_cost[at].Mean();
    buckets[at].mean_gap = bucket_gap[at].Mean();
    row.sizes.push_back(buckets[at]);
  }
  return row;
}

std::vector<EvaluationRow> Evaluation::Rows() const {
  std::vector<EvaluationRow> rows;
  for (size_t mode = 0; mode < options_.modes.size(); ++mode) rows.push_back(RowOf(mode));
  return rows;
}

std::string Evaluation::reference() const {
  if (options_.reference_search_time.has_value()) {
    return SearchReference(*options_.reference_search_time);
  }
  const bool any = std::any_of(references_.begin(), references_.end(),
                               [](double reference) { return reference > 0; });
  return any ? std::string(kFileReference) : "";
}

}  // namespace vrp
