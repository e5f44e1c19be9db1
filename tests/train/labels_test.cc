#include "core/train/data/labels.h"

#include <filesystem>
#include <numeric>
#include <thread>
#include <tuple>

#include "core/base/file.h"
#include "core/kernels/routing/routing_step.h"
#include "core/model/policy/network_batch.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/testing/feature_columns.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

LabelRequest Request(ProblemKind kind) {
  LabelRequest request;
  request.problem.kinds = {kind};
  request.problem.customers = {8, 8};
  request.samples = 12;
  request.iterations = 2;
  return request;
}

std::vector<Sample> ReadAll(const std::string& path) {
  const auto set = SampleSet::Open(path, 1 << 20);
  EXPECT_TRUE(set.ok()) << set.status();
  std::vector<int32_t> records(static_cast<size_t>((*set)->size()));
  std::iota(records.begin(), records.end(), 0);
  return *(*set)->Read(records);
}

class HeuristicLabelsTest : public testing::TestWithParam<ProblemKind> {};

TEST_P(HeuristicLabelsTest, AreFeasibleAndTheSameOnAnyNumberOfThreads) {
  const test::TempFolder one_folder;
  const test::TempFolder two_folder;
  CpuPool one_pool(1);
  CpuPool two_pool(2);
  const auto one_thread = MakeSearchLabels(Request(GetParam()), {one_folder.path(), &one_pool});
  const auto two_threads = MakeSearchLabels(Request(GetParam()), {two_folder.path(), &two_pool});
  ASSERT_TRUE(one_thread.ok()) << one_thread.status();
  EXPECT_EQ(*ReadFile(*one_thread), *ReadFile(*two_threads));
  const std::vector<Sample> samples = ReadAll(*one_thread);
  ASSERT_EQ(samples.size(), 12u);
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].data.positions,
              GenerateInstanceData({.kind = GetParam(), .customers = 8, .seed = 1},
                                   static_cast<int64_t>(i))
                  .positions);
    const Instance instance = *Instance::Create(samples[i].data);
    const CheckReport report = CheckPlan(instance, samples[i].plan);
    EXPECT_TRUE(report.feasible);
    EXPECT_NEAR(report.cost, samples[i].cost, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeuristicLabelsTest,
                         testing::Values(ProblemKind::kCvrp, ProblemKind::kVrptw,
                                         ProblemKind::kTsp));

struct Attribute {
  const char* name;
  double ProblemConfig::*chance;
  bool (*is_present)(const InstanceData&);
};

constexpr Attribute kAttributes[] = {
    {"OpenRoutes", &ProblemConfig::open_routes,
     [](const InstanceData& data) { return data.vehicles.front().open_end; }},
    {"DistanceLimit", &ProblemConfig::distance_limit,
     [](const InstanceData& data) { return data.vehicles.front().max_distance < kNoLimit; }},
    {"Backhauls", &ProblemConfig::backhauls,
     [](const InstanceData& data) { return !data.backhauls.empty(); }},
};

// Returns the cost of the label's plan after the steps that every network takes. Returns -1 if a
// choice is masked or the choices do not complete the plan.
double CostAfterSteps(const Sample& sample) {
  const NetworkBatch batch =
      MakeNetworkBatch(std::span<const InstanceData>(&sample.data, 1), NodeOrder::kAsGiven);
  const StepRules rules = MakeStepRules(batch.problems.front());
  std::vector<uint8_t> visited(static_cast<size_t>(rules.problem.nodes));
  RouteState state = BeginTrajectory(rules, visited.data());
  for (const int32_t node : PlanChoices(batch, 0, sample.plan)) {
    if (IsDone(state) || !IsAllowed(rules, state, visited.data(), node)) return -1;
    Take(rules, node, state, visited.data());
  }
  return IsDone(state) ? state.cost : -1;
}

class AttributeLabelsTest
    : public testing::TestWithParam<std::tuple<Attribute, ProblemKind, int64_t>> {};

