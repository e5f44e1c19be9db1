// Tests versions that running jobs publish, and publishing under the name of another architecture.
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/registry_fixture.h"

namespace vrp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LiveVersionsTest : public RegistryTest {
 protected:
  LiveVersionsTest() : registry_(Open()) {}
  int32_t Finish(const std::string& job) {
    return Publish(*registry_, "alpha", "trainingJobs/" + job)->version;
  }
  int32_t PublishLive(const std::string& job, int64_t step) {
    return Publish(*registry_, "alpha", LiveJobName("trainingJobs/" + job, step))->version;
  }
  int32_t UsedVersion(const ModelReference& reference) {
    const absl::StatusOr<LoadedModel> used = registry_->Use(reference);
    EXPECT_TRUE(used.ok()) << used.status();
    return used.ok() ? used->version->version : 0;
  }
  std::vector<std::string> AliasesOf(int32_t version) {
    return registry_->AliasesOf(*registry_->Get("alpha", version));
  }
  // Stages a model of another architecture than ACard's and returns its folder.
  std::string StageTransformer(const std::string& job) {
    const std::string staging = *registry_->StagingDirectory();
    ModelCard card = ACard("weights", job);
    card.architecture = "gt";
    EXPECT_TRUE(AtomicWriteFile(staging + "/weights.safetensors", "weights").ok());
    EXPECT_TRUE(AtomicWriteFile(staging + "/card.json", WriteModelCard(card)).ok());
    return staging;
  }

  static ModelReference BareName() { return {.name = "alpha"}; }
  static ModelReference Live() { return {.name = "alpha", .alias = "live"}; }
  std::unique_ptr<Registry> registry_;
};

TEST_F(LiveVersionsTest, ResolvesABareNameToTheNewestFinishedVersion) {
  Finish("a");
  ASSERT_EQ(UsedVersion(BareName()), 1);
  ASSERT_EQ(PublishLive("b", 10), 2);
  ASSERT_TRUE(registry_->Load("alpha", 2).ok());
  EXPECT_EQ(UsedVersion(BareName()), 1);
  EXPECT_EQ(registry_->Get("alpha")->version, 1);
  EXPECT_EQ(UsedVersion(Live()), 2);
  EXPECT_EQ(registry_->Resolve(Live())->version, 2);
  ASSERT_EQ(PublishLive("b", 20), 3);
  ASSERT_TRUE(registry_->Load("alpha", 3).ok());
  EXPECT_EQ(UsedVersion(Live()), 3);
  EXPECT_EQ(UsedVersion(BareName()), 1);
}

TEST_F(LiveVersionsTest, ResolvesLiveToTheFinishedVersionOnceTheJobHasEnded) {
  PublishLive("a", 10);
  ASSERT_EQ(UsedVersion(Live()), 1);
  ASSERT_EQ(Finish("a"), 2);
  EXPECT_EQ(UsedVersion(Live()), 2);
  EXPECT_EQ(UsedVersion(BareName()), 2);
  EXPECT_THAT(AliasesOf(1), IsEmpty());
  EXPECT_THAT(AliasesOf(2), IsEmpty()) << "version 2 is not live";
}

TEST_F(LiveVersionsTest, ShowsTheAliasOfTheNewestLiveVersion) {
  Finish("a");
  PublishLive("b", 10);
  ASSERT_EQ(PublishLive("b", 20), 3);
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 3).ok());
  ASSERT_TRUE(registry_->SetAlias("alpha", "best", 3).ok());
  EXPECT_THAT(AliasesOf(3), ElementsAre("best", "live", "production"));
  EXPECT_THAT(AliasesOf(2), IsEmpty());
}

TEST_F(LiveVersionsTest, ExplainsHowToNameLiveVersionsIfThereIsNoOther) {
  PublishLive("a", 10);
  PublishLive("a", 20);
  for (const absl::Status& status :
       {registry_->Use(BareName()).status(), registry_->Get("alpha").status()}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("use models/alpha/aliases/live (vrpctl: alpha@live) or "
                          "models/alpha/versions/2"));
  }
  EXPECT_EQ(UsedVersion({.name = "alpha", .version = 1}), 1);
}

