// Runs captured steps (core/model/policy/captured_steps.h), for which the host does not wait, as in
// a training job.
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/model/policy/captured_steps.h"
#include "core/problem/generate/generators.h"
#include "tests/bench/bench_training.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

StepBaseline StepBaselineOf(BenchBaseline baseline) {
  if (baseline == BenchBaseline::kShared) return StepBaseline::kShared;
  return baseline == BenchBaseline::kRollout ? StepBaseline::kGreedy : StepBaseline::kAverage;
}

UniformInstances InstancesFor(const BenchCase& c) {
  const double capacity = DefaultCapacity(c.customers);
  return {.seed = c.seed,
          .customers = c.customers,
          .kind = {c.kind},
          .min_capacity = capacity,
          .max_capacity = capacity};
}

}  // namespace

absl::Status BenchTraining::MakeCapturedSteps() {
  CapturedStepsRequest request = {
      .instances = case_.batch,
      .nodes = case_.customers + (case_.kind == ProblemKind::kTsp ? 0 : 1),
      .tsp = case_.kind == ProblemKind::kTsp,
      .parts = case_.accumulate,
      .trajectories = case_.starts,
      .distinct_starts = case_.starts > 1,
      .seed = case_.seed,
      .bf16 = case_.bf16,
      .baseline = frozen_.get(),
      .labels = case_.supervised,
      .dropout = case_.supervised,
      .learning_rates = {case_.learning_rate}};
  if (!case_.supervised) request.drawn = InstancesFor(case_);
  VRP_ASSIGN_OR_RETURN(captured_steps_, engine_->MakeCapturedSteps(request));
  mean_.resize(static_cast<size_t>(engine_->parameters().size()));
  square_ = mean_;
  return captured_steps_->Load({.mean = mean_, .square = square_});
}

absl::Status BenchTraining::BeginCapturedStep(BenchBaseline baseline) {
  if (!case_.supervised) return captured_steps_->Step(StepBaselineOf(baseline));
  const NetworkBatch batch = MakeBatch();
  int64_t choices = 0;
  for (const std::vector<int32_t>& one : labels_) choices += std::ssize(one);
  return captured_steps_->StepOnLabels({.choices = labels_, .steps = choices}, batch);
}

absl::StatusOr<StepMeasurement> BenchTraining::RunCapturedSteps(BenchBaseline baseline, int count) {
  if (captured_steps_ == nullptr) VRP_RETURN_IF_ERROR(MakeCapturedSteps());
  const absl::Time begin = SteadyNow();
  const double cpu = ProcessCpuSeconds();
  for (int step = 0; step < count; ++step) VRP_RETURN_IF_ERROR(BeginCapturedStep(baseline));
  CapturedStepsState state = {.mean = mean_, .square = square_};
  VRP_RETURN_IF_ERROR(captured_steps_->Save(state));
  StepMeasurement measured;
  measured.seconds = absl::ToDoubleSeconds(SteadyNow() - begin) / count;
  measured.cpu_seconds = (ProcessCpuSeconds() - cpu) / count;
  measured.copied_bytes = captured_steps_->batch_bytes();
  measured.matrix_bytes = captured_steps_->matrix_bytes();
  const std::vector<CapturedStepReport> reports = captured_steps_->TakeReports();
  if (!reports.empty()) {
    measured.cost = reports.back().cost;
    measured.loss = reports.back().loss;
  }
  return measured;
}

}  // namespace vrp
