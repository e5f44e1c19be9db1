#include "core/base/file.h"

#include <sys/stat.h>

#include <filesystem>

#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using test::TempFolder;

size_t CountFiles(const TempFolder& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(FileTest, ReadsBackWhatWasWrittenByteForByte) {
  const TempFolder folder;
  std::string content(3'000'000, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31);
  for (const std::string& text : {std::string(), std::string("a\n\0b", 4), content}) {
    ASSERT_TRUE(AtomicWriteFile(folder.File("x"), text).ok());
    const absl::StatusOr<std::string> read = ReadFile(folder.File("x"));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == text);
  }
  EXPECT_EQ(CountFiles(folder), 1u);
}

TEST(FileTest, NamesMissingFilesAndRefusesFolders) {
  const TempFolder folder;
  const absl::Status missing = ReadFile(folder.File("none")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(missing.message().find(folder.File("none")), std::string::npos);
  EXPECT_EQ(ReadFile(folder.path()).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(FileTest, RejectsOnlyFilesAboveTheLimit) {
  const TempFolder folder;
  ASSERT_TRUE(AtomicWriteFile(folder.File("x"), "12345").ok());
  EXPECT_TRUE(ReadFile(folder.File("x"), 5).ok());
  EXPECT_EQ(ReadFile(folder.File("x"), 4).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReadFile("/dev/zero", 1000).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(FileTest, KeepsTheOldFileAndNoTemporaryOneWhenAWriteFails) {
  const TempFolder folder;
  ASSERT_TRUE(EnsureDirectory(folder.File("taken")).ok());
  ASSERT_TRUE(AtomicWriteFile(folder.File("taken/inside"), "old").ok());
  EXPECT_FALSE(AtomicWriteFile(folder.File("taken"), "new").ok());  // cannot replace a folder
  EXPECT_EQ(*ReadFile(folder.File("taken/inside")), "old");
  EXPECT_EQ(CountFiles(folder), 1u);
  EXPECT_EQ(AtomicWriteFile(folder.File("none/x"), "new").code(), absl::StatusCode::kNotFound);
}

TEST(FileTest, CreatesParentFoldersAndRejectsAFileInTheWay) {
  const TempFolder folder;
  EXPECT_TRUE(EnsureDirectory(folder.File("a/b/c")).ok());
  EXPECT_TRUE(EnsureDirectory(folder.File("a/b/c")).ok());
  ASSERT_TRUE(AtomicWriteFile(folder.File("file"), "").ok());
  const absl::Status status = EnsureDirectory(folder.File("file"));
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("file"), std::string::npos);
}

}  // namespace
}  // namespace vrp
