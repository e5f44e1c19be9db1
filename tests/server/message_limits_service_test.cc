// Tests messages that are small on the wire and large in memory, sent to a running daemon.
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "core/base/steady_time.h"
#include "gmock/gmock.h"
#include "tests/server/all_methods.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/options.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

constexpr int32_t kUploadSize = 2000;      // nodes; 32 MB per matrix
constexpr int32_t kChunkValues = 500'000;  // 4 MB per chunk
constexpr int kUploadChunks = kUploadSize * kUploadSize / kChunkValues;

v1::UploadMatricesRequest UploadHeader() {
  v1::UploadMatricesRequest message;
  message.mutable_header()->set_size(kUploadSize);
  return message;
}

// An upload of matrices that a test controls.
class Upload {
 public:
  explicit Upload(v1::DatasetService::Stub& datasets)
      : writer_(datasets.UploadMatrices(&context_, &stored_)) {
    writer_->Write(UploadHeader());
  }
  // Sends chunks, each larger than the buffers between client and server. So at the return, the
  // server has handled all chunks but the last. Returns false if the call has ended.
  bool Write(int chunks) {
    v1::UploadMatricesRequest message;
    message.mutable_chunk()->mutable_values()->Resize(kChunkValues, 1.0);
    for (int i = 0; i < chunks; ++i) {
      if (!writer_->Write(message)) return false;
    }
    return true;
  }
  grpc::Status End() {
    writer_->WritesDone();
    return writer_->Finish();
  }
  // Sends nothing until the server ends the call. Returns the status.
  grpc::Status AwaitServerEnd() { return writer_->Finish(); }
  grpc::Status Cancel() {
    context_.TryCancel();
    return writer_->Finish();
  }

 private:
  Context context_;
  v1::Matrices stored_;
  std::unique_ptr<grpc::ClientWriter<v1::UploadMatricesRequest>> writer_;
};

bool HasRetryInfo(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return false;
  for (const auto& any : details.details()) {
    if (any.Is<google::rpc::RetryInfo>()) return true;
  }
  return false;
}

class MessageLimitsTest : public DaemonTest {
 protected:
  // Limits messages to 1 MiB on the wire, which may take 4 MiB in memory.
  MessageLimitsTest() { vrpd_.max_message_mib = 1; }

  grpc::Status Call(const std::string& path, const std::string& request) {
    Context context;
    return CallByPath(channel_, context, path, {request});
  }
  // Retries every 10 ms while memory is exhausted, for at most 60 s.
  grpc::Status CallUntilAccepted(const std::string& request) {
    const absl::Time deadline = SteadyNow() + absl::Seconds(60);
    while (true) {
      const grpc::Status status = Call("/vrp.v1.SolverService/ValidateInstance", request);
      if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) return status;
      if (SteadyNow() > deadline) return status;
      absl::SleepFor(absl::Milliseconds(10));
    }
  }
  // Repeats a complete upload every 10 ms while memory is exhausted, or a busy machine sends it too
  // late, for at most 60 s.
  static grpc::Status UploadUntilAccepted(v1::DatasetService::Stub& datasets) {
    const absl::Time deadline = SteadyNow() + absl::Seconds(60);
    while (true) {
      Upload upload(datasets);
      upload.Write(kUploadChunks);
      const grpc::Status status = upload.End();
      if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED &&
          status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) {
        return status;
      }
      if (SteadyNow() > deadline) return status;
      absl::SleepFor(absl::Milliseconds(10));
    }
  }
  // Returns a serialized SolveRequest with `count` empty customers of two bytes each.
  static std::string RequestWithEmptyCustomers(int count) {
    v1::SolveRequest request;
    for (int i = 0; i < count; ++i) request.mutable_instance()->add_customers();
    return request.SerializeAsString();
  }
};

TEST_F(MessageLimitsTest, EndsAStalledUpload) {
  heartbeat_ = absl::Milliseconds(10);
  upload_timeout_ = absl::Milliseconds(100);
  vrpd_.max_message_mib = 64;
  vrpd_.max_open_streams = 1;
  Start();
  const auto datasets = v1::DatasetService::NewStub(channel_);
  Upload stalled(*datasets);
  stalled.Write(2);  // a busy machine may send the second chunk too late
  const grpc::Status status = stalled.AwaitServerEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("sent nothing for 100ms"));
  EXPECT_TRUE(UploadUntilAccepted(*datasets).ok());
}

TEST_F(MessageLimitsTest, AllowsPausesInAnUpload) {
  heartbeat_ = absl::Milliseconds(5);
  vrpd_.max_message_mib = 64;
  Start();
  const auto datasets = v1::DatasetService::NewStub(channel_);
  Upload slow(*datasets);
  for (int i = 0; i < kUploadChunks; ++i) {
    EXPECT_TRUE(slow.Write(1));
    absl::SleepFor(absl::Milliseconds(20));
  }
  EXPECT_TRUE(slow.End().ok());
}

