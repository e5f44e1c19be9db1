// Tests uploaded datasets of a running daemon.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "core/problem/formats/json/json_writer.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/testing/instance_builder.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns `count` instances as JSON lines.
std::string Lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    text += WriteJson(AnInstance().WithCustomers(3 + i).Seed(static_cast<uint64_t>(i)).Build());
    text += "\n";
  }
  return text;
}

v1::UploadDatasetRequest Header(const std::string& name, int64_t bytes = 0) {
  v1::UploadDatasetRequest message;
  message.mutable_header()->set_name(name);
  message.mutable_header()->set_file_name("own.jsonl");
  message.mutable_header()->set_size_bytes(bytes);
  return message;
}

v1::UploadDatasetRequest Chunk(const std::string& text) {
  v1::UploadDatasetRequest message;
  message.set_chunk(text);
  return message;
}

class DatasetServiceTest : public DaemonTest {
 protected:
  void Open() {
    Start(std::make_unique<FakeTrainer>(5, /*hold_at=*/3));
    datasets_ = v1::DatasetService::NewStub(channel_);
    training_ = v1::TrainingService::NewStub(channel_);
  }
  grpc::Status Upload(const std::vector<v1::UploadDatasetRequest>& messages) {
    Context context;
    dataset_.Clear();
    const auto writer = datasets_->UploadDataset(&context, &dataset_);
    for (const v1::UploadDatasetRequest& message : messages) {
      if (!writer->Write(message)) break;
    }
    writer->WritesDone();
    return writer->Finish();
  }
  std::vector<std::string> Names() {
    Context context;
    v1::ListDatasetsResponse response;
    EXPECT_TRUE(datasets_->ListDatasets(&context, {}, &response).ok());
    std::vector<std::string> names;
    for (const v1::Dataset& dataset : response.datasets()) names.push_back(dataset.name());
    return names;
  }
  grpc::Status Get(const std::string& name) {
    Context context;
    v1::GetDatasetRequest request;
    request.set_name(name);
    dataset_.Clear();
    return datasets_->GetDataset(&context, request, &dataset_);
  }
  grpc::Status Delete(const std::string& name) {
    Context context;
    v1::DeleteDatasetRequest request;
    request.set_name(name);
    v1::DeleteDatasetResponse response;
    return datasets_->DeleteDataset(&context, request, &response);
  }
  grpc::Status Train(const std::string& dataset, bool validate_only = false) {
    Context context;
    v1::CreateTrainingJobRequest request;
    request.mutable_spec()->set_config_yaml("name: tiny\nproblem: {instances: " + dataset + "}\n");
    request.mutable_spec()->set_config_name("tiny.yaml");
    request.set_validate_only(validate_only);
    return training_->CreateTrainingJob(&context, request, &job_);
  }
  // A client may read its status shortly before the server has removed the upload.
  bool StagingBecomesEmpty() const {
    const std::string staging = folder_.path() + "/state/datasets/.staging";
    for (int waits = 0; waits < 1000 && !std::filesystem::is_empty(staging); ++waits) {
      absl::SleepFor(absl::Milliseconds(10));
    }
    return std::filesystem::is_empty(staging);
  }

  std::unique_ptr<v1::DatasetService::Stub> datasets_;
  std::unique_ptr<v1::TrainingService::Stub> training_;
  v1::Dataset dataset_;
  v1::TrainingJob job_;
};

