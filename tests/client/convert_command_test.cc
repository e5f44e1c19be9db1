// Tests `convert`, `matrices`, and the output formats of `solve`.
#include <sstream>

#include "client/support/matrix_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConvertCommand : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.convert = [this](const v1::ConvertInstanceRequest& request,
                              const FakeCall&) -> absl::StatusOr<v1::ConvertInstanceResponse> {
      convert_ = request;
      v1::ConvertInstanceResponse response;
      response.mutable_file()->set_content("converted");
      return response;
    };
    handlers.check = [this](const v1::CheckSolutionRequest& request,
                            const FakeCall&) -> absl::StatusOr<v1::CheckSolutionResponse> {
      check_ = request;
      v1::CheckSolutionResponse response;
      response.set_name("city");
      response.set_cost(7);
      *response.mutable_solution() = ASolveResponse().solution();
      for (const int format : request.render()) {
        v1::SolutionFile& file = *response.add_rendered();
        file.set_format(static_cast<v1::SolutionFormat>(format));
        file.set_content("rendered");
      }
      return response;
    };
    handlers.solve = [this](const v1::SolveRequest& request,
                            const FakeCall&) -> absl::StatusOr<v1::SolveResponse> {
      solve_ = request;
      if (!refusal_.ok()) return refusal_;
      v1::SolveResponse response = ASolveResponse();
      for (const int format : request.render()) {
        v1::SolutionFile& file = *response.add_rendered();
        file.set_format(static_cast<v1::SolutionFormat>(format));
        file.set_content(v1::SolutionFormat_Name(format));
      }
      return response;
    };
    handlers.upload_matrices = [this](const std::vector<v1::UploadMatricesRequest>& messages,
                                      const FakeCall&) -> absl::StatusOr<v1::Matrices> {
      uploaded_ = messages;
      v1::Matrices kept;
      kept.set_name("matrices/abc");
      kept.set_size(messages.at(0).header().size());
      return kept;
    };
    handlers.list_matrices = [](const v1::ListMatricesRequest&,
                                const FakeCall&) -> absl::StatusOr<v1::ListMatricesResponse> {
      v1::ListMatricesResponse response;
      response.add_matrices()->set_name("matrices/abc");
      return response;
    };
    handlers.delete_matrices = [this](
                                   const v1::DeleteMatricesRequest& request,
                                   const FakeCall&) -> absl::StatusOr<v1::DeleteMatricesResponse> {
      deleted_ = request.name();
      return v1::DeleteMatricesResponse();
    };
    return handlers;
  }

  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--remote", server_.address()});
    return RunCommand(arguments);
  }

  absl::Status refusal_;
  v1::ConvertInstanceRequest convert_;
  v1::CheckSolutionRequest check_;
  v1::SolveRequest solve_;
  std::vector<v1::UploadMatricesRequest> uploaded_;
  std::string deleted_;
  const std::string in_ = WriteTestFile("in.json", "{}");
  FakeServer server_{Handlers()};
};

TEST_F(ConvertCommand, TakesTheFormatFromTheExtensionOrTheFlag) {
  const std::string out = TestPath("out.vrp");
  EXPECT_EQ(Run({"convert", in_, out}).code, 0);
  EXPECT_EQ(convert_.format(), v1::INSTANCE_FORMAT_VRPLIB);
  EXPECT_EQ(convert_.file().name(), "in.json");
  EXPECT_FALSE(convert_.renumber());
  EXPECT_EQ(ReadTestFile(out), "converted\n");
  EXPECT_EQ(Run({"convert", in_, TestPath("o.json"), "--to", "vroom", "--renumber"}).code, 0);
  EXPECT_EQ(convert_.format(), v1::INSTANCE_FORMAT_VROOM);
  EXPECT_TRUE(convert_.renumber());
  EXPECT_EQ(Run({"convert", in_, TestPath("o.txt")}).code, 0);
  EXPECT_EQ(convert_.format(), v1::INSTANCE_FORMAT_SOLOMON);
  const CommandResult shown = Run({"convert", in_, "-", "--to", "tsplib"});
  EXPECT_EQ(convert_.format(), v1::INSTANCE_FORMAT_TSPLIB);
  EXPECT_EQ(shown.out, "converted\n");
}

TEST_F(ConvertCommand, SendsObjectiveAndMetric) {
  const std::vector<std::string> flags = {"--objective", "vehicles_then_distance", "--metric",
                                          "exact"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), flags.begin(), flags.end());
    return Run(words);
  };
  EXPECT_EQ(with({"convert", in_, "-", "--to", "json"}).code, 0);
  const std::string plan = WriteTestFile("plan.sol", "Route #1: 1\n");
  with({"check", in_, plan});
  const CommandResult solved = with({"solve", in_});
  for (const v1::InstanceFile& file : {convert_.file(), check_.file(), solve_.file()}) {
    EXPECT_EQ(file.objective(), v1::OBJECTIVE_VEHICLES_THEN_DISTANCE);
    EXPECT_EQ(file.metric(), v1::METRIC_EXACT);
  }
  EXPECT_THAT(solved.out, HasSubstr("objective: "));
  EXPECT_EQ(Run({"solve", in_, "--objective", "beauty"}).code, 2);
  Run({"solve", in_});
  EXPECT_EQ(solve_.file().objective(), v1::OBJECTIVE_UNSPECIFIED);
}

