#include "client/support/files.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(InputFiles, AreReadCompletely) {
  std::istringstream in("from stdin");
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(ReadInput(WriteTestFile("read.txt", with_nul), in).value(), with_nul);
  EXPECT_EQ(ReadInput("-", in).value(), "from stdin");
}

TEST(InputFiles, AreInvalidIfUnreadable) {
  std::istringstream in;
  EXPECT_EQ(ReadInput(TestPath("none"), in).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ReadInput(TestPath(""), in).status().message()), HasSubstr("directory"));
}

TEST(InputFiles, AreRefusedAboveTheSizeLimit) {
  std::istringstream in(std::string(static_cast<size_t>(kMaxInputBytes) + 1, 'x'));
  EXPECT_THAT(std::string(ReadInput("-", in).status().message()), HasSubstr("more than"));
}

TEST(InputFiles, HaveABaseName) {
  EXPECT_EQ(BaseName("a/b/city.vrp"), "city.vrp");
  EXPECT_EQ(BaseName("city.vrp"), "city.vrp");
  EXPECT_EQ(BaseName("-"), "stdin");
}

TEST(OutputFiles, AppearOnlyWhenComplete) {
  const std::string path = TestPath("complete.txt");
  {
    OutputFile file = OutputFile::Create(path).value();
    ASSERT_TRUE(file.Write("half").ok());
    EXPECT_EQ(ReadTestFile(path), "<missing>");
    ASSERT_TRUE(file.Write(" whole").ok());
    ASSERT_TRUE(file.Commit().ok());
  }
  EXPECT_EQ(ReadTestFile(path), "half whole");
  EXPECT_THAT(TestFilesWithPrefix("complete.txt"), ElementsAre("complete.txt"));
}

TEST(OutputFiles, KeepTheOldContentWithoutCommit) {
  const std::string path = WriteTestFile("kept.txt", "old");
  { ASSERT_TRUE(OutputFile::Create(path).value().Write(std::string(200'000, 'x')).ok()); }
  EXPECT_EQ(ReadTestFile(path), "old");
  EXPECT_THAT(TestFilesWithPrefix("kept.txt"), ElementsAre("kept.txt"));
}

TEST(OutputFiles, ReportAMissingFolder) {
  EXPECT_THAT(std::string(WriteFile(TestPath("none/x"), "x").message()), HasSubstr("No such file"));
}

TEST(OutputFiles, MayBeDevices) {
  EXPECT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_EQ(ReadTestFile("/dev/null"), "");
}

TEST(OutputFiles, ReportAFullDisk) {
  EXPECT_THAT(std::string(WriteFile("/dev/full", "x").message()), HasSubstr("No space left"));
}

}  // namespace
}  // namespace vrp::client
