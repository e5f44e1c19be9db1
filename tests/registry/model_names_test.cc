// Tests aliases, deletion, and that version numbers are never reused.
#include <filesystem>
#include <fstream>

#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/registry_fixture.h"

namespace vrp::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModelNamesTest : public RegistryTest {
 protected:
  ModelNamesTest() : registry_(Open()) {
    EXPECT_TRUE(Publish(*registry_, "alpha").ok());
    EXPECT_TRUE(Publish(*registry_, "alpha").ok());
  }
  static ModelReference Production() { return {.name = "alpha", .alias = "production"}; }

  std::unique_ptr<Registry> registry_;
};

TEST_F(ModelNamesTest, ResolvesAnAliasUntilItIsMoved) {
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 1).ok());
  EXPECT_EQ(registry_->Resolve(Production())->version, 1);
  EXPECT_EQ(registry_->Use(Production())->version->version, 1);
  EXPECT_THAT(registry_->AliasesOf(*registry_->Get("alpha", 1)), ElementsAre("production"));
  EXPECT_EQ(*registry_->SetAlias("alpha", "production", 2), 1);
  EXPECT_EQ(registry_->Use(Production())->version->version, 2);
  EXPECT_THAT(registry_->AliasesOf(*registry_->Get("alpha", 1)), IsEmpty());
  ASSERT_TRUE(registry_->DeleteAlias("alpha", "production").ok());
  EXPECT_TRUE(absl::IsNotFound(registry_->Use(Production()).status()));
  EXPECT_TRUE(absl::IsNotFound(registry_->DeleteAlias("alpha", "production")));
}

TEST_F(ModelNamesTest, KeepsAliasesAcrossRestartsAndProcesses) {
  const auto other = Open();
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 1).ok());
  EXPECT_EQ(other->Resolve(Production())->version, 1);
  EXPECT_EQ(Open()->Resolve(Production())->version, 1);
  EXPECT_THAT(StagingFolders(), IsEmpty());
  EXPECT_THAT(registry_->Problems(), IsEmpty());
}

TEST_F(ModelNamesTest, AllowsAliasesOfShippedModels) {
  const std::string shipped = folder_.File("shipped");
  AddByHand(shipped, "beta", 3);
  const auto registry = Open(LoadFake, {shipped});
  ASSERT_TRUE(registry->SetAlias("beta", "blue", 3).ok());
  EXPECT_EQ(registry->Use({.name = "beta", .alias = "blue"})->version->version, 3);
}

TEST_F(ModelNamesTest, KeepsTheAliasIfTheNewVersionCannotBeLoaded) {
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 1).ok());
  const std::string broken = AddByHand(models_, "alpha", 3);
  ASSERT_TRUE(AtomicWriteFile(broken + "/weights.safetensors", "other").ok());
  EXPECT_TRUE(absl::IsDataLoss(registry_->SetAlias("alpha", "production", 3).status()));
  EXPECT_TRUE(absl::IsNotFound(registry_->SetAlias("alpha", "production", 9).status()));
  EXPECT_EQ(registry_->Resolve(Production())->version, 1);
}

TEST_F(ModelNamesTest, RefusesUnknownAndInvalidAliases) {
  ASSERT_TRUE(registry_->SetAlias("alpha", "blue", 1).ok());
  ASSERT_TRUE(registry_->SetAlias("alpha", "green", 2).ok());
  EXPECT_THAT(
      std::string(registry_->Resolve(Production()).status().message()),
      HasSubstr("models/alpha/aliases/production: no such alias; existing aliases: blue, green"));
  for (const char* alias : {"", "1", "3rd", "a.b", "a/b", "..", "-x", "latest", "newest", "a b"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(registry_->SetAlias("alpha", alias, 1).status())) << alias;
  }
  EXPECT_FALSE(registry_->SetAlias("alpha", std::string(65, 'a'), 1).ok());
  EXPECT_FALSE(registry_->SetAlias("../alpha", "blue", 1).ok());
}

TEST_F(ModelNamesTest, BoundsTheNumberOfAliasesOfAModel) {
  fs::create_directories(models_ + "/.aliases/alpha");
  for (size_t i = 0; i < kMaxAliases; ++i) {
    std::ofstream(Concat(models_, "/.aliases/alpha/a", i)) << 1;
  }
  EXPECT_TRUE(absl::IsResourceExhausted(registry_->SetAlias("alpha", "more", 1).status()));
  EXPECT_TRUE(registry_->SetAlias("alpha", "a7", 2).ok());  // moving an existing alias is allowed
}

TEST_F(ModelNamesTest, RefusesToDeleteAVersionWithAnAlias) {
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 1).ok());
  const absl::Status refused = registry_->Delete("alpha", 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("models/alpha/versions/1: is named by production"));
  EXPECT_TRUE(registry_->Get("alpha", 1).ok());
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 2).ok());
  EXPECT_TRUE(registry_->Delete("alpha", 1).ok());
  EXPECT_TRUE(absl::IsNotFound(registry_->Get("alpha", 1).status()));
  EXPECT_TRUE(absl::IsNotFound(registry_->Delete("alpha", 1)));
}

TEST_F(ModelNamesTest, RemovesADeletedVersionAndNeverReusesItsNumber) {
  ASSERT_TRUE(registry_->Load("alpha", 2).ok());
  ASSERT_TRUE(registry_->Delete("alpha", 2).ok());
  EXPECT_FALSE(fs::exists(models_ + "/alpha/2"));
  EXPECT_THAT(StagingFolders(), IsEmpty());
  EXPECT_EQ(registry_->LoadedCount(), 0);
  EXPECT_EQ(registry_->Use({.name = "alpha"})->version->version, 1);
  registry_ = Open();
  EXPECT_EQ(Publish(*registry_, "alpha")->version, 3);
  ASSERT_TRUE(registry_->Delete("alpha", 1).ok());
  EXPECT_EQ(Publish(*registry_, "alpha")->version, 4);
}

TEST_F(ModelNamesTest, NeitherPublishesNorDeletesIfTheDeletedNumbersAreUnreadable) {
  ASSERT_TRUE(registry_->Delete("alpha", 2).ok());
  const std::string file = models_ + "/.deleted/alpha";
  ASSERT_TRUE(AtomicWriteFile(file, "two").ok());
  for (const absl::Status& status :
       {Publish(*registry_, "alpha").status(), registry_->Delete("alpha", 1)}) {
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(file + ": got \"two\", wanted a version number; write the highest"));
  }
  EXPECT_TRUE(registry_->Get("alpha", 1).ok());
  ASSERT_TRUE(AtomicWriteFile(file, "2\n").ok());
  EXPECT_EQ(Publish(*registry_, "alpha")->version, 3);
}

TEST_F(ModelNamesTest, RefusesToDeleteAShippedVersion) {
  const std::string shipped = folder_.File("shipped");
  AddByHand(shipped, "beta", 1);
  const auto registry = Open(LoadFake, {shipped});
  EXPECT_TRUE(absl::IsFailedPrecondition(registry->Delete("beta", 1)));
  EXPECT_TRUE(registry->Get("beta", 1).ok());
}

TEST_F(ModelNamesTest, ReportsAnAliasFileWithoutANumber) {
  ASSERT_TRUE(registry_->SetAlias("alpha", "production", 1).ok());
  ASSERT_TRUE(AtomicWriteFile(models_ + "/.aliases/alpha/production", "two").ok());
  const absl::Status status = registry_->Resolve(Production()).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("got \"two\""));
}

}  // namespace
}  // namespace vrp::test
