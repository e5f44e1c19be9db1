#include "core/registry/registry.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <set>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/registry_fixture.h"
#include "tests/testing/recorded_watch.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using test::LoadFake;
using test::RegistryTest;

TEST_F(RegistryTest, PublishesTheNextVersionOfEachModel) {
  const auto registry = Open();
  EXPECT_EQ(Publish(*registry, "alpha")->version, 1);
  EXPECT_EQ(Publish(*registry, "alpha")->version, 2);
  EXPECT_EQ(Publish(*registry, "beta")->version, 1);
  EXPECT_THAT(
      Names(registry->List()),
      ElementsAre("models/alpha/versions/2", "models/alpha/versions/1", "models/beta/versions/1"));
  EXPECT_THAT(StagingFolders(), IsEmpty());
}

TEST_F(RegistryTest, KeepsPublishedVersionsAcrossARestart) {
  const std::string directory = Publish(*Open(), "alpha")->directory;
  const absl::StatusOr<ModelVersion> found = Open()->Get("alpha");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->directory, directory);
  EXPECT_EQ(found->card.architecture, "ptrnet");
}

TEST_F(RegistryTest, ReturnsTheExistingVersionWhenAJobIsPublishedAgain) {
  const auto registry = Open();
  ASSERT_EQ(Publish(*registry, "alpha", "trainingJobs/a")->version, 1);
  ASSERT_EQ(Publish(*registry, "alpha", "trainingJobs/b")->version, 2);
  EXPECT_EQ(Publish(*registry, "alpha", "trainingJobs/a")->version, 1);
  EXPECT_EQ(registry->List().size(), 2u);
  EXPECT_EQ(registry->FindByTrainingJob("trainingJobs/b")->version, 2);
  EXPECT_FALSE(registry->FindByTrainingJob("trainingJobs/c").has_value());
  EXPECT_THAT(StagingFolders(), IsEmpty());
}

