// Tests training jobs that read uploaded datasets.
#include "core/jobs/dataset_use.h"

#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class DatasetUseTest : public JobManagerFixture {
 protected:
  DatasetUseTest() {
    datasets_ = *DatasetStore::Create({.directory = folder_.File("datasets")});
    JobManager::Options options = ManagerOptions();
    options.datasets = datasets_.get();
    jobs_ = *JobManager::Create(options);
  }
  ~DatasetUseTest() override { jobs_ = nullptr; }

  void Upload(const std::string& name, const DatasetSummary& summary = {.instances = 2}) {
    const auto upload = *datasets_->Begin(name, 0);
    ASSERT_TRUE(upload->Add("content").ok());
    ASSERT_TRUE(upload->Finish(summary).ok());
  }
  static JobSpec SpecWith(const std::vector<std::string>& settings) {
    JobSpec spec = ASpec(1, 3);
    spec.overrides.insert(spec.overrides.end(), settings.begin(), settings.end());
    return spec;
  }
  std::string Refusal(const std::vector<std::string>& settings) {
    const absl::Status status = jobs_->Submit(SpecWith(settings), "").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }

  std::unique_ptr<DatasetStore> datasets_;
};

TEST_F(DatasetUseTest, PassesThePathOfTheContentToTheTrainer) {
  Upload("depot7");
  trainer_->HoldAt(1);
  const auto job = jobs_->Submit(
      SpecWith({"problem.instances=[own.vrp, datasets/depot7]", "validation.file=datasets/depot7"}),
      "");
  ASSERT_TRUE(job.ok()) << job.status();
  ASSERT_TRUE(trainer_->AwaitHeld());
  const DatasetPaths paths = trainer_->requests().front().datasets;
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(*ReadFile(paths.at("datasets/depot7")), "content");
  trainer_->Release();
}

TEST_F(DatasetUseTest, PassesThePathsOfSitesToTheTrainerOfDispatchModels) {
  // A pointer network could not read these instances.
  Upload("sites", {.instances = 2, .pointer_refusal = "own.jsonl:1: coords: absent"});
  trainer_->HoldAt(1);
  JobSpec spec = ASpec(1, 3);
  spec.overrides = {"model=dispatch", "dispatch.sites=datasets/sites"};
  const auto job = jobs_->Submit(spec, "");
  ASSERT_TRUE(job.ok()) << job.status();
  ASSERT_TRUE(trainer_->AwaitHeld());
  EXPECT_EQ(*ReadFile(trainer_->requests().front().datasets.at("datasets/sites")), "content");
  trainer_->Release();
  spec.overrides = {"model=dispatch", "dispatch.sites=datasets/other"};
  EXPECT_THAT(std::string(jobs_->Submit(spec, "").status().message()),
              HasSubstr("dispatch.sites: got \"datasets/other\""));
}

TEST_F(DatasetUseTest, ChecksTheKindAndTheDaysOfARequestLog) {
  Upload("sites");
  Upload("history", {.kind = DatasetKind::kRequestLog, .days = 6, .requests = 60});
  const auto error = [&](std::vector<std::string> settings) {
    JobSpec spec = ASpec(1, 3);
    spec.overrides = std::move(settings);
    return std::string(jobs_->Submit(spec, "").status().message());
  };
  const auto with_log = [&](const std::string& log, const std::string& days) {
    return error({"name=waves", "model=dispatch", "dispatch.sites=datasets/sites",
                  "dispatch.log=datasets/" + log, "validation.days=" + days});
  };
  EXPECT_EQ(with_log("history", "4"), "");
  EXPECT_EQ(with_log("history", "5"),
            "dispatch.log: datasets/history: has 6 days, wanted at least 7: 2 to train on "
            "(dispatch.days) and 5 to validate (validation.days); lower these, or give a longer "
            "log");
  EXPECT_EQ(with_log("sites", "4"),
            "dispatch.log: got datasets/sites, which is instances, wanted a request log");
  EXPECT_THAT(with_log("none", "4"), HasSubstr("dispatch.log: got \"datasets/none\", which this"));
  EXPECT_EQ(error({"name=waves", "model=dispatch", "dispatch.sites=datasets/history"}),
            "dispatch.sites: got datasets/history, which is a request log, wanted instances");
  EXPECT_THAT(Refusal({"problem.instances=datasets/history"}),
              HasSubstr("problem.instances: got datasets/history, which is a request log, wanted "
                        "instances"));
}

