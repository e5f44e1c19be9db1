// What a run needs before its first step: engine, data, validation set, and the start-up banner.
#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/data/instance_source.h"
#include "core/train/data/labels.h"
#include "core/train/run/initial_model.h"
#include "core/train/run/training_banner.h"
#include "core/train/run/training_run.h"

namespace vrp {
namespace {

// What the device has of what the configuration asks for. On the CPU the engine knows (Prepare asks
// it), since the kernels choose their instructions.
Precision AvailablePrecision(const TrainingConfig& config, DeviceId id) {
  if (!config.amp) return Precision::kFp32;
  if (id.kind == DeviceKind::kCpu) {
    return config.amp_type == Precision::kBf16 ? Precision::kBf16 : Precision::kFp32;
  }
  for (const DeviceInfo& device : ListDevices()) {
    if (device.id != id || !device.amp) continue;
    if (config.amp_type == Precision::kFp16 || device.bf16) return config.amp_type;
  }
  return Precision::kFp32;
}

}  // namespace

std::string TrainingRun::CacheFolder() const {
  if (!request_.cache_directory.empty()) return request_.cache_directory;
  return Concat(request_.checkpoint_directory, "/labels");
}

LabelSurroundings TrainingRun::LabelsAs(std::string phase) {
  // A run without a checkpoint may stop during its preparation.
  const bool may_end =
      request_.end_early != nullptr && !HasCheckpoint(request_.checkpoint_directory);
  return {.folder = CacheFolder(),
          .pool = &pool_,
          .stop = may_end ? StopCondition(stop_.deadline(), request_.end_early) : stop_,
          .on_piece = [this, phase = std::move(phase)] { observer_.OnPhase(phase); },
          .datasets = request_.datasets};
}

absl::Status TrainingRun::Prepare() {
  const RunClock::Scope clocked(clock_, RunPhase::kPreparation);
  observer_.OnPhase("preparation");
  std::unique_ptr<PolicyEngine> baseline;
  VRP_RETURN_IF_ERROR(MakeEngines(baseline));
  const LabelSurroundings around = LabelsAs("references");
  VRP_RETURN_IF_ERROR(EnsureDirectory(around.folder));
  std::vector<Instance> own;
  if (!config_.problem.instances.empty()) {
    std::vector<DataFile> files;
    for (const std::string& name : config_.problem.instances) {
      files.push_back(FindDataFile(name, request_.datasets));
    }
    VRP_ASSIGN_OR_RETURN(own, ReadInstanceFiles(files, engine_->batch_form()));
  }
  VRP_ASSIGN_OR_RETURN(validation_,
                       ValidationSet::Make(config_, engine_->batch_form(), own, around));
  Banner();
  VRP_RETURN_IF_ERROR(MakeSource(own));
  observer_.OnPhase("resumption");
  VRP_ASSIGN_OR_RETURN(learner_, MakeLearner({.config = config_,
                                              .engine = engine_.get(),
                                              .baseline = std::move(baseline),
                                              .source = source_.get(),
                                              .pool = &pool_,
                                              .bf16 = precision_ == Precision::kBf16}));
  VRP_RETURN_IF_ERROR(Resume());
  return ChooseSteps();
}

absl::Status TrainingRun::MakeEngines(std::unique_ptr<PolicyEngine>& baseline) {
  precision_ = AvailablePrecision(config_, request_.device);
  const EngineOptions options{.precision = precision_,
                              .allow_tf32 = config_.tf32,
                              .deterministic = config_.deterministic,
                              .gradient_checkpointing = config_.gradient_checkpointing,
                              .pinned = config_.loader.pin};
  VRP_ASSIGN_OR_RETURN(engine_, factory_(config_, request_.device, options));
  if (request_.device.kind == DeviceKind::kCpu && !engine_->HasBf16()) {
    precision_ = Precision::kFp32;
  }
  engine_->parameters().TrackGradient();
  if (!config_.initial_model.empty()) {
    VRP_RETURN_IF_ERROR(LoadInitialModel(config_, request_.models_directories, *engine_));
  }
  adamw_ = std::make_unique<AdamW>(engine_->parameters().layout(),
                                   AdamWOptions{.weight_decay = config_.weight_decay});
  if (config_.weight_average > 0) {
    average_.emplace(config_.weight_average, engine_->parameters().values());
  }
  if (config_.method == TrainingMethod::kReinforce &&
      config_.reinforce.baseline == Baseline::kGreedyRollout) {
    VRP_ASSIGN_OR_RETURN(baseline, factory_(config_, request_.device, options));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::MakeSource(std::vector<Instance>& own) {
  const BatchForm& form = engine_->batch_form();
  if (config_.method != TrainingMethod::kSupervised) {
    source_ = own.empty() ? MakeGeneratedSource(config_, form)
                          : MakeInstanceSource(config_, form, std::move(own));
    return absl::OkStatus();
  }
  const LabelSurroundings around = LabelsAs("labels");
  const SupervisedConfig& supervised = config_.supervised;
  std::string path;
  if (supervised.labels == LabelSource::kFile) {
    VRP_ASSIGN_OR_RETURN(path, FileLabels(FindDataFile(supervised.label_file, request_.datasets),
                                          supervised.samples, form, around));
  } else {
    VRP_ASSIGN_OR_RETURN(path, HeuristicLabels({.problem = config_.problem,
                                                .seed = config_.problem.seed,
                                                .search_seed = config_.seed,
                                                .iterations = supervised.heuristic_iterations,
                                                .samples = supervised.samples},
                                               around));
  }
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<SampleSet> set,
                       SampleSet::Open(path, config_.loader.memory_mb << 20));
  observer_.OnLog(
      Concat("labels: ", set->size(), " instances in ", set->pieces(),
             set->pieces() == 1 ? " piece, in memory: " : " pieces, read in turn: ", path));
  source_ = MakeLabelledSource(config_, form, std::move(set));
  return absl::OkStatus();
}

void TrainingRun::Banner() {
  DeviceInfo device{.id = request_.device, .name = {}};
  for (const DeviceInfo& listed : ListDevices()) {
    if (listed.id == request_.device) device = listed;
  }
  const BannerFacts facts{.config = config_,
                          .device = device,
                          .threads = request_.threads,
                          .precision = precision_,
                          .cpu_has_bf16 = InHardware(UsableBf16()),
                          .parameters = engine_->parameters().size(),
                          .validation_instances = validation_.size(),
                          .reference = validation_.reference_name(),
                          .reference_cost = validation_.reference()};
  for (const std::string& line : BannerLines(facts)) observer_.OnLog(line);
}

}  // namespace vrp
