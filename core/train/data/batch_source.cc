#include "core/train/data/batch_source.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/model/policy/batch_parts.h"
#include "core/problem/generate/instance_draws.h"
#include "core/train/data/instance_source.h"

namespace vrp {
namespace {

std::vector<InstanceData> MakeAll(int64_t count, CpuPool* pool,
                                  absl::FunctionRef<InstanceData(int64_t)> make) {
  constexpr int64_t kInstancesPerPart = 16;  // number of instances that a thread makes in turn
  std::vector<InstanceData> made(static_cast<size_t>(count));
  const int64_t pieces = (count + kInstancesPerPart - 1) / kInstancesPerPart;
  const auto piece = [&](int64_t p) {
    const int64_t last = std::min(count, (p + 1) * kInstancesPerPart);
    for (int64_t i = p * kInstancesPerPart; i < last; ++i) made[static_cast<size_t>(i)] = make(i);
  };
  if (pool != nullptr) {
    pool->ParallelFor(pieces, piece);
  } else {
    for (int64_t p = 0; p < pieces; ++p) piece(p);
  }
  return made;
}

InstanceRange RangeOf(const BatchShare& share, int32_t instances) {
  return PartOf(instances, share.ranks, share.rank);
}

// Divides the instances of `range`, all that `instances` holds, into parts. `total`: the number of
// instances of the whole step.
TrainingBatch DivideIntoParts(std::span<const InstanceData> instances, InstanceRange range,
                              int32_t total, int32_t parts, const BatchForm& form) {
  TrainingBatch batch{.instances = total, .parts = {}};
  for (int32_t part = 0; part < parts; ++part) {
    const InstanceRange in_range = PartOf(range.count, parts, part);
    if (in_range.count == 0) continue;
    batch.parts.push_back(
        {.first = range.first + in_range.first,
         .batch = MakeNetworkBatch(instances.subspan(static_cast<size_t>(in_range.first),
                                                     static_cast<size_t>(in_range.count)),
                                   form),
         .choices = {}});
  }
  return batch;
}

class GeneratedSource final : public BatchSource {
 public:
  GeneratedSource(const TrainingConfig& config, const BatchForm& form, BatchShare share)
      : config_(config), form_(form), share_(share) {}

  absl::StatusOr<TrainingBatch> Make(int64_t number, int32_t parts, CpuPool* pool) override {
    const ProblemConfig& problem = config_.problem;
    const int32_t customers = DrawCustomers(problem, problem.seed, number);
    const InstanceRange range = RangeOf(share_, config_.batch_size);
    const int64_t first = number * config_.batch_size + range.first;
    const std::vector<InstanceData> instances = MakeAll(range.count, pool, [&](int64_t i) {
      return DrawInstance(problem, problem.seed, first + i, customers);
    });
    TrainingBatch batch = DivideIntoParts(instances, range, config_.batch_size, parts, form_);
    batch.number = number;
    return batch;
  }

  absl::StatusOr<NetworkBatch> DrawInstances(int64_t first, int64_t count, CpuPool* pool) override {
    const ProblemConfig& problem = config_.problem;
    const std::vector<InstanceData> instances = MakeAll(count, pool, [&](int64_t i) {
      return DrawInstance(problem, problem.seed, first + i,
                          DrawCustomers(problem, problem.seed, first + i));
    });
    return MakeNetworkBatch(std::span<const InstanceData>(instances), form_);
  }

  absl::StatusOr<InstanceBounds> Bounds() override { return GeneratedBounds(config_.problem); }

 private:
  const TrainingConfig config_;
  const BatchForm form_;
  const BatchShare share_;
};

class InstanceSource final : public BatchSource {
 public:
  InstanceSource(const TrainingConfig& config, const BatchForm& form,
                 std::vector<Instance> instances, BatchShare share)
      : config_(config), form_(form), instances_(std::move(instances)), share_(share) {}

  absl::StatusOr<TrainingBatch> Make(int64_t number, int32_t parts, CpuPool* pool) override {
    const InstanceRange range = RangeOf(share_, config_.batch_size);
    const int64_t first = number * config_.batch_size + range.first;
    TrainingBatch batch = DivideIntoParts(DrawData(first, range.count, pool), range,
                                          config_.batch_size, parts, form_);
    batch.number = number;
    return batch;
  }

  absl::StatusOr<NetworkBatch> DrawInstances(int64_t first, int64_t count, CpuPool* pool) override {
    const std::vector<InstanceData> instances = DrawData(first, count, pool);
    return MakeNetworkBatch(std::span<const InstanceData>(instances), form_);
  }

  absl::StatusOr<InstanceBounds> Bounds() override {
    InstanceBounds bounds;
    for (const Instance& instance : instances_) bounds.Add(instance.data());
    return bounds;
  }

 private:
  std::vector<InstanceData> DrawData(int64_t first, int64_t count, CpuPool* pool) const {
    const ProblemConfig& problem = config_.problem;
    return MakeAll(count, pool, [&](int64_t i) {
      CounterRandom random = InstanceRandom(problem.seed, first + i, InstanceStream::kChoice);
      const int64_t which = random.UniformInt(0, static_cast<int64_t>(instances_.size()) - 1);
      return Augment(instances_[static_cast<size_t>(which)].data(), problem, problem.seed,
                     first + i);
    });
  }