TEST_P(AttributeLabelsTest, AreFeasiblePlansThatANetworkCanRepeat) {
  const Attribute attribute = std::get<0>(GetParam());
  const test::TempFolder folder;
  CpuPool pool(2);
  LabelRequest request = Request(std::get<1>(GetParam()));
  request.problem.*attribute.chance = 1;
  request.iterations = std::get<2>(GetParam());
  const auto path = MakeSearchLabels(request, {folder.path(), &pool});
  ASSERT_TRUE(path.ok()) << path.status();
  for (const Sample& sample : ReadAll(*path)) {
    EXPECT_TRUE(attribute.is_present(sample.data));
    const CheckReport report = CheckPlan(*Instance::Create(sample.data), sample.plan);
    EXPECT_TRUE(report.feasible);
    EXPECT_NEAR(report.cost, sample.cost, 1e-9);
    EXPECT_NEAR(CostAfterSteps(sample), sample.cost, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Attributes, AttributeLabelsTest,
                         testing::Combine(testing::ValuesIn(kAttributes),
                                          testing::Values(ProblemKind::kCvrp, ProblemKind::kVrptw),
                                          testing::Values(0, 50)),
                         [](const auto& param_info) {
                           return std::string(std::get<0>(param_info.param).name) + "_" +
                                  std::string(KindName(std::get<1>(param_info.param))) + "_" +
                                  std::to_string(std::get<2>(param_info.param));
                         });

TEST(HeuristicLabelsTest, StopWhenCancelledAndRemoveIncompleteSets) {
  const test::TempFolder folder;
  CpuPool pool(1);
  auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  EXPECT_EQ(MakeSearchLabels(Request(ProblemKind::kCvrp),
                             {folder.path(), &pool, {absl::InfiniteFuture(), cancel}})
                .status()
                .code(),
            absl::StatusCode::kCancelled);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(HeuristicLabelsTest, AreMadeOnceByTwoRunsAtTheSameTime) {
  const test::TempFolder folder;
  CpuPool first_pool(1), second_pool(1);
  LabelRequest request = Request(ProblemKind::kCvrp);
  request.samples = 600;  // three pieces
  absl::StatusOr<std::string> second_path;
  std::thread second;
  LabelContext context{folder.path(), &first_pool};
  context.on_piece = [&] {
    if (second.joinable()) return;
    second = std::thread([&] {
      second_path = MakeSearchLabels(request, {folder.path(), &second_pool});
    });
  };
  const absl::StatusOr<std::string> path = MakeSearchLabels(request, context);
  second.join();
  ASSERT_TRUE(path.ok()) << path.status();
  ASSERT_TRUE(second_path.ok()) << second_path.status();
  EXPECT_EQ(*path, *second_path);
  EXPECT_EQ(ReadAll(*path).size(), 600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(HeuristicLabelsTest, StopWhileAnotherRunMakesThem) {
  const test::TempFolder folder;
  CpuPool first_pool(1), second_pool(1);
  const LabelRequest request = Request(ProblemKind::kCvrp);
  const auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  LabelContext context{folder.path(), &first_pool};
  absl::Status waiting;
  context.on_piece = [&] {
    waiting =
        MakeSearchLabels(request, {folder.path(), &second_pool, {absl::InfiniteFuture(), cancel}})
            .status();
  };
  EXPECT_TRUE(MakeSearchLabels(request, context).ok());
  EXPECT_EQ(waiting.message(), "cancelled while another job made the labels");
}

TEST(HeuristicLabelsTest, AreMadeOnceForEachRequest) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const LabelRequest request = Request(ProblemKind::kCvrp);
  const std::string path = *MakeSearchLabels(request, {folder.path(), &pool});
  const auto time = std::filesystem::last_write_time(path);
  // A cancelled call fails if it has to make labels. This one must succeed.
  auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  EXPECT_EQ(*MakeSearchLabels(request, {folder.path(), &pool, {absl::InfiniteFuture(), cancel}}),
            path);
  EXPECT_EQ(std::filesystem::last_write_time(path), time);
  LabelRequest other = request;
  other.iterations = 3;
  EXPECT_NE(LabelSetName(other), LabelSetName(request));
  other = request;
  other.samples = 13;
  EXPECT_NE(LabelSetName(other), LabelSetName(request));
  other = request;
  other.problem.capacity = {30, 40};
  EXPECT_NE(LabelSetName(other), LabelSetName(request));
  other = request;
  other.problem.customers_skew = 2;
  EXPECT_NE(LabelSetName(other), LabelSetName(request));
}

TEST(HeuristicLabelsTest, AreMadeAgainIfTheSetIsDamaged) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const std::string path = *MakeSearchLabels(Request(ProblemKind::kCvrp), {folder.path(), &pool});
  const std::string intact = *ReadFile(path);
  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(*MakeSearchLabels(Request(ProblemKind::kCvrp), {folder.path(), &pool}), path);
  EXPECT_EQ(*ReadFile(path), intact);
}

std::string Line(const std::string& routes,
                 const Instance& instance = test::AnInstance().WithCustomers(3).Build()) {
  std::string line = WriteJson(instance);
  line.pop_back();
  return line + R"(,"ref_routes":)" + routes + "}\n";
}

// Returns the number of labels that are read from a file with the text, or the error.
absl::StatusOr<size_t> CountLabels(const std::string& text, const std::string& name,
                                   int64_t limit) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const std::string file = folder.File("labels.jsonl");
  EXPECT_TRUE(AtomicWriteFile(file, text).ok());
  const auto set = MakeFileLabels({file, name}, limit, NodeOrder::kAsGiven, {folder.path(), &pool});
  if (!set.ok()) return set.status();
  return ReadAll(*set).size();
}

TEST(FileLabelsTest, AreReadUpToTheLimit) {
  const std::string text = Line("[[1,2],[3]]") + "\n" + Line("[[3,2,1]]") + Line("[[1],[2],[3]]");
  EXPECT_EQ(*CountLabels(text, "l.jsonl", 2), 2u);
  EXPECT_EQ(*CountLabels(text, "l.jsonl", 9), 3u);
}

TEST(FileLabelsTest, AreConvertedAgainWhenTheFileChanges) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const std::string file = folder.File("labels.jsonl");
  ASSERT_TRUE(AtomicWriteFile(file, Line("[[1,2],[3]]") + "\n" + Line("[[3,2,1]]")).ok());
  const auto first = MakeFileLabels(file, 9, NodeOrder::kAsGiven, {folder.path(), &pool});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(ReadAll(*first).size(), 2u);
  EXPECT_EQ(ReadAll(*MakeFileLabels(file, 1, NodeOrder::kAsGiven, {folder.path(), &pool})).size(),
            1u);
  ASSERT_TRUE(AtomicWriteFile(file, Line("[[1,2],[3]]")).ok());
  EXPECT_EQ(ReadAll(*MakeFileLabels(file, 9, NodeOrder::kAsGiven, {folder.path(), &pool})).size(),
            1u);
  ASSERT_TRUE(AtomicWriteFile(file, Line("[[1,2],[3]]") + Line("[[1]]")).ok());
  const auto refused = MakeFileLabels(file, 9, NodeOrder::kAsGiven, {folder.path(), &pool});
  EXPECT_EQ(std::string(refused.status().message()).rfind(file + ":2: ", 0), 0u)
      << refused.status();
}

TEST(FileLabelsTest, AreRefusedOnlyForNetworksThatCannotReadThem) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const std::string file = folder.File("labels.jsonl");
  InstanceData without_coordinates = test::AnInstance().WithCustomers(3).Build().data();
  without_coordinates.positions.clear();
  without_coordinates.distance_matrix.assign(16, 1.0);
  InstanceData with_backhauls = test::AnInstance().WithCustomers(3).Build().data();
  with_backhauls.backhauls = {0, 1, 0, 0};
  for (const InstanceData& data : {without_coordinates, with_backhauls}) {
    ASSERT_TRUE(AtomicWriteFile(file, Line("[[3],[2],[1]]", *Instance::Create(data))).ok());
    EXPECT_TRUE(MakeFileLabels(file, 9, NodeOrder::kAsGiven, {folder.path(), &pool}).ok());
    const auto refused = MakeFileLabels(file, 9, NodeOrder::kByAngle, {folder.path(), &pool});
    EXPECT_EQ(std::string(refused.status().message()).rfind(file + ":1: ", 0), 0u)
        << refused.status();
  }
}

