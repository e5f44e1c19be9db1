// Tests datasets on disk.
#include "core/registry/dataset_store.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class DatasetStoreTest : public testing::Test {
 protected:
  std::unique_ptr<DatasetStore> Open(int32_t max_count = 10) {
    auto store = DatasetStore::Create({.directory = Folder(), .max_count = max_count});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  std::string Folder() const { return folder_.path() + "/datasets"; }

  static absl::StatusOr<StoredDataset> Put(DatasetStore& store, const std::string& name,
                                           const std::string& content,
                                           int64_t announced_bytes = 0) {
    absl::StatusOr<std::unique_ptr<DatasetUpload>> upload = store.Begin(name, announced_bytes);
    if (!upload.ok()) return upload.status();
    for (const char c : content) {
      const absl::Status added = (*upload)->Add(std::string(1, c));
      if (!added.ok()) return added;
    }
    return (*upload)->Finish({.instances = 2,
                              .kinds = {ProblemKind::kTsp, ProblemKind::kVrptw},
                              .min_customers = 3,
                              .max_customers = 9,
                              .with_tours = 1,
                              .with_reference_cost = 2,
                              .feature_columns = {"early", "wear"},
                              .pointer_refusal = "own.jsonl:2: why"});
  }

  test::TempFolder folder_;
};

TEST_F(DatasetStoreTest, KeepsDatasetsAcrossARestart) {
  const absl::StatusOr<StoredDataset> stored = Put(*Open(), "depot7", "a\nb\n");
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->name, "datasets/depot7");
  EXPECT_EQ(stored->bytes, 4);
  const auto store = Open();
  EXPECT_EQ(*store->Get("datasets/depot7"), *stored);
  EXPECT_THAT(store->List(), ElementsAre(*stored));
  EXPECT_EQ(*ReadFile(*store->ContentPath("datasets/depot7")), "a\nb\n");
}

TEST_F(DatasetStoreTest, StoresTheSameContentOnceAndRefusesOtherContent) {
  const auto store = Open();
  const StoredDataset once = *Put(*store, "depot7", "a\n");
  EXPECT_EQ(*Put(*store, "depot7", "a\n", 2), once);
  for (const char* other : {"b\n", "abc"}) {
    const absl::Status taken = Put(*store, "depot7", other, 0).status();
    EXPECT_EQ(taken.code(), absl::StatusCode::kAlreadyExists);
    EXPECT_THAT(std::string(taken.message()), HasSubstr("vrpctl datasets delete datasets/depot7"));
  }
  // The announced size alone causes the refusal.
  EXPECT_EQ(store->Begin("depot7", 3).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(store->List(), ElementsAre(once));
}

TEST_F(DatasetStoreTest, DiscardsAnUnfinishedUpload) {
  const auto store = Open();
  {
    const auto upload = *store->Begin("depot7", 0);
    ASSERT_TRUE(upload->Add("abc").ok());
    EXPECT_THAT(store->List(), IsEmpty());
  }
  EXPECT_TRUE(std::filesystem::is_empty(Folder() + "/.staging"));
  EXPECT_EQ(store->Get("datasets/depot7").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DatasetStoreTest, RemovesUnfinishedUploadsAfterACrash) {
  Open();
  std::filesystem::create_directory(Folder() + "/.staging/left");
  Open();
  EXPECT_TRUE(std::filesystem::is_empty(Folder() + "/.staging"));
}

TEST_F(DatasetStoreTest, DeletesDatasets) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "depot7", "a\n").ok());
  EXPECT_TRUE(store->Delete("datasets/depot7").ok());
  EXPECT_EQ(store->Delete("datasets/depot7").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(store->List(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(Folder() + "/.staging"));
  EXPECT_TRUE(Put(*store, "depot7", "other").ok());
}

TEST_F(DatasetStoreTest, RefusesInvalidNames) {
  const auto store = Open();
  for (const char* name :
       {"", "datasets/", "depot7", "datasets/../x", "datasets/a.b", "models/x"}) {
    EXPECT_EQ(store->Get(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(store->Delete(name).code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(store->ContentPath(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_THAT(std::string(store->Begin("../x", 0).status().message()),
              HasSubstr("header.name: got"));
}

TEST_F(DatasetStoreTest, RefusesDatasetsBeyondTheLimit) {
  const auto store = Open(/*max_count=*/1);
  ASSERT_TRUE(Put(*store, "first", "a").ok());
  EXPECT_EQ(Put(*store, "second", "b").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Put(*store, "first", "a").ok());
  EXPECT_THAT(std::string(store->Begin("x", kMaxDatasetBytes + 1).status().message()),
              HasSubstr("header.size_bytes: got 1073741825"));
}

TEST_F(DatasetStoreTest, RefusesDatasetsBeyondTheQuota) {
  int64_t requested_bytes = 0;
  const auto store =
      *DatasetStore::Create({.directory = Folder(), .check_space = [&](int64_t bytes) {
                               requested_bytes = bytes;
                               return absl::ResourceExhaustedError("full");
                             }});
  EXPECT_EQ(store->Begin("depot7", 77).status().message(), "full");
  EXPECT_EQ(requested_bytes, 77);
  EXPECT_TRUE(std::filesystem::is_empty(Folder() + "/.staging"));
}

TEST_F(DatasetStoreTest, RefusesDamagedContentUntilTheNextUpload) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "depot7", "abcd").ok());
  std::ofstream(Folder() + "/depot7/instances.jsonl") << "abXd";
  const absl::Status damaged = store->ContentPath("datasets/depot7").status();
  EXPECT_EQ(damaged.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(damaged.message()), HasSubstr("upload it again"));
  ASSERT_TRUE(Put(*store, "depot7", "abcd").ok());
  EXPECT_TRUE(store->ContentPath("datasets/depot7").ok());
}

TEST_F(DatasetStoreTest, DoesNotReplaceADatasetThatCannotBeRead) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "depot7", "abcd").ok());
  for (const char* file : {"/depot7/instances.jsonl", "/depot7/dataset.json"}) {
    const std::string path = Folder() + file;
    // A folder in place of the file can be opened but not read.
    std::filesystem::rename(path, path + ".away");
    std::filesystem::create_directory(path);
    const absl::Status refused = Put(*store, "depot7", "abcd").status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("cannot be read now; try again"));
    EXPECT_EQ(store->ContentPath("datasets/depot7").status().code(),
              absl::StatusCode::kUnavailable);
    std::filesystem::remove(path);
    std::filesystem::rename(path + ".away", path);
  }
  EXPECT_TRUE(store->ContentPath("datasets/depot7").ok());
}