TEST_F(DatasetUseTest, ChecksTheKindAndTheDaysOfAHistory) {
  Upload("sites");
  Upload("past", {.kind = DatasetKind::kRouteHistory, .days = 6, .routes = 9, .stops = 60});
  const auto error = [&](const std::string& history, const std::string& days) {
    JobSpec spec = ASpec(1, 3);
    spec.overrides = {"name=ours", "model=habits", "habits.history=datasets/" + history,
                      "validation.days=" + days};
    return std::string(jobs_->Submit(spec, "").status().message());
  };
  EXPECT_EQ(error("past", "5"), "");
  EXPECT_EQ(error("past", "6"),
            "habits.history: datasets/past: has 6 days with routes, wanted at least 7: 6 to "
            "validate (validation.days) and one to learn from; lower it, or give a longer history");
  EXPECT_EQ(error("sites", "4"),
            "habits.history: got datasets/sites, which is instances, wanted a route history");
  EXPECT_THAT(Refusal({"problem.instances=datasets/past"}),
              HasSubstr("problem.instances: got datasets/past, which is a route history, wanted "
                        "instances"));
}

TEST_F(DatasetUseTest, RefusesAMissingDatasetAndNamesTheKey) {
  const std::string refusal = Refusal(
      {"problem.instances=[datasets/depot7, datasets/depot8]", "validation.file=datasets/none"});
  EXPECT_THAT(refusal,
              HasSubstr("problem.instances: got \"datasets/depot7\", which this daemon "
                        "does not have; upload it: vrpctl datasets upload FILE --name depot7"));
  EXPECT_THAT(refusal, HasSubstr("depot8"));
  EXPECT_THAT(refusal, HasSubstr("\nvalidation.file: got \"datasets/none\""));
}

TEST_F(DatasetUseTest, RefusesADatasetWithoutTheRequiredColumns) {
  Upload("some", {.instances = 9, .with_tours = 8, .with_reference_cost = 3});
  EXPECT_THAT(Refusal({"training.method=supervised", "training.batches_per_epoch=25",
                       "supervised.labels=file", "supervised.label_file=datasets/some"}),
              HasSubstr("supervised.label_file: got datasets/some with tours in 8 of 9 lines"));
  EXPECT_THAT(Refusal({"validation.file=datasets/some", "validation.reference=file"}),
              HasSubstr("validation.file: got datasets/some with ref_cost in 3 of 9 lines"));
  Upload("matrices", {.instances = 1, .pointer_refusal = "own.jsonl:4: distance_matrix: ..."});
  EXPECT_THAT(Refusal({"problem.instances=datasets/matrices"}),
              HasSubstr("a pointer network cannot read datasets/matrices: own.jsonl:4"));
  EXPECT_TRUE(
      jobs_->Submit(SpecWith({"problem.instances=datasets/matrices", "model=gt"}), "").ok());
}

TEST_F(DatasetUseTest, RequiresLabelsAndCostsOnlyInTheLinesRead) {
  Upload("some", {.instances = 9,
                  .with_tours = 5,
                  .with_reference_cost = 6,
                  .leading_with_tours = 4,
                  .leading_with_reference_cost = 3});
  const auto settings = [](int samples, int validated) -> std::vector<std::string> {
    return {"training.method=supervised",
            "training.batches_per_epoch=25",  // the default; supervised training refuses others
            "supervised.labels=file",
            "supervised.label_file=datasets/some",
            Concat("supervised.samples=", samples),
            "validation.file=datasets/some",
            "validation.reference=file",
            Concat("validation.instances=", validated)};
  };
  const absl::Status accepted = jobs_->Submit(SpecWith(settings(4, 3)), "").status();
  EXPECT_TRUE(accepted.ok()) << accepted;
  EXPECT_THAT(Refusal(settings(5, 3)), HasSubstr("wanted ref_routes in each of the first 5"));
  EXPECT_THAT(Refusal(settings(4, 4)), HasSubstr("wanted ref_cost in each of the first 4"));
}

