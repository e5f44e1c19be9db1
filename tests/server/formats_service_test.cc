// Tests plans and instances in other formats, and named matrices, over RPC.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kVroomText[] = R"({
  "vehicles": [{"id": 40, "start_index": 0, "end_index": 0, "capacity": [2]},
               {"id": 41, "start_index": 0, "end_index": 0, "capacity": [2]}],
  "jobs": [{"id": 11, "location_index": 1, "delivery": [2]},
           {"id": 12, "location_index": 2, "delivery": [2]}],
  "matrices": {"car": {"durations": [[0, 60, 70], [61, 0, 10], [72, 12, 0]]}}})";

class FormatsServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    Start();
    Connect();
  }
  void Connect() {
    solver_ = v1::SolverService::NewStub(channel_);
    datasets_ = v1::DatasetService::NewStub(channel_);
  }

  static v1::SolveRequest ARequest() {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(3);
    request.mutable_budget()->set_nanos(20'000'000);
    return request;
  }
  grpc::Status Solve(const v1::SolveRequest& request) {
    Context context;
    response_.Clear();
    return solver_->Solve(&context, request, &response_);
  }

  grpc::Status Upload(int32_t size, const std::vector<double>& values, bool durations = false) {
    Context context;
    stored_.Clear();
    const auto writer = datasets_->UploadMatrices(&context, &stored_);
    v1::UploadMatricesRequest message;
    message.mutable_header()->set_size(size);
    message.mutable_header()->set_with_durations(durations);
    writer->Write(message);
    for (size_t begin = 0; begin < values.size(); begin += 250'000) {
      message.Clear();
      const size_t end = std::min(values.size(), begin + 250'000);
      message.mutable_chunk()->mutable_values()->Assign(
          values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end));
      if (!writer->Write(message)) break;
    }
    writer->WritesDone();
    return writer->Finish();
  }

  // Returns distances |i - j| * 10 between the nodes of ACvrpMessage.
  static std::vector<double> Distances(int32_t size) {
    std::vector<double> values;
    for (int32_t i = 0; i < size; ++i) {
      for (int32_t j = 0; j < size; ++j) values.push_back(10 * std::abs(i - j));
    }
    return values;
  }

  // Expects the stored matrices to be kept until a solve job of the request ends.
  void ExpectMatricesAreKept(v1::SolveRequest request) {
    request.mutable_budget()->set_seconds(3600);
    v1::CreateSolveJobRequest create;
    *create.mutable_solve() = std::move(request);
    v1::SolveJob job;
    Context creating, refused, stopping, watching, deleting;
    ASSERT_TRUE(solver_->CreateSolveJob(&creating, create, &job).ok());
    v1::DeleteMatricesRequest remove;
    remove.set_name(stored_.name());
    v1::DeleteMatricesResponse response;
    const grpc::Status status = datasets_->DeleteMatrices(&refused, remove, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(status.error_message(), HasSubstr("in use by " + job.name()));
    v1::StopSolveJobRequest stop;
    stop.set_name(job.name());
    ASSERT_TRUE(solver_->StopSolveJob(&stopping, stop, &job).ok());
    v1::WatchSolveJobRequest watch;
    watch.set_name(job.name());
    const auto events = solver_->WatchSolveJob(&watching, watch);
    for (v1::WatchSolveJobResponse event; events->Read(&event);) continue;
    ASSERT_TRUE(events->Finish().ok());
    EXPECT_TRUE(datasets_->DeleteMatrices(&deleting, remove, &response).ok());
  }

  std::unique_ptr<v1::SolverService::Stub> solver_;
  std::unique_ptr<v1::DatasetService::Stub> datasets_;
  v1::SolveResponse response_;
  v1::Matrices stored_;
};

TEST_F(FormatsServiceTest, RendersEachRequestedFormat) {
  v1::SolveRequest request = ARequest();
  request.mutable_file()->set_name("v.json");
  request.mutable_file()->set_content(kVroomText);
  request.add_render(v1::SOLUTION_FORMAT_VROOM);
  request.add_render(v1::SOLUTION_FORMAT_VRPLIB);
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response_.rendered_size(), 2);
  EXPECT_EQ(response_.rendered(0).format(), v1::SOLUTION_FORMAT_VROOM);
  const json root = json::parse(response_.rendered(0).content());
  EXPECT_EQ(root["summary"]["cost"], 60 + 61 + 70 + 72);
  EXPECT_EQ(root["routes"][0]["vehicle"], 40);
  EXPECT_EQ(root["routes"][1]["vehicle"], 41);
  const int first = root["routes"][0]["steps"][1]["id"],
            second = root["routes"][1]["steps"][1]["id"];
  EXPECT_EQ(first + second, 23);
  EXPECT_THAT(response_.rendered(1).content(), StartsWith("Route #1:"));
}

