#include "core/train/run/run_data.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/data/instance_source.h"
#include "core/train/run/checkpoint.h"

namespace vrp {
namespace {

std::string CacheFolder(const TrainingRequest& request) {
  if (!request.cache_directory.empty()) return request.cache_directory;
  return Concat(request.checkpoint_directory, "/labels");
}

// Makes or finds the labels, and returns their path.
absl::StatusOr<std::string> FindLabels(RunContext& context, const BatchForm& form) {
  const LabelContext label_context = LabelContextOf(context, "labels");
  const TrainingConfig& config = context.config;
  const SupervisedConfig& supervised = config.supervised;
  if (supervised.labels == LabelSource::kFile) {
    return MakeFileLabels(FindDataFile(supervised.label_file, context.request.datasets),
                          supervised.samples, form, label_context);
  }
  return MakeSearchLabels({.problem = config.problem,
                           .seed = config.problem.seed,
                           .search_seed = config.seed,
                           .iterations = supervised.heuristic_iterations,
                           .samples = supervised.samples},
                          label_context);
}

}  // namespace

LabelContext LabelContextOf(RunContext& context, std::string phase) {
  const TrainingRequest& request = context.request;
  // A run without a checkpoint may end early during its preparation.
  const bool may_end = request.end_early != nullptr && !HasCheckpoint(request.checkpoint_directory);
  return {
      .folder = CacheFolder(request),
      .pool = &context.pool,
      .stop = may_end ? StopCondition(context.stop.deadline(), request.end_early) : context.stop,
      .on_piece = [&observer = context.observer,
                   phase = std::move(phase)] { observer.OnPhase(phase); },
      .datasets = request.datasets};
}

absl::StatusOr<std::vector<Instance>> ReadUserInstances(const RunContext& context,
                                                        const BatchForm& form) {
  std::vector<DataFile> files;
  for (const std::string& name : context.config.problem.instances) {
    files.push_back(FindDataFile(name, context.request.datasets));
  }
  if (files.empty()) return std::vector<Instance>();
  return ReadInstanceFiles(files, form);
}

absl::StatusOr<std::unique_ptr<BatchSource>> MakeBatchSource(RunContext& context,
                                                             const BatchForm& form,
                                                             std::vector<Instance> user_instances) {
  const TrainingConfig& config = context.config;
  const BatchShare share = {.rank = context.ranks.rank(), .ranks = context.ranks.ranks()};
  if (config.method != TrainingMethod::kSupervised) {
    return user_instances.empty()
               ? MakeGeneratedSource(config, form, share)
               : MakeInstanceSource(config, form, std::move(user_instances), share);
  }
  VRP_ASSIGN_OR_RETURN(const std::string path, FindLabels(context, form));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<SampleSet> set,
                       SampleSet::Open(path, config.loader.memory_mb << 20));
  context.observer.OnLog(
      Concat("labels: ", set->size(), " instances in ", set->pieces(),
             set->pieces() == 1 ? " piece, in memory: " : " pieces, read in turn: ", path));
  return MakeLabelledSource(config, form, std::move(set), share);
}

}  // namespace vrp
