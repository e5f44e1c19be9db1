#include "client/connection/rpc_client.h"

#include <grpcpp/grpcpp.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "client/connection/request_id.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::client {
namespace {

using Datasets = v1::DatasetService::Stub;

// A service with an RPC of each kind. It records the token and the deadline of the last call.
class RecordingDatasets : public v1::DatasetService::Service {
 public:
  grpc::Status GetDataset(grpc::ServerContext* context, const v1::GetDatasetRequest* request,
                          v1::Dataset* response) override {
    Record(*context);
    if (request->name() == "slow") {
      slow_call_began_.Notify();
      while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
    }
    if (request->name() == "missing") return NotFound(*context);
    response->set_name(request->name());
    return grpc::Status::OK;
  }

  grpc::Status GenerateInstances(
      grpc::ServerContext* context, const v1::GenerateInstancesRequest* request,
      grpc::ServerWriter<v1::GenerateInstancesResponse>* writer) override {
    Record(*context);
    for (int64_t i = 0; i < request->instance_count(); ++i) {
      v1::GenerateInstancesResponse response;
      response.mutable_file()->set_name(absl::StrCat(i));
      if (!writer->Write(response)) return grpc::Status::CANCELLED;
    }
    return request->seed() == 13 ? NotFound(*context) : grpc::Status::OK;
  }

  grpc::Status UploadDataset(grpc::ServerContext* context,
                             grpc::ServerReader<v1::UploadDatasetRequest>* reader,
                             v1::Dataset* response) override {
    Record(*context);
    std::string content;
    for (v1::UploadDatasetRequest message; reader->Read(&message);) {
      if (message.chunk() == "bad") return NotFound(*context);
      absl::StrAppend(&content, message.chunk());
    }
    response->set_name(content);
    return grpc::Status::OK;
  }

  // Returns the authorization metadata of the last call, or an empty text.
  std::string authorization() const { return authorization_; }
  // Returns the time from the last call to its deadline, or nullopt without a deadline.
  std::optional<absl::Duration> time_left() const { return time_left_; }
  // Returns a notification that is set once a call for the dataset "slow" has begun.
  absl::Notification& slow_call_began() { return slow_call_began_; }

 private:
  void Record(const grpc::ServerContext& context) {
    const auto token = context.client_metadata().find("authorization");
    authorization_ = token == context.client_metadata().end()
                         ? ""
                         : std::string(token->second.data(), token->second.size());
    const gpr_timespec deadline = context.raw_deadline();
    time_left_ = std::nullopt;
    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return;
    const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
    time_left_ = absl::Seconds(left.tv_sec) + absl::Nanoseconds(left.tv_nsec);
  }

  static grpc::Status NotFound(grpc::ServerContext& context) {
    context.AddTrailingMetadata("x-request-id", "r17");
    google::rpc::ErrorInfo info;
    info.set_domain("vrp");
    google::rpc::Status details;
    details.add_details()->PackFrom(info);
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such dataset",
                        details.SerializeAsString());
  }

  std::string authorization_;
  std::optional<absl::Duration> time_left_;
  absl::Notification slow_call_began_;
};

class RpcClientTest : public testing::Test {
 protected:
  RpcClientTest() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&datasets_);
    server_ = builder.BuildAndStart();
    client_.emplace(Connection{.remote = absl::StrCat("127.0.0.1:", port_), .token = "secret"});
  }
  ~RpcClientTest() override { server_->Shutdown(); }

  absl::StatusOr<v1::Dataset> Get(const std::string& name,
                                  absl::Duration timeout = kLookupTimeout) {
    v1::GetDatasetRequest request;
    request.set_name(name);
    return client_->Call(&Datasets::GetDataset, request, timeout);
  }

  absl::Status Generate(int64_t count, size_t max_names, std::vector<std::string>& names,
                        uint64_t seed = 0) {
    v1::GenerateInstancesRequest request;
    request.set_instance_count(count);
    request.set_seed(seed);
    return client_->Stream(&Datasets::GenerateInstances, request,
                           [&](const v1::GenerateInstancesResponse& response) {
                             names.push_back(response.file().name());
                             return names.size() < max_names;
                           });
  }

  absl::StatusOr<v1::Dataset> Upload(std::vector<absl::StatusOr<std::string>> chunks) {
    size_t sent = 0;
    return client_->Upload(&Datasets::UploadDataset,
                           [&]() -> absl::StatusOr<std::optional<v1::UploadDatasetRequest>> {
                             if (sent == chunks.size()) return std::nullopt;
                             const absl::StatusOr<std::string>& chunk = chunks[sent++];
                             if (!chunk.ok()) return chunk.status();
                             v1::UploadDatasetRequest message;
                             message.set_chunk(*chunk);
                             return message;
                           });
  }

  RecordingDatasets datasets_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::optional<RpcClient> client_;
};