TEST_F(MessageLimitsTest, RefusesLargeMessagesOfEveryRpc) {
  Start();
  // The message repeats an unknown field: 0xf2 0x3f 0x00.
  std::string heavy;
  for (int i = 0; i < 300'000; ++i) heavy.append("\xf2\x3f\x00", 3);
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    const std::string path = PathOf(*method);
    if (method->name() == "BatchSolve") continue;  // BatchSolve reports the error in its response
    const bool small = method->options().GetExtension(v1::rpc).max_request_bytes() > 0;
    const grpc::Status status = Call(path, heavy);
    EXPECT_NE(status.error_code(), grpc::StatusCode::UNIMPLEMENTED)
        << path << ": connect it with its handler in the constructor of its service";
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << path;
    EXPECT_THAT(status.error_message(),
                HasSubstr(small ? "wanted at most 65536" : "exceeds the limit of 4 MiB of memory"))
        << path;
  }
}

TEST_F(MessageLimitsTest, NamesTheFieldOfTooManyCustomers) {
  Start();
  for (const char* method : {"Solve", "StreamSolve", "ValidateInstance", "CheckSolution"}) {
    const grpc::Status status =
        Call(Concat("/vrp.v1.SolverService/", method), RequestWithEmptyCustomers(100'000));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_EQ(FieldOf(status), "instance.customers") << method;
  }
}

TEST_F(MessageLimitsTest, ContinuesABatchAfterATooLargeRequest) {
  Start();
  Context context;
  const auto batch = v1::SolverService::NewStub(channel_)->BatchSolve(&context);
  v1::BatchSolveRequest heavy;
  ASSERT_TRUE(heavy.mutable_solve()->ParseFromString(RequestWithEmptyCustomers(100'000)));
  v1::BatchSolveRequest valid;
  *valid.mutable_solve()->mutable_instance() = ACvrpMessage();
  valid.mutable_solve()->mutable_budget()->set_nanos(20'000'000);
  v1::BatchSolveResponse response;
  ASSERT_TRUE(batch->Write(heavy));
  ASSERT_TRUE(batch->Read(&response));
  EXPECT_THAT(response.error().message(),
              HasSubstr("solve.instance.customers: here the message exceeds"));
  ASSERT_TRUE(batch->Write(valid));
  ASSERT_TRUE(batch->Read(&response));
  EXPECT_TRUE(response.response().feasible());
  batch->WritesDone();
  EXPECT_TRUE(batch->Finish().ok());
}

TEST_F(MessageLimitsTest, BoundsTheMemoryOfConcurrentRequests) {
  vrpd_.max_message_mib = 4;
  vrpd_.max_request_memory_mib = 64;
  Start();
  // Each message takes more than 10 MiB in memory.
  const std::string large = RequestWithEmptyCustomers(50'000);
  std::vector<std::thread> callers;
  absl::Mutex mutex;
  std::vector<grpc::Status> statuses;
  for (int i = 0; i < 32; ++i) {
    callers.emplace_back([&] {
      const grpc::Status status = Call("/vrp.v1.SolverService/ValidateInstance", large);
      absl::MutexLock lock(&mutex);
      statuses.push_back(status);
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const grpc::Status& status : statuses) {
    if (status.ok()) continue;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr("max_request_memory_mib"));
  }
  // Six requests fit at a time. A request holds its share until gRPC frees it, possibly after its
  // response.
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(CallUntilAccepted(large).ok()) << i;
}

TEST_F(MessageLimitsTest, CountsTheMemoryOfUnfinishedUploads) {
  vrpd_.max_message_mib = 4;
  vrpd_.max_request_memory_mib = 96;
  Start();
  const auto datasets = v1::DatasetService::NewStub(channel_);
  Upload first(*datasets), second(*datasets), third(*datasets);
  // Each upload has received 20 MB in an allocation of 24 MB. To grow to 32 MB, an upload needs
  // both allocations, 56 MB.
  EXPECT_TRUE(first.Write(6));
  EXPECT_TRUE(second.Write(6));
  third.Write(kUploadChunks);
  const grpc::Status refused = third.End();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("max_request_memory_mib"));
  EXPECT_TRUE(HasRetryInfo(refused));
  EXPECT_EQ(first.Cancel().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(second.Cancel().error_code(), grpc::StatusCode::CANCELLED);
  const grpc::Status uploaded = UploadUntilAccepted(*datasets);
  EXPECT_TRUE(uploaded.ok()) << uploaded.error_message();
}

TEST_F(MessageLimitsTest, CountsUploadsAsOpenStreams) {
  vrpd_.max_message_mib = 4;
  vrpd_.max_open_streams = 1;
  Start();
  const auto datasets = v1::DatasetService::NewStub(channel_);
  Upload first(*datasets);
  ASSERT_TRUE(first.Write(2));
  Upload second(*datasets);
  second.Write(kUploadChunks);
  EXPECT_THAT(second.End().error_message(), HasSubstr("1 streams are open"));
  Context context;
  v1::Model model;
  const auto import = v1::ModelService::NewStub(channel_)->ImportModel(&context, &model);
  import->WritesDone();
  EXPECT_THAT(import->Finish().error_message(), HasSubstr("1 streams are open"));
  EXPECT_EQ(first.Cancel().error_code(), grpc::StatusCode::CANCELLED);
  const grpc::Status uploaded = UploadUntilAccepted(*datasets);
  EXPECT_TRUE(uploaded.ok()) << uploaded.error_message();
}

}  // namespace
}  // namespace vrp::test
