// Tests which version serves while others are added, fail and are removed.
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "core/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/registry_fixture.h"

namespace vrp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Refers to the newest version.
const ModelReference kNewest = {.name = "alpha"};

// A policy whose decoding always fails.
class FailingPolicy final : public Policy {
 public:
  FailingPolicy() { info_.kinds = {ProblemKind::kCvrp}; }
  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance&) const override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance>,
                                                  const DecodeOptions&) override {
    return absl::InternalError("not a number");
  }

 private:
  PolicyInfo info_;
};

class ServingModelsTest : public RegistryTest {
 protected:
  // Opens a registry like Open, and records background loads that fail.
  std::unique_ptr<Registry> OpenRecordingFailures(PolicyLoader loader = LoadFake) {
    return *Registry::Create({.directory = models_,
                              .loader = std::move(loader),
                              .on_failure = [this](const absl::Status& status) {
                                absl::MutexLock lock(&mutex_);
                                failures_.push_back(std::string(status.message()));
                              }});
  }
  std::vector<std::string> AwaitFailures(size_t count) {
    const auto enough = [this, count] {
      mutex_.AssertReaderHeld();
      return failures_.size() >= count;
    };
    absl::MutexLock lock(&mutex_);
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&enough), absl::Minutes(1)));
    return failures_;
  }

  absl::Mutex mutex_;
  std::vector<std::string> failures_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(ServingModelsTest, ServesTheOldVersionWhileANewOneLoads) {
  AddByHand(models_, "alpha", 1);
  absl::Notification may_load;
  const auto registry = Open([&](const std::string& directory, DeviceId device) {
    if (directory.ends_with("/2")) may_load.WaitForNotification();
    return LoadFake(directory, device);
  });
  ASSERT_EQ(registry->Use(kNewest)->version->version, 1);
  AddByHand(models_, "alpha", 2);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(registry->Use(kNewest)->version->version, 1);
  may_load.Notify();
  while (registry->Use(kNewest)->version->version != 2) std::this_thread::yield();
}

TEST_F(ServingModelsTest, KeepsTheOldVersionIfTheNewOneCannotBeLoaded) {
  AddByHand(models_, "alpha", 1);
  const auto registry = OpenRecordingFailures();
  ASSERT_EQ(registry->Use(kNewest)->version->version, 1);
  const std::string broken = AddByHand(models_, "alpha", 2);
  ASSERT_TRUE(AtomicWriteFile(broken + "/weights.safetensors", "other").ok());
  EXPECT_EQ(registry->Use(kNewest)->version->version, 1);
  EXPECT_THAT(AwaitFailures(1).front(), HasSubstr("alpha/2/weights.safetensors: got SHA-256"));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(registry->Use(kNewest)->version->version, 1);
  EXPECT_THAT(AwaitFailures(1), SizeIs(1)) << "requests do not load the broken version again";
}

TEST_F(ServingModelsTest, ServesAnOlderVersionAfterARestartIfTheNewestIsBroken) {
  AddByHand(models_, "alpha", 1);
  const std::string broken = AddByHand(models_, "alpha", 2);
  ASSERT_TRUE(AtomicWriteFile(broken + "/weights.safetensors", "other").ok());
  EXPECT_EQ(Open()->Use(kNewest)->version->version, 1);
  EXPECT_TRUE(absl::IsDataLoss(Open()->Use({.name = "alpha", .version = 2}).status()));
}

TEST_F(ServingModelsTest, RefusesToServeANetworkThatCannotDecode) {
  AddByHand(models_, "alpha", 1);
  const auto registry = Open([](const std::string&, DeviceId) {
    return absl::StatusOr<std::unique_ptr<Policy>>(std::make_unique<FailingPolicy>());
  });
  EXPECT_THAT(std::string(registry->Use(kNewest).status().message()),
              HasSubstr("the network cannot be used: not a number"));
}

TEST_F(ServingModelsTest, ServesANewVersionAtOnceIfTheModelIsInUse) {
  const auto registry = Open();
  ASSERT_TRUE(Publish(*registry, "alpha").ok());
  EXPECT_EQ(registry->LoadedCount(), 0);  // no request used the model
  ASSERT_EQ(registry->Use(kNewest)->version->version, 1);
  ASSERT_TRUE(Publish(*registry, "alpha").ok());
  EXPECT_EQ(registry->Use(kNewest)->version->version, 2);
}

TEST_F(ServingModelsTest, FreesMemoryOfAnUnloadedModelAfterItsLastUse) {
  AddByHand(models_, "alpha", 1);
  const auto registry = Open();
  std::optional<LoadedModel> in_use = *registry->Use(kNewest);
  const std::weak_ptr<Policy> policy = in_use->policy;
  EXPECT_THAT(registry->Unload("alpha", 0), SizeIs(1));
  EXPECT_EQ(registry->LoadedCount(), 0);
  EXPECT_FALSE(policy.expired()) << "a request under way keeps its weights";
  in_use.reset();
  EXPECT_TRUE(policy.expired());
  EXPECT_TRUE(registry->Use(kNewest).ok());
  EXPECT_EQ(registry->LoadedCount(), 1);
}