TEST_F(FormatsServiceTest, RefusesAFormatThatCannotExpressTheInstance) {
  v1::SolveRequest request = ARequest();
  request.add_render(v1::SOLUTION_FORMAT_VROOM);
  request.add_render(v1::SOLUTION_FORMAT_GEOJSON);
  const grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(FieldOf(status), "render[1]");
  EXPECT_THAT(status.error_message(), HasSubstr("coordinates: planar, wanted lon_lat"));
  request.set_render(1, v1::SOLUTION_FORMAT_JSON);
  EXPECT_EQ(Solve(request).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_render(1, static_cast<v1::SolutionFormat>(77));
  EXPECT_EQ(FieldOf(Solve(request)), "render[1]");
}

TEST_F(FormatsServiceTest, EvaluatesTheStepsOfAVroomFileButDoesNotSolveIt) {
  v1::CheckSolutionRequest request;
  request.mutable_file()->set_name("v.json");
  request.mutable_file()->set_content(R"({
    "vehicles": [{"id": 40, "start_index": 0, "capacity": [1],
                  "steps": [{"type": "job", "id": 11, "service_at": 90}]}],
    "jobs": [{"id": 11, "location_index": 1, "delivery": [2], "time_windows": [[0, 50]]}],
    "matrices": {"car": {"durations": [[0, 60], [61, 0]]}}, "options": {"c": true}})");
  request.add_render(v1::SOLUTION_FORMAT_VROOM);
  Context context;
  v1::CheckSolutionResponse response;
  const grpc::Status status = solver_->CheckSolution(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(response.feasible());
  EXPECT_EQ(response.violations_size(), 2);
  EXPECT_EQ(response.solution().routes(0).stops(1).start(), 90);
  EXPECT_EQ(json::parse(response.rendered(0).content())["summary"]["violations"],
            json({{{"cause", "delay"}, {"duration", 40}}, {{"cause", "load"}}}));
  v1::SolveRequest solve;
  *solve.mutable_file() = request.file();
  const grpc::Status refused = Solve(solve);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("options.c: got true"));
  EXPECT_THAT(refused.error_message(), HasSubstr("vrpctl check v.json"));
}

TEST_F(FormatsServiceTest, WantsAPlanUnlessTheFileHasSteps) {
  v1::CheckSolutionRequest request;
  request.mutable_file()->set_content(kVroomText);
  Context context;
  v1::CheckSolutionResponse response;
  const grpc::Status status = solver_->CheckSolution(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("no vehicle has steps"));
}

TEST_F(FormatsServiceTest, ReadsPlansInOneFormatAndRendersThemInAnother) {
  v1::CheckSolutionRequest request;
  request.mutable_file()->set_content(kVroomText);
  request.mutable_solution_file()->set_content(
      R"({"code": 0, "routes": [{"vehicle": 41, "steps": [{"type": "start"},
          {"type": "job", "id": 12}, {"type": "end"}]},
          {"vehicle": 40, "steps": [{"type": "job", "id": 11}]}]})");
  request.add_render(v1::SOLUTION_FORMAT_VRPLIB);
  request.add_render(v1::SOLUTION_FORMAT_VROOM);
  Context context;
  v1::CheckSolutionResponse response;
  const grpc::Status status = solver_->CheckSolution(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.feasible());
  EXPECT_EQ(response.rendered(0).content(), "Route #1: 2\nRoute #2: 1\nCost 263\n");
  EXPECT_EQ(json::parse(response.rendered(1).content())["summary"]["cost"], 263);
}