TEST_F(ConvertCommand, NamesTheKnownFormats) {
  const CommandResult unknown = Run({"convert", in_, TestPath("out.xyz")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("wanted .vrp, .tsp, .txt or .json"));
  const CommandResult plan = Run({"convert", in_, TestPath("out.sol")});
  EXPECT_EQ(plan.code, 2);
  EXPECT_THAT(plan.err, HasSubstr("a solution needs --instance"));
  EXPECT_EQ(Run({"convert", in_, "-", "--to", "sol"}).code, 2);
}

TEST_F(ConvertCommand, LetsTheDaemonRenderGeoJsonButNotJson) {
  const std::string out = TestPath("plan.geojson");
  EXPECT_EQ(Run({"convert", "--instance", in_, in_, out}).code, 0);
  EXPECT_THAT(check_.render(), ElementsAre(v1::SOLUTION_FORMAT_GEOJSON));
  EXPECT_EQ(ReadTestFile(out), "rendered\n");
  const CommandResult result = Run({"convert", "--instance", in_, in_, "-", "--to", "json"});
  EXPECT_THAT(check_.render(), IsEmpty());
  ASSERT_EQ(result.OutJson().size(), 1u);
  EXPECT_THAT(Keys(result.OutJson()[0]),
              ElementsAre("name", "cost", "routes", "feasible", "violations", "unserved"));
  EXPECT_EQ(result.OutJson()[0]["routes"].size(), 2u);
}

using VroomOutput = ConvertCommand;

TEST_F(VroomOutput, IsPrintedBesideAGeoJsonPlot) {
  const std::string plot = TestPath("plot.geojson");
  const CommandResult result = Run({"solve", in_, "--output", "vroom", "--plot", plot});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(solve_.render(), ElementsAre(v1::SOLUTION_FORMAT_VROOM, v1::SOLUTION_FORMAT_GEOJSON));
  EXPECT_EQ(result.out, "SOLUTION_FORMAT_VROOM\n");
  EXPECT_EQ(ReadTestFile(plot), "SOLUTION_FORMAT_GEOJSON");
}

using GeoJsonOutput = ConvertCommand;

TEST_F(GeoJsonOutput, IsPrinted) {
  const CommandResult result = Run({"solve", in_, "--output", "geojson"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(solve_.render(), ElementsAre(v1::SOLUTION_FORMAT_GEOJSON));
  EXPECT_EQ(result.out, "SOLUTION_FORMAT_GEOJSON\n");
}

TEST_F(VroomOutput, DescribesInputErrors) {
  refusal_ = absl::InvalidArgumentError("in.json: jobs: absent");
  const CommandResult result = Run({"solve", in_, "--output", "vroom"});
  EXPECT_EQ(result.code, 2);
  ASSERT_EQ(result.OutJson().size(), 1u);
  EXPECT_EQ(result.OutJson()[0]["code"], 2);
  EXPECT_EQ(result.OutJson()[0]["error"], "in.json: jobs: absent");
  refusal_ = absl::InternalError("broken");
  EXPECT_EQ(Run({"solve", in_, "--output", "vroom"}).OutJson()[0]["code"], 1);
}

TEST_F(VroomOutput, IsRefusedForOtherCommands) {
  const CommandResult result = Run({"matrices", "list", "--output", "vroom"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--output vroom: only for solve"));
}

using MatricesCommand = ConvertCommand;

TEST_F(MatricesCommand, UploadsListsAndDeletesMatrices) {
  const std::string file =
      WriteTestFile("m.json", R"({"coords": [[0, 0], [1, 1]], "distance_matrix": [[0, 1], [2, 0]],
                    "duration_matrix": [[0, 3], [4, 0]]})");
  const CommandResult upload = Run({"matrices", "upload", file});
  EXPECT_EQ(upload.code, 0) << upload.err;
  EXPECT_THAT(upload.out, HasSubstr("\"matrices\": \"matrices/abc\""));
  ASSERT_EQ(uploaded_.size(), 3u);
  EXPECT_EQ(uploaded_[0].header().size(), 2);
  EXPECT_TRUE(uploaded_[0].header().with_durations());
  EXPECT_THAT(uploaded_[1].chunk().values(), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(uploaded_[2].chunk().values(), ElementsAre(0, 3, 4, 0));
  EXPECT_THAT(Run({"matrices", "list"}).out, HasSubstr("matrices/abc"));
  EXPECT_EQ(Run({"matrices", "delete", "abc"}).code, 0);
  EXPECT_EQ(deleted_, "matrices/abc");
}

std::string MatrixError(const std::string& text) {
  std::istringstream stream(text);
  return std::string(ReadMatrixFile(stream).status().message());
}

TEST(MatrixFileTest, DescribesTheError) {
  EXPECT_EQ(MatrixError("{}"), "distance_matrix: missing, wanted rows of numbers");
  EXPECT_EQ(MatrixError(R"({"distance_matrix": [[0, 1], [2]]})"),
            "distance_matrix[1]: has 1 numbers, wanted 2");
  EXPECT_EQ(MatrixError(R"({"distance_matrix": [[0, 1]]})"),
            "distance_matrix: has 1 rows, wanted 2");
  EXPECT_EQ(MatrixError(R"({"distance_matrix": [[0, "x"]]})"),
            "distance_matrix[0]: got a string, wanted rows of numbers");
  EXPECT_EQ(MatrixError(R"({"distance_matrix": [[0, 1], [1, 0]], "duration_matrix": [[0]]})"),
            "duration_matrix[0]: has 1 numbers, wanted 2");
  EXPECT_EQ(MatrixError(R"({"distance_matrix": [[0, 1], [1, 0]], "duration_matrix": "x"})"),
            "duration_matrix[0]: got a string, wanted rows of numbers");
  EXPECT_THAT(MatrixError(R"({"distance_matrix": [[0, 1)"), HasSubstr("invalid JSON at byte"));
  EXPECT_EQ(MatrixError("7"), "got a number, wanted an object");
}

}  // namespace
}  // namespace vrp::client