TEST(FileLabelsTest, AreConvertedAgainForANetworkWithColumns) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const std::string file = folder.File("labels.jsonl");
  const Instance without_columns = test::AnInstance().WithCustomers(3).Build();
  const BatchForm early(NodeOrder::kAsGiven, {"early"});
  ASSERT_TRUE(AtomicWriteFile(file, Line("[[1,2,3]]", without_columns)).ok());
  EXPECT_TRUE(MakeFileLabels(file, 9, NodeOrder::kAsGiven, {folder.path(), &pool}).ok());
  const auto refused = MakeFileLabels(file, 9, early, {folder.path(), &pool});
  EXPECT_EQ(refused.status().message(),
            file + ":1: features.early: absent, and this network reads it");
  const Instance with_columns = test::WithFeatures(without_columns, {"early"});
  ASSERT_TRUE(AtomicWriteFile(file, Line("[[1,2,3]]", with_columns)).ok());
  const std::vector<Sample> samples =
      ReadAll(*MakeFileLabels(file, 9, early, {folder.path(), &pool}));
  EXPECT_EQ(samples.at(0).data.features, with_columns.data().features);
}

class InvalidLabelTest : public testing::TestWithParam<const char*> {};

TEST_P(InvalidLabelTest, IsRefusedWithItsLine) {
  const auto labels = CountLabels(Line("[[1,2,3]]") + Line(GetParam()), "l.jsonl", 9);
  EXPECT_EQ(labels.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(labels.status().message()).rfind("l.jsonl:2", 0), 0u) << labels.status();
}

INSTANTIATE_TEST_SUITE_P(Routes, InvalidLabelTest,
                         testing::Values("[]", "[[1,2]]", "[[1,2,3,3]]", "[[1,2,4]]", "[[0,1,2,3]]",
                                         "[[1,2,-3]]", "[[1,2,99999999999]]", "[1,2,3]", "5",
                                         "null", "[[\"1\",2,3]]", "[[1.5,2,3]]", "[[1,2,3]"));

TEST(FileLabelsTest, RequireRoutesAndAtLeastOneLine) {
  const std::string without = WriteJson(test::AnInstance().WithCustomers(3).Build());
  EXPECT_NE(std::string(CountLabels(without, "l", 9).status().message()).find("ref_routes"),
            std::string::npos);
  EXPECT_FALSE(CountLabels("", "l", 9).ok());
  EXPECT_FALSE(CountLabels("\n \n", "l", 9).ok());
}

}  // namespace
}  // namespace vrp