TEST_F(FormatsServiceTest, ConvertsAnInstanceOrNamesTheUnsupportedField) {
  v1::ConvertInstanceRequest request;
  *request.mutable_instance() = ACvrpMessage(3);
  request.set_format(v1::INSTANCE_FORMAT_VRPLIB);
  v1::ConvertInstanceResponse response;
  {
    Context context;
    const grpc::Status status = solver_->ConvertInstance(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  EXPECT_THAT(response.file().content(), HasSubstr("TYPE : CVRP\nDIMENSION : 4\n"));
  EXPECT_EQ(response.file().format(), v1::INSTANCE_FORMAT_VRPLIB);
  // The error names the message's field, not the core's.
  request.mutable_instance()->mutable_customers(1)->set_setup_time(4);
  Context context;
  const grpc::Status refused = solver_->ConvertInstance(&context, request, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(FieldOf(refused), "customers[1].setup_time");
  request.clear_format();
  Context again;
  EXPECT_EQ(FieldOf(solver_->ConvertInstance(&again, request, &response)), "format");
}

TEST_F(FormatsServiceTest, OverridesObjectiveAndMetricOfAFile) {
  v1::SolveRequest request;
  request.mutable_file()->set_name("E-n22-k4.vrp");
  request.mutable_file()->set_content(ReadData("E-n22-k4.vrp"));
  request.mutable_budget()->set_nanos(20'000'000);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.objective(), v1::OBJECTIVE_DISTANCE);
  EXPECT_EQ(response_.metric(), v1::METRIC_CVRPLIB);
  EXPECT_TRUE(response_.has_gap());
  request.mutable_file()->set_objective(v1::OBJECTIVE_VEHICLES_THEN_DISTANCE);
  request.mutable_file()->set_metric(v1::METRIC_EXACT);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.objective(), v1::OBJECTIVE_VEHICLES_THEN_DISTANCE);
  EXPECT_EQ(response_.metric(), v1::METRIC_EXACT);
  EXPECT_FALSE(response_.has_gap()) << "the file's reference cost has another metric";
  request.mutable_file()->set_metric(v1::METRIC_SCALED_1000);
  EXPECT_EQ(FieldOf(Solve(request)), "file.metric");
  request.mutable_file()->set_metric(static_cast<v1::Metric>(99));
  EXPECT_EQ(FieldOf(Solve(request)), "file.metric");
  request.mutable_file()->clear_metric();
  request.mutable_file()->set_objective(static_cast<v1::Objective>(99));
  EXPECT_EQ(FieldOf(Solve(request)), "file.objective");
}

TEST_F(FormatsServiceTest, ReportsKnownUnits) {
  v1::SolveRequest request = ARequest();
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_FALSE(response_.solution().has_units());
  request.mutable_instance()->set_distance_unit("km");
  request.mutable_instance()->set_time_unit("min");
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.solution().units().metres_per_distance_unit(), 1000);
  EXPECT_EQ(response_.solution().units().seconds_per_time_unit(), 60);
  EXPECT_EQ(response_.solution().units().cost(), v1::COST_UNIT_DISTANCE);
  request.mutable_instance()->set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT);
  request.mutable_instance()->clear_distance_unit();
  request.mutable_instance()->set_time_unit("ticks");
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.solution().units().metres_per_distance_unit(), 1);
  EXPECT_EQ(response_.solution().units().seconds_per_time_unit(), 0) << "the unit ticks is unknown";
  v1::CreateSolveJobRequest create;
  *create.mutable_solve() = request;
  Context context;
  v1::SolveJob job;
  ASSERT_TRUE(solver_->CreateSolveJob(&context, create, &job).ok());
  EXPECT_EQ(job.units().metres_per_distance_unit(), 1);
}

TEST_F(FormatsServiceTest, FindsNamedMatricesAfterARestart) {
  ASSERT_TRUE(Upload(4, Distances(4)).ok());
  v1::SolveRequest request = ARequest();
  request.mutable_instance()->set_matrices(stored_.name());
  Start();
  Connect();
  grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.solution().cost(), 60);
  request.mutable_instance()->clear_matrices();
  request.mutable_instance()->mutable_vehicles(0)->set_matrices(stored_.name());
  status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.solution().cost(), 60);
  request.clear_instance();
  request.mutable_file()->set_content(
      Concat(R"({"kind": "cvrp", "demands": [0, 1, 1, 1], "capacity": 9, "matrices": ")",
             stored_.name(), R"("})"));
  status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.solution().cost(), 60);
}

TEST_F(FormatsServiceTest, FindsMatricesThatEvaluatedFilesName) {
  AddModel("net", 1);
  Start();
  Connect();
  ASSERT_TRUE(Upload(4, Distances(4)).ok());
  const auto models = v1::ModelService::NewStub(channel_);
  const auto evaluate = [&](const std::string& matrices) {
    v1::EvaluateModelRequest request;
    request.set_model("models/net");
    request.mutable_reference_search_time()->set_nanos(2'000'000);
    request.add_files()->set_content(
        Concat(R"({"kind": "cvrp", "demands": [0, 1, 1, 1], "capacity": 9, "matrices": ")",
               matrices, R"("})"));
    Context context;
    const auto stream = models->EvaluateModel(&context, request);
    v1::EvaluateModelResponse last;
    for (v1::EvaluateModelResponse message; stream->Read(&message);) last = message;
    const grpc::Status status = stream->Finish();
    if (status.ok()) {
      EXPECT_EQ(last.report().evaluations(0).mean_cost(), 60);
    }
    return status;
  };
  const grpc::Status status = evaluate(stored_.name());
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(FieldOf(evaluate("matrices/unknown")), "files[0]");
}