TEST_F(ServingModelsTest, UnloadsTheNamedVersion) {
  AddByHand(models_, "alpha", 1);
  AddByHand(models_, "alpha", 2);
  AddByHand(models_, "beta", 1);
  const auto registry = Open();
  for (int version : {1, 2}) ASSERT_TRUE(registry->Load("alpha", version).ok());
  ASSERT_TRUE(registry->Load("beta").ok());
  EXPECT_THAT(registry->Unload("alpha", 1), SizeIs(1));
  EXPECT_THAT(registry->Unload("alpha", 1), SizeIs(0));
  EXPECT_EQ(registry->LoadedCount(), 2);
  EXPECT_THAT(registry->Unload("alpha", 0), SizeIs(1));
  EXPECT_EQ(registry->LoadedCount(), 1);
}

TEST_F(ServingModelsTest, KeepsTheMostRecentlyUsedVersionsInMemory) {
  const auto registry = Open();
  for (int i = 1; i <= 20; ++i) {
    AddByHand(models_, "alpha", i);
    ASSERT_TRUE(registry->Load("alpha", i).ok());
    ASSERT_TRUE(registry->Load("alpha", 1).ok());
  }
  EXPECT_EQ(registry->LoadedCount(), static_cast<int32_t>(LoadedModels::kMaxLoadedVersions));
  EXPECT_TRUE(registry->IsLoaded(*registry->Get("alpha", 1)));
  EXPECT_TRUE(registry->IsLoaded(*registry->Get("alpha", 20)));
  EXPECT_FALSE(registry->IsLoaded(*registry->Get("alpha", 17)));
}

TEST_F(ServingModelsTest, DoesNotServeAnOlderVersionIfTheListIsOutdated) {
  LoadedModels loaded({.loader = LoadFake});
  const auto load = [&](int32_t version) {
    AddByHand(models_, "alpha", version);
    return loaded.Load(*ReadModelVersion(models_, "alpha", version)).ok();
  };
  const std::vector<int32_t> old_list = {2, 1};
  for (const int32_t version : {1, 2}) ASSERT_TRUE(load(version));
  ASSERT_EQ(loaded.FindNewest("alpha", old_list, LoadedModels::VersionFilter::kFinished)
                ->version->version,
            2);
  ASSERT_TRUE(loaded.Find({"alpha", 1}).has_value());  // versions 3 to 5 will evict version 2
  for (const int32_t version : {3, 4, 5}) ASSERT_TRUE(load(version));
  EXPECT_FALSE(loaded.IsLoaded({"alpha", 2}));
  EXPECT_EQ(loaded.FindNewest("alpha", old_list, LoadedModels::VersionFilter::kFinished)
                ->version->version,
            5);
}

TEST_F(ServingModelsTest, KeepsTheNewestVersionInMemory) {
  LoadedModels loaded({.loader = LoadFake});
  for (const int32_t version : {9, 1, 2, 3, 4, 5, 6}) {
    AddByHand(models_, "alpha", version);
    ASSERT_TRUE(loaded.Load(*ReadModelVersion(models_, "alpha", version)).ok());
  }
  EXPECT_TRUE(loaded.IsLoaded({"alpha", 9}));
  EXPECT_EQ(loaded.Count(), static_cast<int32_t>(LoadedModels::kMaxLoadedVersions));
}

// Every third version is broken. A broken version must never serve or make a request fail.
TEST_F(ServingModelsTest, LosesNoRequestWhileVersionsAreReplaced) {
  AddByHand(models_, "alpha", 1);
  const auto registry = OpenRecordingFailures();
  ASSERT_TRUE(registry->Use(kNewest).ok());
  std::atomic<bool> done = false;
  std::atomic<int64_t> served = 0, lost = 0, older_served = 0, broken_served = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      int32_t before = 0;
      while (!done) {
        const absl::StatusOr<LoadedModel> model = registry->Use(kNewest);
        ++(model.ok() ? served : lost);
        if (!model.ok()) continue;
        older_served += model->version->version < before ? 1 : 0;
        broken_served += model->version->version > 1 && model->version->version % 3 == 0 ? 1 : 0;
        before = model->version->version;
      }
    });
  }
  for (int version = 2; version <= 101; ++version) {
    if (version % 3 == 0) {  // adds a damaged version without the registry
      const std::string made = AddByHand(folder_.File("made"), "alpha", version);
      ASSERT_TRUE(AtomicWriteFile(made + "/weights.safetensors", "x").ok());
      std::filesystem::rename(made, Concat(models_, "/alpha/", version));
    } else {
      ASSERT_EQ(Publish(*registry, "alpha")->version, version);
    }
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(served, 100);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(older_served, 0);
  EXPECT_EQ(broken_served, 0);
  EXPECT_EQ(registry->Use(kNewest)->version->version, 101);
  RecordProperty("served", static_cast<int>(served));
}

}  // namespace
}  // namespace vrp::test