TEST_F(DatasetUseTest, DeletesADatasetNamedOnlyByUnusedSettings) {
  Upload("old");
  trainer_->HoldAt(1);
  ASSERT_TRUE(jobs_->Submit(SpecWith({"supervised.label_file=datasets/old"}), "").ok());
  ASSERT_TRUE(trainer_->AwaitHeld());
  EXPECT_TRUE(jobs_->DeleteDataset("datasets/old").ok());
  trainer_->Release();
}

TEST_F(DatasetUseTest, DeletesDatasetsWhileAnotherSubmissionIsChecked) {
  Upload("depot7");
  jobs_ = nullptr;
  UseTrainer({.check_inputs = [this](const TrainingRequest&) {
    EXPECT_TRUE(jobs_->DeleteDataset("datasets/depot7").ok());
    return absl::OkStatus();
  }});
  JobManager::Options options = ManagerOptions();
  options.datasets = datasets_.get();
  jobs_ = *JobManager::Create(options);
  EXPECT_THAT(Refusal({"problem.instances=datasets/depot7"}),
              HasSubstr("which this daemon does not have"));
}

TEST_F(DatasetUseTest, RefusesADatasetWithoutTheInputColumns) {
  Upload("depot7", {.instances = 2, .feature_columns = {"early"}});
  EXPECT_THAT(Refusal({"problem.instances=datasets/depot7", "problem.features=[builtin, wear]"}),
              HasSubstr("problem.instances: got datasets/depot7, in which some instances lack "
                        "the column features.wear of problem.features"));
  EXPECT_TRUE(jobs_
                  ->Submit(SpecWith({"problem.instances=datasets/depot7",
                                     "problem.features=[builtin, early]"}),
                           "")
                  .ok());
}

TEST_F(DatasetUseTest, KeepsADatasetWhileAJobReadsIt) {
  Upload("depot7");
  Upload("other");
  trainer_->HoldAt(1);
  const Job job = *jobs_->Submit(SpecWith({"problem.instances=datasets/depot7"}), "");
  ASSERT_TRUE(trainer_->AwaitHeld());
  EXPECT_TRUE(jobs_->DeleteDataset("datasets/other").ok());
  const absl::Status in_use = jobs_->DeleteDataset("datasets/depot7").status();
  EXPECT_EQ(in_use.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(in_use.message()), HasSubstr(ResourceName(job)));
  trainer_->Release();
  ReadUntil(**jobs_->Watch(job.id, 1), [](const JobEvent& event) {
    return event.type == EventType::kState && IsFinal(event.state);
  });
  EXPECT_TRUE(jobs_->DeleteDataset("datasets/depot7").ok());
  EXPECT_EQ(jobs_->DeleteDataset("datasets/depot7").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DatasetUseTest, FailsTheJobWhoseDatasetIsDamaged) {
  Upload("depot7");
  ASSERT_TRUE(AtomicWriteFile(folder_.File("datasets/depot7/instances.jsonl"), "Content").ok());
  const Job job = *jobs_->Submit(SpecWith({"problem.instances=datasets/depot7"}), "");
  ReadUntil(**jobs_->Watch(job.id, 1), [](const JobEvent& event) {
    return event.type == EventType::kState && IsFinal(event.state);
  });
  const Job ended = *jobs_->Get(job.id);
  EXPECT_EQ(ended.state, JobState::kFailed);
  EXPECT_EQ(ended.error.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(ended.error.message()), HasSubstr("problem.instances: datasets/depot7"));
}

}  // namespace
}  // namespace vrp::test
