#include "core/train/run/validation_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/plan/gap_reference.h"
#include "core/search/build/construct.h"
#include "core/search/search.h"
#include "core/train/data/instance_source.h"
#include "core/train/data/sample_set.h"
#include "core/train/learners/learner_parts.h"

namespace vrp {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Maximum number of instances that are processed together.
constexpr size_t kInstancesPerPart = 512;

// An instance with its reference.
struct InstanceWithReference {
  Instance instance;
  double cost = kNone;
  Plan plan = {};
};

LabelRequest SearchRequest(const TrainingConfig& config) {
  return {.problem = config.problem,
          .seed = config.validation.seed,
          .search_seed = config.seed,
          .iterations = config.validation.reference_iterations,
          .samples = config.validation.instances};
}

absl::StatusOr<std::vector<InstanceWithReference>> SearchedInstances(const TrainingConfig& config,
                                                                     const LabelContext& context) {
  VRP_ASSIGN_OR_RETURN(const std::string path, MakeSearchLabels(SearchRequest(config), context));
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<SampleSet> set,
                       SampleSet::Open(path, config.loader.memory_mb << 20));
  std::vector<int32_t> records(static_cast<size_t>(set->size()));
  std::iota(records.begin(), records.end(), 0);
  VRP_ASSIGN_OR_RETURN(std::vector<Sample> samples, set->Read(records));
  std::vector<InstanceWithReference> found;
  for (Sample& sample : samples) {
    VRP_ASSIGN_OR_RETURN(Instance instance, Instance::Create(std::move(sample.data)));
    found.push_back({std::move(instance), sample.cost, std::move(sample.plan)});
  }
  return found;
}

absl::StatusOr<std::vector<InstanceWithReference>> Instances(const TrainingConfig& config,
                                                             const BatchForm& form,
                                                             const std::vector<Instance>& own,
                                                             const DatasetPaths& datasets) {
  std::vector<Instance> instances = own;
  if (!config.validation.file.empty()) {
    const DataFile file = FindDataFile(config.validation.file, datasets);
    VRP_ASSIGN_OR_RETURN(instances, ReadInstanceFiles({file}, form));
  }
  std::vector<InstanceWithReference> found;
  for (int64_t i = 0; i < config.validation.instances; ++i) {
    if (!instances.empty()) {
      if (i == static_cast<int64_t>(instances.size())) break;
      found.push_back({instances[static_cast<size_t>(i)]});
      continue;
    }
    const uint64_t seed = config.validation.seed;
    VRP_ASSIGN_OR_RETURN(Instance instance,
                         Instance::Create(DrawInstance(config.problem, seed, i,
                                                       DrawCustomers(config.problem, seed, i))));
    found.push_back({std::move(instance)});
  }
  return found;
}

// Finds the reference of `item`. Leaves the cost NaN if the reference solver does not support the
// instance.
void AddReference(const TrainingConfig& config, const StopCondition& stop,
                  InstanceWithReference& item) {
  if (config.validation.reference == Reference::kNearestNeighbour) {
    if (!IsPlain(item.instance)) return;
    item.cost = PlanCost(item.instance, NearestNeighbourPlan(item.instance));
    return;
  }
  absl::StatusOr<SearchResult> result =
      Search(item.instance, {.stop = stop,
                             .max_iterations = config.validation.reference_iterations,
                             .seed = config.seed,
                             .initial = {}});
  if (!result.ok()) return;
  item.cost = result->cost;
  item.plan = std::move(result->plan);
}

absl::Status AddReferences(const TrainingConfig& config, const LabelContext& context,
                           std::vector<InstanceWithReference>& items) {
  if (config.validation.reference == Reference::kFile) {
    for (size_t i = 0; i < items.size(); ++i) {
      VRP_ASSIGN_OR_RETURN(items[i].cost,
                           FileReference(config, items[i].instance, static_cast<int64_t>(i)));
    }
    return absl::OkStatus();
  }
  for (size_t first = 0; first < items.size(); first += kInstancesPerPart) {
    context.ReportPiece();
    const std::span<InstanceWithReference> part = std::span(items).subspan(first).first(
        std::min<size_t>(kInstancesPerPart, items.size() - first));
    context.pool->ParallelFor(std::ssize(part), [&](int64_t i) {
      if (!context.stop.ShouldStop()) {
        AddReference(config, context.stop, part[static_cast<size_t>(i)]);
      }
    });
  }
  if (!context.stop.ShouldStop()) return absl::OkStatus();
  return absl::CancelledError("cancelled while the validation set was made");
}

double Share(double part, double whole) { return whole == 0 ? kNone : part / whole; }

}  // namespace

std::string ReferenceName(const ValidationConfig& config) {
  switch (config.reference) {
    case Reference::kNearestNeighbour:
      return std::string(kNearestNeighbourReference);
    case Reference::kSearch:
      return SearchReference(config.reference_iterations);
    case Reference::kFile:
      break;
  }
  return std::string(kFileReference);
}

absl::StatusOr<double> FileReference(const TrainingConfig& config, const Instance& instance,
                                     int64_t number) {
  if (instance.reference_cost()) return *instance.reference_cost();
  return absl::InvalidArgumentError(
      Concat(config.validation.file.empty() ? "validation" : config.validation.file, ": instances[",
             number, "].ref_cost: missing; add ref_cost, or choose another validation.reference"));
}

