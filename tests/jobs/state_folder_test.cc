#include "core/jobs/state_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::HasSubstr;

mode_t ModeOf(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

TEST(StateFolderTest, CreatesAFolderThatOnlyItsOwnerCanRead) {
  const test::TempFolder temporary;
  const std::string path = temporary.File("a/b/state");
  const auto folder = StateFolder::Open(path + "/");
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ(ModeOf(path), 0700u);
  EXPECT_EQ(ModeOf(path + "/jobs"), 0700u);
  EXPECT_EQ(ModeOf(path + "/lock"), 0600u);
}

TEST(StateFolderTest, KeepsTheModeOfAnExistingFolder) {
  const test::TempFolder temporary;
  const std::string path = temporary.File("state");
  std::filesystem::create_directory(path);
  chmod(path.c_str(), 0755);
  ASSERT_TRUE(StateFolder::Open(path).ok());
  EXPECT_EQ(ModeOf(path), 0755u);
}

TEST(StateFolderTest, RefusesASecondHolderAndNamesTheFirstProcess) {
  const test::TempFolder temporary;
  {
    const auto first = StateFolder::Open(temporary.File("state"));
    ASSERT_TRUE(first.ok());
    const absl::Status status = StateFolder::Open(temporary.File("state")).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(Concat("another vrpd uses this state folder (process ", getpid())));
  }
  EXPECT_TRUE(StateFolder::Open(temporary.File("state")).ok()) << "the folder must be free again";
}

TEST(StateFolderTest, RefusesAFileInPlaceOfTheFolderAndAnEmptyPath) {
  const test::TempFolder temporary;
  const std::string path = temporary.File("state");
  ASSERT_TRUE(AtomicWriteFile(path, "x").ok());
  for (const std::string& wanted : {path, path + "/below"}) {
    EXPECT_THAT(StateFolder::Open(wanted).status().ToString(), HasSubstr(path));
  }
  EXPECT_FALSE(StateFolder::Open("").ok());
}

}  // namespace
}  // namespace vrp
