// Tests how path, query and body of an HTTP request become one message.
#include "server/http/request_message.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/http/json_messages.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solve.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {
namespace {

using testing::HasSubstr;

absl::StatusOr<std::string> MessageOf(std::string_view verb, std::string_view path,
                                      std::string_view query, std::string_view body) {
  const absl::StatusOr<HttpRouteMatch> match = FindHttpRoute(HttpRoutes(), verb, path);
  EXPECT_TRUE(match.ok() && match->route != nullptr) << path;
  return RequestMessageOf(*match, query, body);
}

template <typename Message>
Message Parsed(const absl::StatusOr<std::string>& binary) {
  Message message;
  EXPECT_TRUE(binary.ok()) << binary.status();
  EXPECT_TRUE(message.ParseFromString(binary.value_or("")));
  return message;
}

void ExpectRefusal(const absl::StatusOr<std::string>& message, const std::string& text) {
  EXPECT_EQ(message.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message.status().ToString(), HasSubstr(text));
}

TEST(RequestMessageTest, JoinsPathAndQuery) {
  const auto request = Parsed<v1::GetTrainingHistoryRequest>(MessageOf(
      "GET", "/v1/trainingJobs/abc/history", "maxPoints=7&from_step=2&epochsOnly=true", ""));
  EXPECT_EQ(request.name(), "trainingJobs/abc");
  EXPECT_EQ(request.max_points(), 7);
  EXPECT_EQ(request.from_step(), 2);
  EXPECT_TRUE(request.epochs_only());
}

TEST(RequestMessageTest, JoinsPathAndBody) {
  const auto request = Parsed<v1::SetModelAliasRequest>(
      MessageOf("PUT", "/v1/models/m/aliases/best", "", R"({"version": 3})"));
  EXPECT_EQ(request.name(), "models/m/aliases/best");
  EXPECT_EQ(request.version(), 3);
}

TEST(RequestMessageTest, TakesAnEmptyBodyAsNoFields) {
  const auto request = Parsed<v1::CancelTrainingJobRequest>(
      MessageOf("POST", "/v1/trainingJobs/abc:cancel", "", ""));
  EXPECT_EQ(request.name(), "trainingJobs/abc");
}

TEST(RequestMessageTest, ReadsNestedAndMapFieldsOfQueries) {
  const auto request = Parsed<v1::ListTrainingJobsRequest>(
      MessageOf("GET", "/v1/trainingJobs", "labels.team=a+b%26c&labels.x=&pageSize=1", ""));
  EXPECT_EQ(request.labels().at("team"), "a b&c");
  EXPECT_EQ(request.labels().at("x"), "");
}

TEST(RequestMessageTest, RejectsFieldsGivenTwice) {
  ExpectRefusal(MessageOf("GET", "/v1/models/m", "name=models/x", ""), "name: is given twice");
  ExpectRefusal(MessageOf("POST", "/v1/trainingJobs/a:stop", "", R"({"name": "trainingJobs/a"})"),
                "name: is given twice");
  ExpectRefusal(MessageOf("GET", "/v1/models", "pageSize=1&pageSize=1", ""), "given twice");
  ExpectRefusal(MessageOf("GET", "/v1/models", "pageSize=1&page_size=1", ""),
                "pageSize: is given twice");
  ExpectRefusal(MessageOf("POST", "/v1/solve", "", R"({"budget": "1s", "budget": "2s"})"),
                "budget: is given twice");
  ExpectRefusal(MessageOf("POST", "/v1/solve", "",
                          R"({"instance": {"depots": [{"location": {"x": 1, "x": 2}}]}})"),
                "instance.depots.location.x: is given twice");
}

TEST(RequestMessageTest, RejectsAQueryBesideABody) {
  ExpectRefusal(MessageOf("POST", "/v1/solve", "budget=1s", "{}"), "belong in the body");
  ExpectRefusal(MessageOf("POST", "/v1/trainingJobs/a:stop", "x", ""), "belong in the body");
}

TEST(RequestMessageTest, RejectsABodyBesideAQuery) {
  ExpectRefusal(MessageOf("GET", "/v1/models", "", "{}"), "belong in the query");
  ExpectRefusal(MessageOf("DELETE", "/v1/solveJobs/a", "", "{}"), "belong in the query");
}

TEST(RequestMessageTest, RejectsUnknownAndWrongFields) {
  for (const char* query :
       {"nonsense=1", "pageSize=many", "pageSize", "pageSize=%zz", "page.size=1", "=1",
        "labels.a.b=1", "a.b.c.d.e=1", "labels=x", "pageSize.x=1&pageSize=2"}) {
    EXPECT_EQ(MessageOf("GET", "/v1/trainingJobs", query, "").status().code(),
              absl::StatusCode::kInvalidArgument)
        << query;
  }
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "{\"instance\":";
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string(R"({"nonsense": 1})"), deep,
        std::string("\xff\xfe"), std::string(R"({"seed": "many"})"), std::string("null null")}) {
    EXPECT_EQ(MessageOf("POST", "/v1/solve", "", body).status().code(),
              absl::StatusCode::kInvalidArgument)
        << body;
  }
}

TEST(RequestMessageTest, AcceptsAllFormsOfJson) {
  const auto request = Parsed<v1::SolveRequest>(
      MessageOf("POST", "/v1/solve", "",
                R"({"seed": "18446744073709551615", "budget": "1.500s", "threads": null,
          "render": ["SOLUTION_FORMAT_VROOM", 2]})"));
  EXPECT_EQ(request.seed(), 18446744073709551615u);
  EXPECT_EQ(request.budget().nanos(), 500000000);
  EXPECT_EQ(request.render_size(), 2);
}

TEST(JsonMessagesTest, WritesProtobufsJson) {
  v1::TrainingJob job;
  job.set_name("trainingJobs/a");
  job.set_last_sequence(5);
  job.mutable_run_time()->set_seconds(2);
  job.set_state(v1::JOB_STATE_RUNNING);
  const absl::StatusOr<std::string> text =
      JsonFromBinary(*v1::TrainingJob::descriptor(), job.SerializeAsString());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, R"({"name":"trainingJobs/a","state":"JOB_STATE_RUNNING","lastSequence":"5",)"
                   R"("runTime":"2s"})");
}

}  // namespace
}  // namespace vrp