absl::StatusOr<ValidationSet> ValidationSet::Make(const TrainingConfig& config,
                                                  const BatchForm& form,
                                                  const std::vector<Instance>& instances,
                                                  const LabelContext& context, RankGroup* ranks) {
  const bool generated = config.validation.file.empty() && instances.empty();
  std::vector<InstanceWithReference> items;
  if (generated && config.validation.reference == Reference::kSearch) {
    VRP_ASSIGN_OR_RETURN(items, SearchedInstances(config, context));
  } else {
    VRP_ASSIGN_OR_RETURN(items, Instances(config, form, instances, context.datasets));
    VRP_RETURN_IF_ERROR(AddReferences(config, context, items));
  }
  ValidationSet set;
  set.ranks_ = ranks;
  set.reference_name_ = ReferenceName(config.validation);
  for (const InstanceWithReference& item : items) set.references_.push_back(item.cost);
  const size_t rank = ranks == nullptr ? 0 : static_cast<size_t>(ranks->rank());
  const size_t count = ranks == nullptr ? 1 : static_cast<size_t>(ranks->ranks());
  const size_t end = items.size() * (rank + 1) / count;
  for (size_t first = items.size() * rank / count; first < end; first += kInstancesPerPart) {
    const size_t last = std::min(end, first + kInstancesPerPart);
    std::vector<Instance> part;
    bool planned = true;
    for (size_t i = first; i < last; ++i) {
      part.push_back(items[i].instance);
      planned = planned && !items[i].plan.empty();
    }
    set.parts_.push_back({MakeNetworkBatch(std::span<const Instance>(part), form), {}});
    for (size_t i = first; planned && i < last; ++i) {
      const NetworkBatch& batch = set.parts_.back().batch;
      const auto b = static_cast<int32_t>(i - first);
      set.parts_.back().choices.push_back(PlanChoices(batch, b, items[i].plan));
    }
  }
  return set;
}

double ValidationSet::reference() const {
  double sum = 0;
  int64_t count = 0;
  for (const double reference : references_) {
    if (!std::isfinite(reference)) continue;
    sum += reference;
    ++count;
  }
  return count == 0 ? kNone : sum / static_cast<double>(count);
}

absl::StatusOr<ValidationSet::ShareOfScore> ValidationSet::EvaluateShare(
    const PolicyEngine& engine, bool accuracy, CpuPool* pool, const StopCondition& stop) const {
  ShareOfScore share;
  for (const Part& part : parts_) {
    VRP_ASSIGN_OR_RETURN(const std::vector<double> costs,
                         GreedyCosts(engine, part.batch, {.stop = stop, .pool = pool}));
    share.costs.insert(share.costs.end(), costs.begin(), costs.end());
    if (!accuracy || part.choices.empty()) continue;
    RolloutRequest follow;
    follow.choice = Choice::kForced;
    follow.choices = part.choices;
    follow.stop = stop;
    follow.pool = pool;
    VRP_ASSIGN_OR_RETURN(const Trajectories followed, engine.Run(part.batch, follow));
    for (const int32_t count : followed.agreements) share.agreements += count;
    for (const int32_t count : followed.lengths) share.choices += count;
  }
  return share;
}

absl::StatusOr<ValidationScore> ValidationSet::Evaluate(const PolicyEngine& engine, bool accuracy,
                                                        CpuPool* pool,
                                                        const StopCondition& stop) const {
  absl::StatusOr<ShareOfScore> own = EvaluateShare(engine, accuracy, pool, stop);
  if (ranks_ == nullptr) VRP_RETURN_IF_ERROR(own.status());
  ShareOfScore all = own.ok() ? *std::move(own) : ShareOfScore();
  if (ranks_ != nullptr) {
    VRP_ASSIGN_OR_RETURN(all.costs, ranks_->Join(own.status(), all.costs));
    VRP_ASSIGN_OR_RETURN(const std::vector<double> counts,
                         ranks_->Gather(absl::OkStatus(), {{all.agreements, all.choices}}));
    all.agreements = all.choices = 0;
    for (size_t i = 0; i < counts.size(); ++i)
      (i % 2 == 0 ? all.agreements : all.choices) += counts[i];
  }
  double sum = 0;
  double gaps = 0;
  int64_t referenced = 0;
  for (size_t i = 0; i < all.costs.size(); ++i) {
    sum += all.costs[i];
    const double gap = Gap(all.costs[i], references_[i]);
    if (std::isnan(gap)) continue;
    gaps += gap;
    ++referenced;
  }
  return ValidationScore{.cost = sum / static_cast<double>(std::max<int64_t>(1, size())),
                         .gap = referenced == 0 ? kNone : gaps / static_cast<double>(referenced),
                         .accuracy = Share(all.agreements, all.choices)};
}

std::string ScoreText(const ValidationScore& score, const ValidationSet& set) {
  if (std::isnan(score.gap)) {
    return absl::StrFormat("validation %.4f (no instance has a reference)", score.cost);
  }
  return absl::StrFormat("validation %.4f, gap %+.2f %% vs %s (mean %.4f)", score.cost,
                         100 * score.gap, set.reference_name(), set.reference());
}

}  // namespace vrp
