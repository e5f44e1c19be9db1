#include "client/support/instance_source.h"

#include <sstream>

#include "client/support/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;

// Returns "name=content" for each instance and "error" for each error.
std::vector<std::string> ReadInstances(InstanceSource& source) {
  std::vector<std::string> instances;
  while (true) {
    const absl::StatusOr<std::optional<v1::InstanceFile>> file = source.Next();
    if (!file.ok()) {
      instances.push_back("error");
    } else if (!file->has_value()) {
      return instances;
    } else {
      instances.push_back((*file)->name() + "=" + (*file)->content());
    }
  }
}

TEST(InstanceSource, ReturnsAFileAsOneInstance) {
  std::istringstream in;
  const std::string path = WriteTestFile("one.vrp", "NAME: x\nEOF\n");
  InstanceSource source = InstanceSource::Open(path, {}, in).value();
  EXPECT_FALSE(source.is_json_lines());
  EXPECT_THAT(ReadInstances(source), ElementsAre("one.vrp=NAME: x\nEOF\n"));
}

TEST(InstanceSource, ReturnsEachLineOfAJsonlFileWithItsNumber) {
  std::istringstream in;
  const std::string path = WriteTestFile("set.jsonl", "{\"a\":1}\n\n  \n{\"b\":2}\nbroken");
  InstanceSource source = InstanceSource::Open(path, {}, in).value();
  EXPECT_TRUE(source.is_json_lines());
  EXPECT_THAT(ReadInstances(source),
              ElementsAre("set.jsonl:1={\"a\":1}", "set.jsonl:4={\"b\":2}", "set.jsonl:5=broken"));
}

TEST(InstanceSource, SetsObjectiveAndMetricOfEachInstance) {
  std::istringstream in;
  const std::string path = WriteTestFile("set.jsonl", "{\"a\":1}\n");
  InstanceSource source =
      InstanceSource::Open(path, {.objective = "vehicles_then_distance", .metric = "dimacs"}, in)
          .value();
  const v1::InstanceFile file = **source.Next();
  EXPECT_EQ(file.format(), v1::INSTANCE_FORMAT_JSON);
  EXPECT_EQ(file.objective(), v1::OBJECTIVE_VEHICLES_THEN_DISTANCE);
  EXPECT_EQ(file.metric(), v1::METRIC_DIMACS);
  EXPECT_FALSE(InstanceSource::Open(path, {.metric = "inches"}, in).ok());
}

TEST(InstanceSource, ReadsJsonLinesFromStandardInput) {
  std::istringstream in("{\"a\":1}\n{\"b\":2}\n");
  InstanceSource source = InstanceSource::Open("-", {}, in).value();
  EXPECT_TRUE(source.is_json_lines());
  EXPECT_THAT(ReadInstances(source), ElementsAre("stdin:1={\"a\":1}", "stdin:2={\"b\":2}"));
}

TEST(InstanceSource, ReadsOneInstanceFromStandardInput) {
  for (const std::string content : {"{\n\"a\":1}\n", "{\"a\":1}\n", "NAME: x\nEOF\n"}) {
    std::istringstream in(content);
    InstanceSource source = InstanceSource::Open("-", {}, in).value();
    EXPECT_FALSE(source.is_json_lines()) << content;
    EXPECT_THAT(ReadInstances(source), ElementsAre("stdin=" + content));
  }
}

TEST(InstanceSource, ReadsOneLineAsJsonLinesWithFormatJsonl) {
  std::istringstream in("{\"a\":1}\n");
  EXPECT_TRUE(InstanceSource::Open("-", {.format = "jsonl"}, in).value().is_json_lines());
}

TEST(InstanceSource, ContinuesAfterATooLongLine) {
  std::istringstream in(std::string(static_cast<size_t>(kMaxInputBytes) + 1, 'x') + "\n{}\n");
  InstanceSource source = InstanceSource::Open("-", {.format = "jsonl"}, in).value();
  EXPECT_THAT(ReadInstances(source), ElementsAre("error", "stdin:2={}"));
}

TEST(InstanceSource, IsEmptyForAnEmptyJsonlFile) {
  std::istringstream in;
  InstanceSource source = InstanceSource::Open(WriteTestFile("empty.jsonl", ""), {}, in).value();
  EXPECT_THAT(ReadInstances(source), ElementsAre());
}

TEST(InstanceSource, RefusesMissingFilesAndUnknownFormats) {
  std::istringstream in;
  EXPECT_EQ(InstanceSource::Open(TestPath("none.vrp"), {}, in).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(InstanceSource::Open("-", {.format = "csv"}, in).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace vrp::client