TEST_F(RegistryTest, GivesConcurrentPublicationsDistinctVersions) {
  const auto registry = Open();
  const auto other = Open();  // simulates another daemon on the same folder
  std::vector<std::thread> threads;
  absl::Mutex mutex;
  std::set<int32_t> versions;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const absl::StatusOr<ModelVersion> published =
          Publish(i % 2 == 0 ? *registry : *other, "alpha");
      ASSERT_TRUE(published.ok()) << published.status();
      absl::MutexLock lock(&mutex);
      versions.insert(published->version);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(versions, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(RegistryTest, RefusesIncompleteForeignOrBadlyNamedPublications) {
  const auto registry = Open();
  const std::string staging = *registry->StagingDirectory();
  EXPECT_FALSE(registry->Publish("alpha", staging).ok());  // the folder is empty
  ASSERT_TRUE(test::WriteFakeModel(staging, "").ok());
  ASSERT_TRUE(AtomicWriteFile(staging + "/weights.safetensors", "cut").ok());
  EXPECT_TRUE(absl::IsDataLoss(registry->Publish("alpha", staging).status()));
  ASSERT_TRUE(test::WriteFakeModel(staging, "").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(registry->Publish("../alpha", staging).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(registry->Publish("alpha", folder_.path()).status()));
  EXPECT_THAT(registry->List(), IsEmpty());
  EXPECT_TRUE(registry->Publish("alpha", staging).ok());
}

TEST_F(RegistryTest, NeverReusesTheNumberOfABrokenOrShippedVersion) {
  const std::string shipped = folder_.File("shipped");
  AddByHand(shipped, "alpha", 4);
  fs::create_directories(models_ + "/alpha/6");
  const auto registry = Open(LoadFake, {shipped});
  EXPECT_EQ(Publish(*registry, "alpha")->version, 7);
}

TEST_F(RegistryTest, RemovesAbandonedStagingFoldersAtTheNextStart) {
  const auto registry = Open();
  const std::string in_use = *registry->StagingDirectory();
  const std::string abandoned = models_ + "/.staging/abandoned";
  fs::create_directories(abandoned);
  const auto second = Open();
  EXPECT_THAT(StagingFolders(), ElementsAre(in_use));
  registry->DiscardStaging(in_use);
  EXPECT_THAT(StagingFolders(), IsEmpty());
}

TEST_F(RegistryTest, ReportsABrokenFolderWithoutHidingOthers) {
  AddByHand(models_, "alpha", 1);
  const std::string broken = AddByHand(models_, "alpha", 2);
  ASSERT_TRUE(AtomicWriteFile(broken + "/card.json", "{").ok());
  AddByHand(models_, "bad name", 1);
  fs::create_directories(models_ + "/alpha/latest");
  const auto registry = Open();
  EXPECT_THAT(Names(registry->List()), ElementsAre("models/alpha/versions/1"));
  EXPECT_THAT(registry->Problems(),
              ElementsAre(HasSubstr("alpha/latest"), HasSubstr("alpha/2/card.json"),
                          HasSubstr("bad name")));
  EXPECT_EQ(registry->Get("alpha")->version, 1);
  const absl::Status status = registry->Get("alpha", 2).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("models/alpha/versions/2: cannot be used"));
}

TEST_F(RegistryTest, ListsExistingModelsWhenAModelIsNotFound) {
  AddByHand(models_, "alpha", 1);
  AddByHand(models_, "beta", 3);
  const auto registry = Open();
  EXPECT_THAT(registry->Get("gamma").status().ToString(),
              HasSubstr("NOT_FOUND: models/gamma: no such model; there are: alpha, beta"));
  EXPECT_THAT(registry->Get("beta", 1).status().ToString(),
              HasSubstr("NOT_FOUND: models/beta/versions/1: no such version; there are: 3"));
  EXPECT_TRUE(absl::IsInvalidArgument(registry->Get("beta", -1).status()));
}

TEST_F(RegistryTest, PrefersOwnVersionsToShippedOnesOfTheSameNumber) {
  const std::string shipped = folder_.File("shipped");
  AddByHand(shipped, "alpha", 1);
  AddByHand(shipped, "alpha", 2);
  const std::string own = AddByHand(models_, "alpha", 2);
  const auto registry = Open(LoadFake, {shipped});
  EXPECT_THAT(Names(registry->List()),
              ElementsAre("models/alpha/versions/2", "models/alpha/versions/1"));
  EXPECT_EQ(registry->Get("alpha")->directory, own);
  EXPECT_THAT(registry->Problems(), ElementsAre(HasSubstr("hidden by")));
}

TEST_F(RegistryTest, RefusesSymbolicLinksOutOfTheFolder) {
  const std::string outside = AddByHand(folder_.File("outside"), "alpha", 1);
  const auto registry = Open();
  fs::create_directories(models_ + "/alpha/3");
  fs::create_symlink(outside, models_ + "/alpha/1");
  fs::copy_file(outside + "/card.json", models_ + "/alpha/3/card.json");
  fs::create_symlink(outside + "/weights.safetensors", models_ + "/alpha/3/weights.safetensors");
  fs::create_symlink(folder_.File("outside") + "/alpha", models_ + "/beta");
  EXPECT_THAT(registry->List(), IsEmpty());
  EXPECT_THAT(registry->Problems(),
              ElementsAre(HasSubstr("symbolic link"), HasSubstr("symbolic link"),
                          HasSubstr("symbolic link")));
  EXPECT_FALSE(registry->Load("alpha", 1).ok());
}

TEST_F(RegistryTest, AcceptsALinkAsTheModelsFolder) {
  const std::string real = folder_.File("real");
  AddByHand(real, "alpha", 1);
  fs::create_symlink(real, models_);
  EXPECT_TRUE(Open()->Load("alpha").ok());
}

TEST_F(RegistryTest, LoadsEachVersionOnceAndTheNewestByDefault) {
  AddByHand(models_, "alpha", 1);
  std::atomic<int> loads = 0;
  const auto registry = Open([&loads](const std::string& directory, DeviceId device) {
    ++loads;
    return LoadFake(directory, device);
  });
  const LoadedModel first = *registry->Load("alpha");
  EXPECT_EQ(registry->Load("alpha", 1)->policy, first.policy);
  EXPECT_EQ(loads, 1);
  ASSERT_TRUE(Publish(*registry, "alpha").ok());
  EXPECT_EQ(registry->Load("alpha")->version->version, 2);
  EXPECT_EQ(loads, 2);
}

TEST_F(RegistryTest, RefusesWeightsThatDoNotMatchTheCard) {
  const std::string directory = AddByHand(models_, "alpha", 1);
  const auto registry = Open();
  ASSERT_TRUE(AtomicWriteFile(directory + "/weights.safetensors", "weightz").ok());
  const absl::Status status = registry->Load("alpha").status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(directory + "/weights.safetensors: got SHA-256 " + Sha256Hex("weightz")));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("wanted that in card.json, which is " + Sha256Hex("weights")));
  ASSERT_TRUE(AtomicWriteFile(directory + "/weights.safetensors", "weights").ok());
  EXPECT_TRUE(registry->Load("alpha").ok());  // the weights match again
}

TEST_F(RegistryTest, ReturnsALoadErrorAndRetriesNextTime) {
  AddByHand(models_, "alpha", 1);
  std::atomic<bool> fail = true;
  const auto registry = Open([&fail](const std::string& directory,
                                     DeviceId device) -> absl::StatusOr<std::unique_ptr<Policy>> {
    if (fail) return absl::InvalidArgumentError("weights: bad header");
    return LoadFake(directory, device);
  });
  EXPECT_THAT(std::string(registry->Load("alpha").status().message()), HasSubstr("bad header"));
  fail = false;
  EXPECT_TRUE(registry->Load("alpha").ok());
}