TEST_F(FormatsServiceTest, UploadsMatricesLargerThanAMessage) {
  // The matrices have 2 x 2,100 x 2,100 doubles, 71 MB. A message has at most 64 MiB.
  std::vector<double> values = Distances(2100);
  values.insert(values.end(), values.begin(), values.begin() + int64_t{2100} * 2100);
  ASSERT_TRUE(Upload(2100, values, /*durations=*/true).ok());
  const std::string name = stored_.name();
  EXPECT_GT(stored_.size_bytes(), 64 << 20);
  ASSERT_TRUE(Upload(2100, values, /*durations=*/true).ok());
  EXPECT_EQ(stored_.name(), name);
  Context context;
  v1::ListMatricesResponse list;
  ASSERT_TRUE(datasets_->ListMatrices(&context, {}, &list).ok());
  ASSERT_EQ(list.matrices_size(), 1);
  EXPECT_EQ(list.matrices(0).size(), 2100);
  EXPECT_TRUE(list.matrices(0).with_durations());
}

TEST_F(FormatsServiceTest, NamesTheFieldOfAnInvalidUpload) {
  const grpc::Status few = Upload(4, std::vector<double>(15, 1));
  EXPECT_EQ(few.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(few.error_message(), "chunk.values: got 15, wanted 16 as the header says");
  EXPECT_EQ(FieldOf(Upload(1, {0})), "header.size");
  EXPECT_EQ(FieldOf(Upload(2, {0, -1, 2, 0})), "chunk.values[1]");
}

TEST_F(FormatsServiceTest, RefusesUnknownDamagedAndMismatchedMatrices) {
  ASSERT_TRUE(Upload(4, Distances(4)).ok());
  v1::SolveRequest request = ARequest();
  request.mutable_instance()->set_matrices("matrices/0123456789abcdef0123456789abcdef");
  grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "matrices");
  EXPECT_THAT(status.error_message(), HasSubstr("which this daemon does not have"));
  *request.mutable_instance() = ACvrpMessage(5);
  request.mutable_instance()->mutable_vehicles(0)->set_matrices(stored_.name());
  status = Solve(request);
  EXPECT_EQ(FieldOf(status), "vehicles[0].matrices");
  EXPECT_THAT(status.error_message(), HasSubstr("of 4 rows, wanted the number of nodes, 6"));
  *request.mutable_instance() = ACvrpMessage(3);
  request.mutable_instance()->set_matrices(stored_.name());
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() + "/state/matrices")) {
    std::fstream(file.path(), std::ios::in | std::ios::out | std::ios::binary).seekp(40).put('x');
  }
  Start();  // without the copy in memory, which is intact
  Connect();
  status = Solve(request);
  EXPECT_EQ(FieldOf(status), "matrices");
  EXPECT_THAT(status.error_message(), HasSubstr("damaged"));
}

TEST_F(FormatsServiceTest, DeletesMatrices) {
  ASSERT_TRUE(Upload(4, Distances(4)).ok());
  v1::DeleteMatricesRequest request;
  request.set_name(stored_.name());
  v1::DeleteMatricesResponse response;
  Context first, second, third;
  EXPECT_TRUE(datasets_->DeleteMatrices(&first, request, &response).ok());
  EXPECT_EQ(datasets_->DeleteMatrices(&second, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_name("matrices/../models");
  const grpc::Status status = datasets_->DeleteMatrices(&third, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "name");
}

TEST_F(FormatsServiceTest, KeepsTheMatricesOfAnOpenSolveJob) {
  // The instance is so large that the job does not prove optimality at once.
  ASSERT_TRUE(Upload(51, Distances(51)).ok());
  v1::SolveRequest request;
  *request.mutable_instance() = ACvrpMessage(50);
  request.mutable_instance()->mutable_vehicles(0)->set_matrices(stored_.name());
  ExpectMatricesAreKept(request);
}

TEST_F(FormatsServiceTest, KeepsTheMatricesThatTheFileOfAnOpenSolveJobNames) {
  ASSERT_TRUE(Upload(51, Distances(51)).ok());
  json instance = {{"kind", "cvrp"}, {"capacity", 9}, {"matrices", stored_.name()}};
  for (int node = 0; node < 51; ++node) instance["demands"].push_back(node == 0 ? 0 : 1);
  v1::SolveRequest request;
  request.mutable_file()->set_content(instance.dump());
  ExpectMatricesAreKept(request);
}

}  // namespace
}  // namespace vrp::test