  const TrainingConfig config_;
  const BatchForm form_;
  const std::vector<Instance> instances_;
  const BatchShare share_;
};

class LabelledSource final : public BatchSource {
 public:
  LabelledSource(const TrainingConfig& config, const BatchForm& form,
                 std::unique_ptr<SampleSet> set, BatchShare share)
      : config_(config), form_(form), set_(std::move(set)), share_(share) {}

  absl::StatusOr<TrainingBatch> Make(int64_t number, int32_t parts, CpuPool*) override {
    const int64_t steps = config_.StepsPerEpoch();
    const std::shared_ptr<const std::vector<int32_t>> order = OrderOf(number / steps);
    const int64_t first = number % steps * config_.batch_size % set_->size();
    const int64_t count = std::min<int64_t>(config_.batch_size, set_->size() - first);
    const std::span<const int32_t> records =
        std::span(*order).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
    const int64_t prefetch_index = std::min(set_->size() - 1, first + 4 * count);
    const int32_t prefetch_record = (*order)[static_cast<size_t>(prefetch_index)];
    if (!set_->InSamePiece(records.front(), prefetch_record)) set_->Prefetch(prefetch_record);
    VRP_ASSIGN_OR_RETURN(const std::vector<Sample> samples, set_->Read(records));
    return Labelled(samples, number, parts);
  }

  absl::StatusOr<NetworkBatch> DrawInstances(int64_t, int64_t, CpuPool*) override {
    return absl::UnimplementedError("a labelled set is fixed");
  }

  absl::StatusOr<InstanceBounds> Bounds() override {
    if (config_.supervised.labels != LabelSource::kFile) return GeneratedBounds(config_.problem);
    constexpr int64_t kInstancesPerPart = 1024;  // maximum number of samples read at once
    InstanceBounds bounds;
    for (int64_t first = 0; first < set_->size(); first += kInstancesPerPart) {
      std::vector<int32_t> records(
          static_cast<size_t>(std::min(kInstancesPerPart, set_->size() - first)));
      std::iota(records.begin(), records.end(), static_cast<int32_t>(first));
      VRP_ASSIGN_OR_RETURN(const std::vector<Sample> samples, set_->Read(records));
      for (const Sample& sample : samples) bounds.Add(sample.data);
    }
    return bounds;
  }

 private:
  // Makes the parts of all ranks, because the weight of a choice depends on the choices of all.
  TrainingBatch Labelled(const std::vector<Sample>& samples, int64_t number, int32_t parts) const {
    std::vector<InstanceData> instances;
    instances.reserve(samples.size());
    for (const Sample& sample : samples) instances.push_back(sample.data);
    const auto total = static_cast<int32_t>(samples.size());
    TrainingBatch batch{.number = number, .instances = total, .parts = {}};
    for (int32_t rank = 0; rank < share_.ranks; ++rank) {
      const InstanceRange range = PartOf(total, share_.ranks, rank);
      TrainingBatch share =
          DivideIntoParts(std::span(instances).subspan(static_cast<size_t>(range.first),
                                                       static_cast<size_t>(range.count)),
                          range, total, parts, form_);
      for (BatchPart& part : share.parts) AddChoices(samples, part, batch);
      if (rank == share_.rank) batch.parts = std::move(share.parts);
    }
    return batch;
  }

  // Adds the labels' choices to `part` and their figures to `batch`.
  static void AddChoices(const std::vector<Sample>& samples, BatchPart& part,
                         TrainingBatch& batch) {
    for (int32_t b = 0; b < part.batch.size(); ++b) {
      const Sample& sample = samples[static_cast<size_t>(part.first + b)];
      part.choices.push_back(PlanChoices(part.batch, b, sample.plan));
      batch.label_steps += static_cast<int64_t>(part.choices.back().size());
      batch.label_cost += sample.cost / static_cast<double>(samples.size());
    }
  }

  // Returns the order of `epoch`. Forgets the orders before the previous epoch, whose batches
  // another worker may still make.
  std::shared_ptr<const std::vector<int32_t>> OrderOf(int64_t epoch) {
    const absl::MutexLock lock(&mu_);
    auto& order = orders_[epoch];
    if (order == nullptr) {
      order =
          std::make_shared<const std::vector<int32_t>>(set_->ShuffledOrder(config_.seed, epoch));
    }
    const auto result = order;
    orders_.erase(orders_.begin(), orders_.lower_bound(epoch - 1));
    return result;
  }

  const TrainingConfig config_;
  const BatchForm form_;
  const std::unique_ptr<SampleSet> set_;
  const BatchShare share_;
  absl::Mutex mu_;
  std::map<int64_t, std::shared_ptr<const std::vector<int32_t>>> orders_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<BatchSource> MakeGeneratedSource(const TrainingConfig& config,
                                                 const BatchForm& form, BatchShare share) {
  return std::make_unique<GeneratedSource>(config, form, share);
}

std::unique_ptr<BatchSource> MakeInstanceSource(const TrainingConfig& config, const BatchForm& form,
                                                std::vector<Instance> instances, BatchShare share) {
  return std::make_unique<InstanceSource>(config, form, std::move(instances), share);
}

std::unique_ptr<BatchSource> MakeLabelledSource(const TrainingConfig& config, const BatchForm& form,
                                                std::unique_ptr<SampleSet> set, BatchShare share) {
  return std::make_unique<LabelledSource>(config, form, std::move(set), share);
}

}  // namespace vrp
