// Tests that datasets are deleted with what was derived from them.
#include "core/jobs/dataset_deletion.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/time/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/jobs/solve_job_manager.h"
#include "core/model/weights/model_card.h"
#include "gmock/gmock.h"
#include "tests/jobs/fake_solver.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp::test {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kSecret[] = "customer-of-the-history";

class DatasetDeletionTest : public JobManagerFixture {
 protected:
  DatasetDeletionTest() {
    datasets_ = *DatasetStore::Create({.directory = folder_.File("state/datasets")});
    JobManager::Options options = ManagerOptions();
    options.datasets = datasets_.get();
    book_ = options.book;
    jobs_ = *JobManager::Create(options);
  }
  ~DatasetDeletionTest() override {
    simulations_ = nullptr;
    jobs_ = nullptr;
  }

  void Upload(const std::string& name, DatasetKind kind) {
    const auto upload = *datasets_->Begin(name, 0);
    ASSERT_TRUE(upload->Add(kSecret).ok());
    ASSERT_TRUE(upload->Finish({.kind = kind, .days = 40, .requests = 400, .instances = 2}).ok());
  }
  // Runs a training job to its end.
  std::string Train(const std::vector<std::string>& settings) {
    JobSpec spec = ASpec(1, 3);
    spec.overrides = settings;
    spec.overrides.emplace_back("training.epochs=1");
    const absl::StatusOr<Job> job = jobs_->Submit(spec, "");
    EXPECT_TRUE(job.ok()) << job.status();
    ReadUntil(**jobs_->Watch(job->id, 1), [](const JobEvent& event) {
      return event.type == EventType::kState && IsFinal(event.state);
    });
    return ResourceName(*job);
  }
  std::string TrainOnLog() {
    return Train({"name=waves", "model=dispatch", "dispatch.sites=datasets/sites",
                  "dispatch.log=datasets/history"});
  }
  // Queues a simulation that reads a dataset.
  absl::StatusOr<Job> Simulate(const std::string& dataset) {
    simulations_ = *SolveJobManager::Create({.kind = JobKind::kSimulation,
                                             .book = book_,
                                             .solver = &solver_,
                                             .datasets = datasets_.get(),
                                             .clock = &clock_});
    return simulations_->Submit({.kind = JobKind::kSimulation,
                                 .request = Concat(kSecret, " as request"),
                                 .summary = Concat(kSecret, " as summary"),
                                 .dataset = dataset},
                                "");
  }
  void WriteLabel(const std::string& path) {
    const std::string file = folder_.File("state/labels/" + path);
    fs::create_directories(fs::path(file).parent_path());
    ASSERT_TRUE(AtomicWriteFile(file, kSecret).ok());
  }
  // Returns the files of the state folder that contain kSecret.
  std::vector<std::string> FilesWithTheSecret() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.File("state"))) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string content(std::istreambuf_iterator<char>(stream), {});
      if (content.find(kSecret) != std::string::npos) found.push_back(entry.path().string());
    }
    return found;
  }
  // Publishes a model that was trained with the configuration.
  void PublishModel(const std::string& name, const std::string& config, absl::Time created) {
    const std::string staging = *registry_->StagingDirectory();
    ModelCard card = ACard("weights", Concat("trainingJobs/", name));
    card.training_config = config;
    card.created = created;
    ASSERT_TRUE(AtomicWriteFile(staging + "/weights.safetensors", "weights").ok());
    ASSERT_TRUE(AtomicWriteFile(staging + "/card.json", WriteModelCard(card)).ok());
    const auto published = registry_->Publish(name, staging);
    ASSERT_TRUE(published.ok()) << published.status();
  }

  std::shared_ptr<JobBook> book_;
  std::unique_ptr<DatasetStore> datasets_;
  FakeSolver solver_;
  std::unique_ptr<SolveJobManager> simulations_;
};

