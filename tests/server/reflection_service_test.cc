// Tests reflection for generic clients such as grpcurl.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "tests/server/all_methods.h"
#include "tests/server/daemon_fixture.h"

namespace vrp::test {
namespace {

using ::grpc::reflection::v1alpha::ServerReflection;
using Request = ::grpc::reflection::v1alpha::ServerReflectionRequest;
using Response = ::grpc::reflection::v1alpha::ServerReflectionResponse;
using testing::HasSubstr;

class ReflectionTest : public DaemonTest {
 protected:
  using Stream = grpc::ClientReaderWriter<Request, Response>;

  void Open() {
    Start();
    stream_ = ServerReflection::NewStub(channel_)->ServerReflectionInfo(&context_);
  }
  Response Exchange(const Request& request) {
    Response response;
    EXPECT_TRUE(stream_->Write(request));
    EXPECT_TRUE(stream_->Read(&response));
    return response;
  }
  grpc::Status End() {
    stream_->WritesDone();
    return stream_->Finish();
  }

  Context context_;
  std::unique_ptr<Stream> stream_;
};

TEST_F(ReflectionTest, ListsEachService) {
  Open();
  Request request;
  request.set_host("here");
  request.set_list_services("*");
  const Response response = Exchange(request);
  EXPECT_EQ(response.valid_host(), "here");
  std::set<std::string> listed;
  for (const auto& service : response.list_services_response().service()) {
    listed.insert(service.name());
  }
  std::set<std::string> wanted = {"grpc.health.v1.Health",
                                  "grpc.reflection.v1alpha.ServerReflection"};
  for (const auto* method : AllMethods()) wanted.insert(method->service()->full_name());
  EXPECT_EQ(listed, wanted);
  EXPECT_TRUE(End().ok());
}

TEST_F(ReflectionTest, ReturnsAFileWithItsImports) {
  Open();
  for (const char* symbol : {"vrp.v1.SolverService", "vrp.v1.SolverService.Solve",
                             "vrp.v1.TrainingJob", "grpc.reflection.v1alpha.ErrorResponse"}) {
    Request request;
    request.set_file_containing_symbol(symbol);
    google::protobuf::SimpleDescriptorDatabase files;
    const Response response = Exchange(request);
    for (const std::string& text : response.file_descriptor_response().file_descriptor_proto()) {
      google::protobuf::FileDescriptorProto file;
      ASSERT_TRUE(file.ParseFromString(text));
      EXPECT_TRUE(files.Add(file)) << file.name() << " comes twice";
    }
    google::protobuf::DescriptorPool pool(&files);
    EXPECT_NE(pool.FindFileContainingSymbol(symbol), nullptr) << symbol;
  }
  Request by_name;
  by_name.set_file_by_filename("vrp/v1/system_service.proto");
  EXPECT_GT(Exchange(by_name).file_descriptor_response().file_descriptor_proto_size(), 1);
}

TEST_F(ReflectionTest, ReportsUnknownNamesAndContinues) {
  Open();
  std::vector<Request> requests(5);
  requests[0].set_file_containing_symbol("vrp.v1.No");
  requests[1].set_file_by_filename("no.proto");
  requests[2].mutable_file_containing_extension()->set_containing_type("vrp.v1.No");
  requests[3].set_all_extension_numbers_of_type("vrp.v1.No");
  requests[4].set_all_extension_numbers_of_type("vrp.v1.TrainingJob");
  for (size_t i = 0; i < 4; ++i) {
    const Response response = Exchange(requests[i]);
    EXPECT_EQ(response.error_response().error_code(), grpc::StatusCode::NOT_FOUND) << i;
    EXPECT_THAT(response.error_response().error_message(), HasSubstr("there is no \"")) << i;
    EXPECT_EQ(response.original_request().SerializeAsString(), requests[i].SerializeAsString());
  }
  EXPECT_EQ(Exchange(requests[4]).all_extension_numbers_response().extension_number_size(), 0);
  EXPECT_EQ(Exchange(Request()).error_response().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(End().ok());
}

// message_limits_service_test.cc tests all other RPCs.
TEST_F(ReflectionTest, RefusesLargeMessages) {
  vrpd_.max_message_mib = 1;
  Open();
  std::string heavy;
  for (int i = 0; i < 300'000; ++i) heavy.append("\xf2\x3f\x00", 3);
  Request request;
  ASSERT_TRUE(request.ParseFromString(heavy));
  const Response response = Exchange(request);
  EXPECT_THAT(response.error_response().error_message(),
              HasSubstr("exceeds the limit of 4 MiB of memory"));
  EXPECT_FALSE(response.has_original_request());
  request.Clear();
  request.set_list_services("*");
  EXPECT_TRUE(Exchange(request).has_list_services_response());
}

TEST_F(ReflectionTest, RespondsToUnreadableBytes) {
  Start();
  const std::string path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  EXPECT_TRUE(CallByPath(channel_, context_, path, {"\xff\xff\xff", "\x3a\x01*"}).ok());
}

TEST_F(ReflectionTest, BoundsIdleStreamsAndNeedsNoThreadForEach) {
  vrpd_.max_open_streams = 60;
  Open();
  const auto stub = ServerReflection::NewStub(channel_);
  Request request;
  request.set_list_services("*");
  Exchange(request);
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  std::vector<std::unique_ptr<Context>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  Response response;
  for (int i = 0; i < 59; ++i) {
    streams.push_back(stub->ServerReflectionInfo(contexts.emplace_back(new Context).get()));
    ASSERT_TRUE(streams.back()->Write(request));
    ASSERT_TRUE(streams.back()->Read(&response)) << i;
  }
  EXPECT_LT(threads(), before + 20);
  Context context;
  const auto beyond = stub->ServerReflectionInfo(&context);
  EXPECT_FALSE(beyond->Read(&response));
  EXPECT_EQ(beyond->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (const auto& each : contexts) each->TryCancel();
  for (const auto& stream : streams) stream->Finish();
}

}  // namespace
}  // namespace vrp::test