TEST_F(DatasetStoreTest, DoesNotReplaceADatasetOfANewerVersion) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "depot7", "abcd").ok());
  const std::string description = Folder() + "/depot7/dataset.json";
  std::string newer = *ReadFile(description);
  newer.replace(newer.find("version\": 1"), 11, "version\": 9");
  std::ofstream(description) << newer;
  EXPECT_EQ(Put(*store, "depot7", "abcd").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(*ReadFile(description), newer);
}

TEST_F(DatasetStoreTest, DescribesRequestLogsInAFormThatEarlierVersionsRefuse) {
  const auto store = Open();
  const auto upload = *store->Begin("history", 0);
  ASSERT_TRUE(upload->Add("{}").ok());
  const DatasetSummary summary = {.kind = DatasetKind::kRequestLog, .days = 3, .requests = 70};
  ASSERT_TRUE(upload->Finish(summary).ok());
  EXPECT_EQ(store->Get("datasets/history")->summary, summary);
  EXPECT_THAT(*ReadFile(Folder() + "/history/dataset.json"), HasSubstr("\"schema_version\": 2"));
  EXPECT_THAT(std::string(Put(*store, "history", "other").status().message()),
              HasSubstr("has other content already (70 requests, 2 bytes)"));
}

TEST_F(DatasetStoreTest, DescribesHistoriesInAFormThatEarlierVersionsRefuse) {
  const auto store = Open();
  const auto upload = *store->Begin("past", 0);
  ASSERT_TRUE(upload->Add("{}").ok());
  const DatasetSummary summary = {
      .kind = DatasetKind::kRouteHistory, .days = 3, .routes = 9, .stops = 70};
  ASSERT_TRUE(upload->Finish(summary).ok());
  EXPECT_EQ(store->Get("datasets/past")->summary, summary);
  EXPECT_THAT(*ReadFile(Folder() + "/past/dataset.json"), HasSubstr("\"schema_version\": 3"));
  EXPECT_THAT(std::string(Put(*store, "past", "other").status().message()),
              HasSubstr("has other content already (9 routes, 2 bytes)"));
}

TEST_F(DatasetStoreTest, RefusesADatasetOfAnotherKind) {
  StoredDataset log;
  log.name = "datasets/history";
  log.summary.kind = DatasetKind::kRequestLog;
  EXPECT_TRUE(CheckDatasetKind(log, DatasetKind::kRequestLog).ok());
  EXPECT_EQ(
      CheckDatasetKind(log, DatasetKind::kInstances),
      absl::InvalidArgumentError("got datasets/history, which is a request log, wanted instances"));
}

TEST_F(DatasetStoreTest, ReadsDescriptionsWithoutTheLeadingCounts) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "depot7", "abcd").ok());
  const std::string description = Folder() + "/depot7/dataset.json";
  std::string older = *ReadFile(description);
  for (const char* key : {"leading_with_tours", "leading_with_reference_cost"}) {
    const size_t at = older.find(Concat("  \"", key));
    ASSERT_NE(at, std::string::npos) << key;
    older.erase(at, older.find('\n', at) + 1 - at);
  }
  std::ofstream(description) << older;
  const StoredDataset read = *store->Get("datasets/depot7");
  EXPECT_EQ(read.summary.leading_with_tours, 0) << "only 1 of 2 instances has a tour";
  EXPECT_EQ(read.summary.leading_with_reference_cost, 2) << "both instances have reference costs";
}

TEST_F(DatasetStoreTest, OmitsDatasetsWithADamagedDescriptionFromTheList) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "sound", "a").ok());
  ASSERT_TRUE(Put(*store, "damaged", "b").ok());
  const std::string description = Folder() + "/damaged/dataset.json";
  const std::string before = *ReadFile(description);
  for (const std::string& text : {std::string(), std::string("[]"), before.substr(0, 40)}) {
    std::ofstream(description) << text;
    EXPECT_EQ(store->Get("datasets/damaged").status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(store->List(), ElementsAre(Field(&StoredDataset::name, "datasets/sound")));
  }
  std::string newer = before;
  newer.replace(newer.find("version\": 1"), 11, "version\": 9");
  std::ofstream(description) << newer;
  EXPECT_THAT(std::string(store->Get("datasets/damaged").status().message()),
              HasSubstr("newer vrpd"));
  EXPECT_TRUE(store->Delete("datasets/damaged").ok());
}

}  // namespace
}  // namespace vrp
