// Tests names of datasets, and lines that arrive in pieces.
#include "core/train/config/data_files.h"

#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/train/data/json_lines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DatasetNameTest, IsDistinguishedFromAPath) {
  EXPECT_TRUE(IsDataset("datasets/depot7"));
  EXPECT_TRUE(IsDataset("datasets/7-north_A"));
  for (const char* path : {"", "datasets/", "datasets/own.jsonl", "./datasets/depot7",
                           "/datasets/depot7", "datasets/../x", "datasets/a/b", "datasets/-a"}) {
    EXPECT_FALSE(IsDataset(path)) << path;
  }
  EXPECT_FALSE(CheckDatasetName(std::string(65, 'a')).ok());
}

TEST(NamedDataTest, NamesTheKeyOfEachFile) {
  TrainingConfig config;
  config.problem.instances = {"a.jsonl", "datasets/b"};
  config.validation.file = "c.jsonl";
  std::vector<std::string> named;
  for (const NamedData& data : NamedDataOf(config)) named.push_back(data.key + "=" + data.name);
  EXPECT_THAT(named, ElementsAre("problem.instances=a.jsonl", "problem.instances=datasets/b",
                                 "validation.file=c.jsonl"));
}

TEST(DataReadByTest, ListsTheLabelFileOnlyIfItIsRead) {
  TrainingConfig config;
  config.supervised.label_file = "labels.jsonl";
  EXPECT_EQ(NamedDataOf(config).size(), 1u);
  EXPECT_THAT(DataReadBy(config), testing::IsEmpty());
  config.supervised.labels = LabelSource::kFile;
  EXPECT_THAT(DataReadBy(config), testing::IsEmpty()) << "another method reads no labels";
  config.method = TrainingMethod::kSupervised;
  EXPECT_THAT(DataReadBy(config), ElementsAre(testing::Field(&NamedData::name, "labels.jsonl")));
}

// Returns the numbered lines of `text`, which arrives in pieces of `size` bytes.
std::vector<std::string> LinesOf(const std::string& text, size_t size) {
  std::vector<std::string> lines;
  const auto take = [&lines](std::string_view line, int64_t number) -> absl::StatusOr<bool> {
    lines.push_back(std::to_string(number) + ":" + std::string(line));
    return true;
  };
  LineSplitter splitter;
  for (size_t at = 0; at < text.size(); at += size) {
    EXPECT_TRUE(splitter.Add(text.substr(at, size), take).ok());
  }
  EXPECT_TRUE(splitter.Finish(take).ok());
  return lines;
}

TEST(LineSplitterTest, GivesTheSameLinesForAnyPieces) {
  for (size_t size = 1; size < 12; ++size) {
    EXPECT_THAT(LinesOf("ab\n\n cd\n  \nef", size), ElementsAre("1:ab", "3: cd", "5:ef")) << size;
  }
}

TEST(LineSplitterTest, StopsWhenNoMoreLinesAreWanted) {
  int taken = 0;
  const auto first = [&taken](std::string_view, int64_t) -> absl::StatusOr<bool> {
    return ++taken < 2;
  };
  LineSplitter splitter;
  EXPECT_FALSE(*splitter.Add("a\nb\nc\n", first));
  EXPECT_EQ(taken, 2);
}

TEST(LineSplitterTest, RefusesATooLongLine) {
  const auto ignore = [](std::string_view, int64_t) -> absl::StatusOr<bool> { return true; };
  LineSplitter splitter;
  const std::string piece(size_t{kMaxLineBytes} / 2 + 1, 'x');
  EXPECT_TRUE(splitter.Add(piece, ignore).ok());
  EXPECT_THAT(std::string(splitter.Add(piece, ignore).status().message()),
              HasSubstr("line 1: has more than 33554432 bytes"));
}

TEST(ForEachLineTest, NamesTheFileOfATooLongLine) {
  const test::TempFolder folder;
  const DataFile file(folder.File("own.jsonl"), "data/own.jsonl");
  ASSERT_TRUE(
      AtomicWriteFile(file.path, "{}\n" + std::string(size_t{kMaxLineBytes} + 1, 'x')).ok());
  const auto all = [](std::string_view, int64_t) -> absl::StatusOr<bool> { return true; };
  EXPECT_EQ(ForEachLine(file, all).message(),
            "data/own.jsonl: line 2: has more than 33554432 bytes, the limit of a line");
  const auto none = [](std::string_view, int64_t) -> absl::StatusOr<bool> {
    return absl::DataLossError("own.jsonl:1: damaged");
  };
  EXPECT_EQ(ForEachLine(file, none), absl::DataLossError("own.jsonl:1: damaged"));
}

}  // namespace
}  // namespace vrp