TEST_F(LiveVersionsTest, DoesNotRetryABrokenLiveVersionAtEachRequest) {
  Finish("a");
  PublishLive("b", 10);
  int attempts = 0;
  registry_ = Open([&attempts](const std::string& directory, DeviceId device) {
    if (!directory.ends_with("/2")) return LoadFake(directory, device);
    ++attempts;
    return absl::StatusOr<std::unique_ptr<Policy>>(absl::InternalError("broken"));
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(UsedVersion(Live()), 1);
  EXPECT_LE(attempts, 2) << "the first request and the concurrent background attempt";
  EXPECT_FALSE(registry_->Use({.name = "alpha", .version = 2}).ok());
}

TEST_F(LiveVersionsTest, KeepsLiveVersionsAcrossARestart) {
  Finish("a");
  PublishLive("b", 10);
  registry_ = Open();
  EXPECT_EQ(UsedVersion(BareName()), 1);
  EXPECT_EQ(UsedVersion(Live()), 2);
}

TEST_F(LiveVersionsTest, KeepsTheFinishedVersionInMemoryBesideLiveOnes) {
  Finish("a");
  ASSERT_EQ(UsedVersion(BareName()), 1);
  for (int64_t step = 1; step <= 6; ++step) {
    ASSERT_TRUE(registry_->Load("alpha", PublishLive("b", step)).ok());
  }
  EXPECT_TRUE(registry_->IsLoaded(*registry_->Get("alpha", 1)));
  EXPECT_TRUE(registry_->IsLoaded(*registry_->Get("alpha", 7)));
  EXPECT_FALSE(registry_->IsLoaded(*registry_->Get("alpha", 2)));
}

TEST_F(LiveVersionsTest, RefusesToSetOrDeleteTheAliasLive) {
  Finish("a");
  const absl::Status set = registry_->SetAlias("alpha", "live", 1).status();
  EXPECT_TRUE(absl::IsInvalidArgument(set)) << set;
  EXPECT_THAT(std::string(set.message()),
              HasSubstr("set another one, as in models/alpha/aliases/"));
  EXPECT_TRUE(absl::IsInvalidArgument(registry_->DeleteAlias("alpha", "live")));
}

TEST_F(LiveVersionsTest, KeepsAnOldAliasNamedLiveUntilItIsDeleted) {
  Finish("a");
  Finish("b");
  std::filesystem::create_directories(models_ + "/.aliases/alpha");
  ASSERT_TRUE(AtomicWriteFile(models_ + "/.aliases/alpha/live", "1\n").ok());
  EXPECT_EQ(UsedVersion(Live()), 1);
  EXPECT_THAT(AliasesOf(1), ElementsAre("live"));
  ASSERT_TRUE(registry_->DeleteAlias("alpha", "live").ok());
  EXPECT_EQ(UsedVersion(Live()), 2);
}

TEST_F(LiveVersionsTest, DeletesALiveVersion) {
  Finish("a");
  PublishLive("b", 10);
  ASSERT_TRUE(registry_->Delete("alpha", 2).ok());
  EXPECT_EQ(UsedVersion(Live()), 1);
}

TEST_F(LiveVersionsTest, RefusesAnotherArchitectureUnderTheSameName) {
  Finish("a");
  const absl::Status refused = registry_->Publish("alpha", StageTransformer("x")).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("models/alpha: got a model of the architecture gt, wanted ptrnet, which "
                        "models/alpha/versions/1 has"));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(registry_->Import("alpha", StageTransformer("")).status()));
  EXPECT_TRUE(registry_->CheckArchitecture("alpha", "ptrnet").ok());
  EXPECT_TRUE(registry_->CheckArchitecture("beta", "gt").ok());
  EXPECT_TRUE(registry_->Publish("beta", StageTransformer("y")).ok());
}

TEST_F(LiveVersionsTest, PublishesAnotherArchitectureUnderAnotherName) {
  Finish("a");
  const auto publish = [&](const std::string& name, const std::string& job) {
    return *registry_->Publish(name, StageTransformer(job), OtherArchitecture::kUseOtherName);
  };
  EXPECT_EQ(publish("alpha", "x").directory, models_ + "/alpha-gt/1");
  EXPECT_EQ(publish("alpha", "y").directory, models_ + "/alpha-gt/2");
  EXPECT_EQ(publish("alpha", "x").directory, models_ + "/alpha-gt/1") << "published already";
  ASSERT_TRUE(Publish(*registry_, "gamma", "b").ok());
  ASSERT_TRUE(Publish(*registry_, "gamma-gt", "c").ok());
  EXPECT_EQ(publish("gamma", "z").directory, models_ + "/gamma-gt-2/1");
  const std::string longest(64, 'n');
  ASSERT_TRUE(Publish(*registry_, longest, "d").ok());
  EXPECT_EQ(publish(longest, "l").name, std::string(61, 'n') + "-gt");
}

}  // namespace
}  // namespace vrp::test