TEST_F(DatasetServiceTest, StoresAnUpload) {
  Open();
  const std::string text = Lines(3);
  ASSERT_TRUE(Upload({Header("depot7", std::ssize(text)), Chunk(text.substr(0, 50)),
                      Chunk(text.substr(50))})
                  .ok());
  EXPECT_EQ(dataset_.name(), "datasets/depot7");
  EXPECT_EQ(dataset_.instance_count(), 3);
  EXPECT_EQ(dataset_.size_bytes(), std::ssize(text));
  EXPECT_THAT(dataset_.problem_types(), ElementsAre(v1::PROBLEM_TYPE_CVRP));
  EXPECT_EQ(dataset_.min_customers(), 4);
  EXPECT_EQ(dataset_.max_customers(), 6);
  EXPECT_EQ(dataset_.instances_with_tours(), 0);
  Open();
  EXPECT_THAT(Names(), ElementsAre("datasets/depot7"));
  ASSERT_TRUE(Get("datasets/depot7").ok());
  EXPECT_EQ(dataset_.sha256().size(), 64u);
  EXPECT_EQ(Upload({Header("depot7"), Chunk(text)}).error_code(), grpc::OK);
  const grpc::Status taken = Upload({Header("depot7"), Chunk(Lines(2))});
  EXPECT_EQ(taken.error_code(), grpc::ALREADY_EXISTS);
  EXPECT_THAT(taken.error_message(), HasSubstr("choose another name"));
  EXPECT_TRUE(Delete("datasets/depot7").ok());
  EXPECT_EQ(Get("datasets/depot7").error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(Delete("datasets/depot7").error_code(), grpc::NOT_FOUND);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DatasetServiceTest, NamesEachBadLineAndStoresNothing) {
  Open();
  const grpc::Status status = Upload(
      {Header("depot7"), Chunk(Lines(1) + "{}\n" + Lines(1)), Chunk("{\"kind\": 7}\n" + Lines(1))});
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  const auto details = BadRequestOf(status);
  ASSERT_EQ(details.field_violations_size(), 2);
  EXPECT_EQ(details.field_violations(0).field(), "own.jsonl:2");
  EXPECT_EQ(details.field_violations(1).field(), "own.jsonl:4");
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_TRUE(StagingBecomesEmpty());
}

TEST_F(DatasetServiceTest, RefusesMessagesOutOfOrderOrTooLarge) {
  Open();
  const auto field = [&](const std::vector<v1::UploadDatasetRequest>& messages) {
    const grpc::Status status = Upload(messages);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
    return FieldOf(status);
  };
  EXPECT_EQ(field({}), "header");
  EXPECT_EQ(field({Chunk("{}")}), "header");
  EXPECT_EQ(field({Header("a"), Header("a")}), "header");
  EXPECT_EQ(field({v1::UploadDatasetRequest()}), "part");
  EXPECT_EQ(field({Header("../a")}), "header.name");
  EXPECT_EQ(field({Header("a", -1)}), "header.size_bytes");
  EXPECT_EQ(field({Header("a"), Chunk(std::string((1 << 20) + 1, ' '))}), "chunk");
  EXPECT_EQ(field({Header("a")}), "own.jsonl");  // the file has no instance
  v1::UploadDatasetRequest odd = Header("a");
  odd.mutable_header()->set_file_name("own\n.jsonl");
  EXPECT_EQ(field({odd}), "header.file_name");
  EXPECT_EQ(Get("datasets/a/b").error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(Delete("a").error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_TRUE(StagingBecomesEmpty());
}

TEST_F(DatasetServiceTest, CountsDatasetsInTheQuota) {
  vrpd_.state_quota_mb = 1;
  Open();
  const grpc::Status announced = Upload({Header("depot7", 2'000'000)});
  EXPECT_EQ(announced.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(announced.error_message(), HasSubstr("MB more are needed"));
  std::string text;
  while (text.size() < 600'000) text += Lines(1);
  EXPECT_TRUE(Upload({Header("depot7"), Chunk(text)}).ok());
  const grpc::Status full = Upload({Header("depot8"), Chunk(text)});
  EXPECT_EQ(full.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("datasets 1.2 MB"));
  EXPECT_THAT(Names(), ElementsAre("datasets/depot7"));
}

TEST_F(DatasetServiceTest, KeepsDatasetsOfTrainingJobs) {
  Open();
  const grpc::Status missing = Train("datasets/depot7", /*validate_only=*/true);
  EXPECT_EQ(missing.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_THAT(missing.error_message(), HasSubstr("problem.instances: got \"datasets/depot7\""));
  EXPECT_EQ(Train("datasets/depot7").error_code(), grpc::INVALID_ARGUMENT);
  ASSERT_TRUE(Upload({Header("depot7"), Chunk(Lines(2))}).ok());
  EXPECT_TRUE(Train("datasets/depot7", /*validate_only=*/true).ok());
  ASSERT_TRUE(Train("datasets/depot7").ok());
  const grpc::Status in_use = Delete("datasets/depot7");
  EXPECT_EQ(in_use.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(in_use.error_message(), HasSubstr(job_.name()));
}

TEST_F(DatasetServiceTest, AcceptsDatasetsEvenIfFilesAreRestricted) {
  vrpd_.data_dirs = {folder_.path() + "/data"};
  Open();
  ASSERT_TRUE(Upload({Header("depot7"), Chunk(Lines(2))}).ok());
  EXPECT_TRUE(Train("datasets/depot7", /*validate_only=*/true).ok());
  EXPECT_THAT(Train("/etc/own.jsonl", true).error_message(), HasSubstr("data_dirs"));
}

}  // namespace
}  // namespace vrp::test
