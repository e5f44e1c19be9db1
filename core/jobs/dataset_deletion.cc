#include "core/jobs/dataset_deletion.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "core/base/page_size.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/dataset_use.h"
#include "core/jobs/job_run.h"
#include "core/jobs/submission.h"
#include "core/train/config/training_config.h"
#include "core/train/data/label_folder.h"

namespace vrp {
namespace {

// Passes all jobs of a kind to `take`, newest first, until it returns an error.
absl::Status ForEachJob(const JobBook& book, JobKind kind,
                        absl::FunctionRef<absl::Status(const Job&)> take) {
  JobFilter filter{.page_size = kMaxPageSize};
  do {
    VRP_ASSIGN_OR_RETURN(JobPage page, book.List(kind, filter));
    for (const Job& job : page.jobs) VRP_RETURN_IF_ERROR(take(job));
    filter.page_token = std::move(page.next_page_token);
  } while (!filter.page_token.empty());
  return absl::OkStatus();
}

absl::Status InUse(std::string_view dataset, const Job& job, std::string_view remedy) {
  return absl::FailedPreconditionError(Concat("name: ", dataset, " is read by ", ResourceName(job),
                                              ", which is ", JobStateName(job.state), "; ", remedy,
                                              " ", ResourceName(job)));
}

// Returns kFailedPrecondition if a trial of an unfinished sweep reads the dataset.
absl::Status CheckSweeps(const JobBook& book, std::string_view dataset) {
  return ForEachJob(book, JobKind::kSweep, [&](const Job& job) -> absl::Status {
    if (IsFinal(job.state)) return absl::OkStatus();
    for (const absl::string_view read : absl::StrSplit(job.solve.dataset, ' ')) {
      if (read != ToAbsl(dataset)) continue;
      return InUse(dataset, job, "wait for its end, or stop it: vrpctl sweeps stop");
    }
    return absl::OkStatus();
  });
}

// The jobs that hold parts of a dataset, which have ended.
struct DerivedJobs {
  std::vector<Job> simulations = {};
  std::vector<Job> training = {};  // that read it as a request log or a history
};

absl::StatusOr<DerivedJobs> FindDerivedJobs(const JobBook& book, std::string_view dataset) {
  DerivedJobs found;
  VRP_RETURN_IF_ERROR(ForEachJob(book, JobKind::kTraining, [&](const Job& job) -> absl::Status {
    const absl::StatusOr<TrainingConfig> config = ParseStoredConfig(job.spec);
    if (!config.ok() || !ReadsDataset(*config, dataset)) return absl::OkStatus();
    if (!IsFinal(job.state)) {
      return InUse(dataset, job, "wait for the job's end, or cancel the job: vrpctl jobs cancel");
    }
    if (ReadsPastDays(*config, dataset)) found.training.push_back(job);
    return absl::OkStatus();
  }));
  VRP_RETURN_IF_ERROR(ForEachJob(book, JobKind::kSimulation, [&](const Job& job) -> absl::Status {
    if (job.solve.dataset != dataset) return absl::OkStatus();
    if (!IsFinal(job.state)) {
      return InUse(dataset, job, "wait for its end, or stop it: vrpctl dispatch simulations stop");
    }
    found.simulations.push_back(job);
    return absl::OkStatus();
  }));
  return found;
}

// Returns the models whose training read the dataset. Skips those that were made before it was
// uploaded, which read another one of that name.
std::vector<std::string> FindTrainedModels(const Registry& registry, std::string_view dataset,
                                           absl::Time uploaded) {
  std::vector<std::string> names;
  for (const ModelVersion& version : registry.List()) {
    const ModelCard& card = version.card;
    if (card.created < uploaded || !absl::StrContains(card.training_config, ToAbsl(dataset)))
      continue;
    const absl::StatusOr<TrainingConfig> config =
        ParseConfigSource(card.training_config, kCardFile);
    if (!config.ok() || !ReadsDataset(*config, dataset)) continue;
    names.push_back(ModelResourceName(version.name, version.version));
  }
  return names;
}

}  // namespace

absl::StatusOr<DatasetDeletion> DeleteDatasetWithDerived(const JobBook& book,
                                                         const Registry& registry,
                                                         DatasetStore& datasets,
                                                         std::string_view name) {
  const absl::StatusOr<StoredDataset> stored = datasets.Get(name);
  // A damaged dataset can be deleted.
  if (absl::IsInvalidArgument(stored.status()) || absl::IsNotFound(stored.status())) {
    return stored.status();
  }
  VRP_RETURN_IF_ERROR(CheckSweeps(book, name));
  VRP_ASSIGN_OR_RETURN(const DerivedJobs derived, FindDerivedJobs(book, name));
  DatasetDeletion deletion;
  deletion.kept_models =
      FindTrainedModels(registry, name, stored.ok() ? stored->created : absl::InfinitePast());
  for (const Job& job : derived.simulations) {
    VRP_RETURN_IF_ERROR(book.store().Delete(JobKind::kSimulation, job.id));
    deletion.simulations.push_back(ResourceName(job));
  }
  for (const Job& job : derived.training) {
    VRP_RETURN_IF_ERROR(book.store().Delete(JobKind::kTraining, job.id));
    RemoveDeletedJob(book.store(), book.folder(), job.id);
    deletion.training_jobs.push_back(ResourceName(job));
  }
  VRP_RETURN_IF_ERROR(book.store().EraseDeletedRows());
  VRP_ASSIGN_OR_RETURN(deletion.labels, RemoveLabels(book.folder().LabelsPath(), name));
  VRP_RETURN_IF_ERROR(datasets.Delete(name));
  return deletion;
}

}  // namespace vrp