TEST_F(RegistryTest, BlocksOnlyCallersOfTheVersionBeingLoaded) {
  AddByHand(models_, "slow", 1);
  AddByHand(models_, "quick", 1);
  absl::Notification slow_started, slow_may_end;
  std::atomic<int> slow_loads = 0;
  const auto registry = Open([&](const std::string& directory, DeviceId device) {
    if (directory.find("/slow/") != std::string::npos && ++slow_loads == 1) {
      slow_started.Notify();
      slow_may_end.WaitForNotification();
    }
    return LoadFake(directory, device);
  });
  std::vector<std::shared_ptr<Policy>> policies(4);
  std::vector<std::thread> threads;
  for (auto& policy : policies) {
    threads.emplace_back([&registry, &policy] { policy = registry->Load("slow")->policy; });
  }
  slow_started.WaitForNotification();
  EXPECT_TRUE(registry->Load("quick").ok());  // would hang if the load held the lock
  EXPECT_EQ(registry->List().size(), 2u);
  slow_may_end.Notify();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(slow_loads, 1);
  for (const auto& policy : policies) EXPECT_EQ(policy, policies.front());
}

TEST_F(RegistryTest, StoresEvaluationsInTheCardAndReplacesEqualOnes) {
  AddByHand(models_, "alpha", 1);
  const auto registry = Open(LoadFake);
  const CardEvaluation greedy{.data = "a", .mode = "greedy", .mean_cost = 5};
  CardEvaluation better = greedy;
  better.mean_cost = 4;
  CardEvaluation sampled = greedy;
  sampled.mode = "sample 16";
  ASSERT_TRUE(registry->AddEvaluations("alpha", 0, {greedy, sampled}).ok());
  ASSERT_TRUE(registry->AddEvaluations("alpha", 1, {better}).ok());
  const std::vector<CardEvaluation> rows = registry->Get("alpha")->card.evaluations;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].mode, "sample 16");
  EXPECT_EQ(rows[1].mean_cost, 4);
  EXPECT_TRUE(registry->Load("alpha").ok());  // the card still fits the weights

  for (int i = 0; i < 60; ++i) {
    CardEvaluation other = greedy;
    other.data = Concat(i);
    ASSERT_TRUE(registry->AddEvaluations("alpha", 1, {other}).ok());
  }
  EXPECT_EQ(registry->Get("alpha")->card.evaluations.size(), kMaxCardEvaluations);
  EXPECT_EQ(registry->Get("alpha")->card.evaluations.back().data, "59");
  EXPECT_TRUE(absl::IsNotFound(registry->AddEvaluations("alpha", 2, {greedy}).status()));
}

TEST_F(RegistryTest, ReplacesACardWithoutATemporaryFileInTheModelsFolder) {
  const auto registry = Open();
  const ModelVersion model = *Publish(*registry, "alpha");
  // Watches the folder, since a kill could leave any file that was created in it.
  const int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(events, model.directory.c_str(), IN_CREATE), 0);
  ASSERT_TRUE(registry->AddEvaluations("alpha", 1, {{.data = "a", .mode = "greedy"}}).ok());
  alignas(inotify_event) char buffer[1024];
  EXPECT_EQ(read(events, buffer, sizeof(buffer)), -1)
      << "AddEvaluations created a file in the model's folder";
  EXPECT_EQ(errno, EAGAIN);
  close(events);
  EXPECT_EQ(registry->Get("alpha")->card.evaluations.size(), 1u);
  EXPECT_THAT(StagingFolders(), IsEmpty());
}

TEST_F(RegistryTest, ReportsPublicationsImportsAndLoadsToTheMonitor) {
  test::RecordedWatch watch;
  const auto registry =
      *Registry::Create({.directory = models_, .loader = LoadFake, .watch = watch.Function()});
  ASSERT_TRUE(Publish(*registry, "a").ok());
  EXPECT_THAT(watch.Take(),
              ElementsAre("publication of models/a", "end of publication of models/a"));
  ASSERT_TRUE(registry->Load("a").ok());
  EXPECT_THAT(watch.Take(), ElementsAre("model load of models/a/versions/1",
                                        "end of model load of models/a/versions/1"));
  const std::string staging = *registry->StagingDirectory();
  EXPECT_FALSE(registry->Import("b", staging).ok());
  EXPECT_THAT(watch.Take(), ElementsAre("import of models/b", "end of import of models/b"));
}

TEST_F(RegistryTest, ReportsAFolderThatCannotBeCreated) {
  ASSERT_TRUE(AtomicWriteFile(models_, "a file").ok());
  const absl::Status status = Registry::Create({.directory = models_, .loader = LoadFake}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(models_));
}

class ModelNameTest : public ::testing::TestWithParam<std::pair<std::string, bool>> {};

TEST_P(ModelNameTest, AcceptsOnlySafeFolderNames) {
  EXPECT_EQ(CheckModelName(GetParam().first).ok(), GetParam().second) << GetParam().first;
}

INSTANTIATE_TEST_SUITE_P(
    Names, ModelNameTest,
    ::testing::Values(std::pair("ptrnet_cvrp20", true), std::pair("A-1.b", true),
                      std::pair(std::string(64, 'a'), true), std::pair(std::string(65, 'a'), false),
                      std::pair("", false), std::pair("..", false), std::pair(".staging", false),
                      std::pair("a/b", false), std::pair("../a", false), std::pair("-a", false),
                      std::pair("a b", false), std::pair("a\n", false),
                      std::pair(std::string("a\0b", 3), false), std::pair("\xc3\xa4", false)));

}  // namespace
}  // namespace vrp