// Expects the error of RecordingDatasets with its details and request id.
void ExpectNotFound(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no such dataset");
  EXPECT_EQ(status.GetPayload(kRequestIdUrl), absl::Cord("r17"));
  EXPECT_TRUE(status.GetPayload("type.googleapis.com/google.rpc.ErrorInfo").has_value());
}

TEST_F(RpcClientTest, ReturnsTheResponseOfAUnaryCall) {
  const absl::StatusOr<v1::Dataset> dataset = Get("datasets/a");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->name(), "datasets/a");
}

TEST_F(RpcClientTest, SendsTheTokenWithEveryKindOfCall) {
  std::vector<std::string> names;
  ASSERT_TRUE(Get("a").ok());
  EXPECT_EQ(datasets_.authorization(), "Bearer secret");
  client_.emplace(Connection{.remote = client_->remote(), .token = "other"});
  ASSERT_TRUE(Generate(1, 2, names).ok());
  EXPECT_EQ(datasets_.authorization(), "Bearer other");
  client_.emplace(Connection{.remote = client_->remote(), .token = "third"});
  ASSERT_TRUE(Upload({"a"}).ok());
  EXPECT_EQ(datasets_.authorization(), "Bearer third");
  client_.emplace(Connection{.remote = client_->remote()});
  ASSERT_TRUE(Get("a").ok());
  EXPECT_EQ(datasets_.authorization(), "");
}

TEST_F(RpcClientTest, SetsADefaultDeadlineForUnaryCallsOnly) {
  std::vector<std::string> names;
  ASSERT_TRUE(Get("a").ok());
  ASSERT_TRUE(datasets_.time_left().has_value());
  EXPECT_GT(*datasets_.time_left(), absl::Seconds(20));
  EXPECT_LE(*datasets_.time_left(), kLookupTimeout + absl::Seconds(1));
  ASSERT_TRUE(Get("a", kLoadTimeout).ok());
  EXPECT_GT(*datasets_.time_left(), absl::Minutes(4));
  ASSERT_TRUE(Generate(1, 2, names).ok());
  EXPECT_FALSE(datasets_.time_left().has_value());
  ASSERT_TRUE(Upload({"a"}).ok());
  EXPECT_FALSE(datasets_.time_left().has_value());
  ASSERT_TRUE(Get("a", absl::InfiniteDuration()).ok());
  EXPECT_FALSE(datasets_.time_left().has_value());
}

TEST_F(RpcClientTest, EndsACallAtItsDeadline) {
  EXPECT_EQ(Get("slow", absl::Milliseconds(50)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(RpcClientTest, ReturnsDetailsAndRequestIdOfErrorsInEachKindOfCall) {
  std::vector<std::string> names;
  ExpectNotFound(Get("missing").status());
  ExpectNotFound(Generate(2, 5, names, /*seed=*/13));
  EXPECT_EQ(names.size(), 2u);
  ExpectNotFound(Upload({"a", "bad"}).status());
}

TEST_F(RpcClientTest, PassesEveryMessageOfAStream) {
  std::vector<std::string> names;
  EXPECT_TRUE(Generate(3, 10, names).ok());
  EXPECT_THAT(names, testing::ElementsAre("0", "1", "2"));
}

TEST_F(RpcClientTest, StopsAStreamWithoutAnErrorWhenReceiveReturnsFalse) {
  std::vector<std::string> names;
  EXPECT_TRUE(Generate(1'000'000, 2, names).ok());
  EXPECT_THAT(names, testing::ElementsAre("0", "1"));
}

TEST_F(RpcClientTest, UploadsEveryMessage) {
  const absl::StatusOr<v1::Dataset> dataset = Upload({"a", "b", "c"});
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->name(), "abc");
}

TEST_F(RpcClientTest, ReturnsTheErrorOfAnUploadsSource) {
  EXPECT_EQ(Upload({"a", absl::InvalidArgumentError("cannot be read")}).status(),
            absl::InvalidArgumentError("cannot be read"));
}

TEST_F(RpcClientTest, CancelEndsActiveAndLaterCalls) {
  std::thread canceller([&] {
    datasets_.slow_call_began().WaitForNotification();
    client_->Cancel();
  });
  EXPECT_EQ(Get("slow").status().code(), absl::StatusCode::kCancelled);
  canceller.join();
  std::vector<std::string> names;
  EXPECT_EQ(Get("a").status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Generate(1, 2, names).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Upload({"a"}).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace vrp::client
