#include "core/registry/version_lists.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/fake_model.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class VersionListsTest : public ::testing::Test {
 protected:
  void Add(const std::string& root, int32_t version) {
    fs::create_directories(Concat(root, "/alpha/", version));
  }
  // Sets the folder's modification time to a minute ago.
  static void BackdateFolder(const std::string& root) {
    fs::last_write_time(root + "/alpha",
                        fs::file_time_type::clock::now() - std::chrono::minutes(1));
  }

  TempFolder folder_;
  const std::string own_ = folder_.File("own");
  const std::string shipped_ = folder_.File("shipped");
  int list_calls_ = 0;
  VersionLists lists_{{own_, shipped_}, [this](const std::string& root, std::string_view name) {
                        ++list_calls_;
                        return ListVersionNumbers(root, name);
                      }};
};

TEST_F(VersionListsTest, ListsVersionsOfAllFoldersNewestFirst) {
  for (const int32_t version : {1, 10, 2}) Add(own_, version);
  for (const int32_t version : {3, 2}) Add(shipped_, version);
  EXPECT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(10, 3, 2, 1));
  EXPECT_THAT(lists_.VersionsOf("beta").all, IsEmpty());
}

TEST_F(VersionListsTest, DoesNotReadAnUnchangedFolderAgain) {
  Add(shipped_, 1);
  BackdateFolder(shipped_);
  for (int i = 0; i < 100; ++i) ASSERT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(1));
  EXPECT_EQ(list_calls_, 2);
}

TEST_F(VersionListsTest, DetectsAddedAndRemovedVersionsAtOnce) {
  Add(shipped_, 1);
  BackdateFolder(shipped_);
  for (int32_t version = 2; version < 200; ++version) {
    ASSERT_EQ(lists_.VersionsOf("alpha").all.front(), version - 1);
    Add(version % 3 == 0 ? own_ : shipped_, version);
    ASSERT_EQ(lists_.VersionsOf("alpha").all.front(), version);
    fs::remove(Concat(version % 3 == 0 ? own_ : shipped_, "/alpha/", version));
    ASSERT_EQ(lists_.VersionsOf("alpha").all.front(), version - 1);
    Add(own_, version);
    if (version % 50 == 0) BackdateFolder(own_);
  }
  fs::remove_all(own_);
  fs::remove_all(shipped_);
  EXPECT_THAT(lists_.VersionsOf("alpha").all, IsEmpty());
}

TEST_F(VersionListsTest, ForgetsTheCardsOfDeletedVersions) {
  for (int32_t version = 1; version <= 20; ++version) {
    Add(own_, version);
    ASSERT_TRUE(test::WriteFakeModel(Concat(own_, "/alpha/", version), "").ok());
    ASSERT_EQ(lists_.VersionsOf("alpha").all.front(), version);
    fs::remove_all(Concat(own_, "/alpha/", version - 1));
  }
  EXPECT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(20));
  EXPECT_EQ(lists_.RememberedCards(), 1u);
}

TEST_F(VersionListsTest, DetectsAReplacedFolder) {
  Add(own_, 1);
  Add(shipped_, 2);
  BackdateFolder(own_);
  BackdateFolder(shipped_);
  EXPECT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(2, 1));
  fs::remove_all(own_);
  EXPECT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(2));
  fs::rename(shipped_, own_);
  EXPECT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(2));
  Add(shipped_, 5);
  EXPECT_THAT(lists_.VersionsOf("alpha").all, ElementsAre(5, 2));
}

}  // namespace
}  // namespace vrp