TEST_F(DatasetDeletionTest, RemovesAllThatWasDerivedFromALog) {
  Upload("sites", DatasetKind::kInstances);
  Upload("history", DatasetKind::kRequestLog);
  const std::string on_log = TrainOnLog();
  const std::string on_sites = Train({"problem.instances=datasets/sites"});
  const absl::StatusOr<Job> simulation = Simulate("datasets/history");
  ASSERT_TRUE(simulation.ok()) << simulation.status();
  solver_.Finish();
  ReadToEnd(*simulations_, simulation->id);
  for (const char* label : {"history/hindsight-1.json", "history/hindsight-2.json"}) {
    WriteLabel(label);
  }
  const absl::StatusOr<DatasetDeletion> deleted = jobs_->DeleteDataset("datasets/history");
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(deleted->labels, 2);
  EXPECT_THAT(deleted->simulations, ElementsAre(ResourceName(*simulation)));
  EXPECT_THAT(deleted->training_jobs, ElementsAre(on_log));
  EXPECT_FALSE(simulations_->Get(simulation->id).ok());
  EXPECT_THAT(jobs_->List({})->jobs.size(), 1u);
  EXPECT_EQ(ResourceName(jobs_->List({})->jobs.front()), on_sites);
  ASSERT_TRUE(jobs_->DeleteDataset("datasets/sites").ok());
  EXPECT_THAT(FilesWithTheSecret(), IsEmpty());
}

TEST_F(DatasetDeletionTest, RemovesTheJobsOfAHistoryAndNamesItsModels) {
  Upload("past", DatasetKind::kRouteHistory);
  const std::string on_history =
      Train({"name=ours", "model=habits", "habits.history=datasets/past"});
  PublishModel("drivers", "name: drivers\nmodel: habits\nhabits: {history: datasets/past}\n",
               absl::Now() + absl::Hours(1));
  const absl::StatusOr<DatasetDeletion> deleted = jobs_->DeleteDataset("datasets/past");
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_THAT(deleted->training_jobs, ElementsAre(on_history));
  EXPECT_THAT(deleted->kept_models, testing::Contains("models/drivers/versions/1"));
  EXPECT_THAT(jobs_->List({})->jobs, IsEmpty());
  EXPECT_THAT(FilesWithTheSecret(), IsEmpty());
}

TEST_F(DatasetDeletionTest, RemovesTheLabelsOfInstancesAndKeepsTheirJobs) {
  Upload("sites", DatasetKind::kInstances);
  const std::string job = Train({"problem.instances=datasets/sites"});
  WriteLabel("sites/labels-1.set");
  WriteLabel("other/labels-1.set");
  WriteLabel("labels-2.set");
  const absl::StatusOr<DatasetDeletion> deleted = jobs_->DeleteDataset("datasets/sites");
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(deleted->labels, 1);
  EXPECT_THAT(deleted->training_jobs, IsEmpty());
  EXPECT_EQ(jobs_->List({})->jobs.size(), 1u);
  EXPECT_EQ(FilesWithTheSecret().size(), 2u);
}

TEST_F(DatasetDeletionTest, NamesTheModelsThatStay) {
  // As a trainer writes it: the preset, and settings as comments.
  const auto config = [](const std::string& name, const std::string& log) {
    return ParseTrainingConfig("name: x\nmodel: dispatch\ndispatch: {sites: a.txt}\n", "x.yaml",
                               {"name=" + name, "dispatch.log=datasets/" + log})
        ->source;
  };
  const absl::Time now = absl::Now();
  PublishModel("before", config("before", "history"), now - absl::Hours(1));
  Upload("history", DatasetKind::kRequestLog);
  PublishModel("waves", config("waves", "history"), now + absl::Hours(1));
  PublishModel("other", config("other", "history2"), now + absl::Hours(1));
  const absl::StatusOr<DatasetDeletion> deleted = jobs_->DeleteDataset("datasets/history");
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_THAT(deleted->kept_models, ElementsAre("models/waves/versions/1"));
  EXPECT_TRUE(registry_->Get("waves", 1).ok());
}

TEST_F(DatasetDeletionTest, DeletesNothingWhileAJobReadsTheDataset) {
  Upload("sites", DatasetKind::kInstances);
  Upload("history", DatasetKind::kRequestLog);
  WriteLabel("history/hindsight-1.json");
  const std::string ended = TrainOnLog();
  const absl::StatusOr<Job> simulation = Simulate("datasets/history");
  ASSERT_TRUE(simulation.ok()) << simulation.status();
  const absl::Status in_use = jobs_->DeleteDataset("datasets/history").status();
  EXPECT_EQ(in_use.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(in_use.message()), HasSubstr(ResourceName(*simulation)));
  EXPECT_TRUE(fs::exists(folder_.File("state/labels/history/hindsight-1.json")));
  EXPECT_EQ(jobs_->List({})->jobs.size(), 1u);
  EXPECT_TRUE(datasets_->Get("datasets/history").ok());
}

TEST_F(DatasetDeletionTest, RefusesASimulationOfADeletedDataset) {
  EXPECT_EQ(Simulate("datasets/history").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace vrp::test
