#include "core/solve/evaluation.h"

#include <cmath>
#include <utility>
#include <vector>

#include "core/search/build/construct.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::HasSubstr;

// A policy that returns nearest-neighbour plans, or routes of one customer each when sampling. For
// other methods it returns empty plans.
class SimplePolicy final : public Policy {
 public:
  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance& instance) const override {
    if (instance.num_customers() != 13) return absl::OkStatus();
    return absl::UnimplementedError("customers: an unlucky number");
  }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    std::vector<DecodedPlan> plans;
    for (const Instance& instance : batch) {
      DecodedPlan& plan = plans.emplace_back();
      if (options.method == DecodeMethod::kGreedy) {
        plan.plan = NearestNeighbourPlan(instance);
      } else if (options.method == DecodeMethod::kSample) {
        for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
          plan.plan.push_back({0, {node}});
        }
      }
    }
    return plans;
  }

 private:
  PolicyInfo info_;
};

Instance LineInstance(double first, std::optional<Cost> reference) {
  InstanceData data = AnInstance().At({{0, 0}, {first, 0}, {2 * first, 0}}).BuildData();
  data.reference_cost = reference;
  return Instance::Create(std::move(data)).value();
}

absl::StatusOr<std::unique_ptr<Evaluation>> Evaluate(std::vector<Instance> instances,
                                                     EvaluationOptions options) {
  auto evaluation =
      Evaluation::Create(std::make_shared<SimplePolicy>(), std::move(instances), options);
  while (evaluation.ok() && !(*evaluation)->finished()) {
    if (const absl::Status status = (*evaluation)->Step(); !status.ok()) return status;
  }
  return evaluation;
}

TEST(EvaluationTest, ComputesMeansGapsAndErrorsFromCosts) {
  // The plans cost 40, 80, 120; the sampled plans cost 60, 120, 180.
  const auto evaluation =
      Evaluate({LineInstance(10, 32), LineInstance(20, 80), LineInstance(30, std::nullopt)},
               {.modes = {{}, {.method = DecodeMethod::kSample, .width = 4}}, .threads = 2});
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ((*evaluation)->done(), 6);
  EXPECT_EQ((*evaluation)->reference(), "file's reference costs");
  const std::vector<EvaluationRow> rows = (*evaluation)->Rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].instances, 3);
  EXPECT_DOUBLE_EQ(rows[0].mean_cost, 80);
  EXPECT_DOUBLE_EQ(rows[0].standard_error, std::sqrt(1600.0 / 3));
  EXPECT_DOUBLE_EQ(rows[0].mean_gap, 0.125);
  EXPECT_DOUBLE_EQ(rows[0].gap_standard_error, 0.125);
  EXPECT_GT(rows[0].instances_per_second, 0);
  EXPECT_DOUBLE_EQ(rows[1].mean_cost, 120);
  EXPECT_EQ(EvaluationModeName(rows[1].mode), "sample 4");
}

TEST(EvaluationTest, ReportsEachSizeSeparately) {
  const auto evaluation =
      Evaluate({AnInstance().WithCustomers(4).Build(), LineInstance(10, std::nullopt),
                AnInstance().WithCustomers(60).Build()},
               {});
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  const EvaluationRow row = (*evaluation)->Rows().at(0);
  EXPECT_EQ((*evaluation)->reference(), "");
  EXPECT_TRUE(std::isnan(row.mean_gap));
  ASSERT_EQ(row.sizes.size(), 2u);
  EXPECT_EQ(row.sizes[0].min_customers, 2);
  EXPECT_EQ(row.sizes[0].max_customers, 4);
  EXPECT_EQ(row.sizes[0].instances, 2);
  EXPECT_EQ(row.sizes[1].min_customers, 60);
  EXPECT_TRUE(std::isnan(row.sizes[1].mean_gap));
}

TEST(EvaluationTest, UsesSearchAsTheReference) {
  const auto evaluation = Evaluate({LineInstance(10, 1), LineInstance(20, 1)},
                                   {.modes = {{}, {.method = DecodeMethod::kSample, .width = 2}},
                                    .reference_search_time = absl::Milliseconds(5)});
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ((*evaluation)->done(), 6);
  EXPECT_EQ((*evaluation)->reference(), "search 5 ms");
  EXPECT_NEAR((*evaluation)->Rows()[0].mean_gap, 0, 1e-9);
  EXPECT_NEAR((*evaluation)->Rows()[1].mean_gap, 0.5, 1e-9);
}

TEST(EvaluationTest, RefusesInvalidInputsAndNamesTheirPath) {
  const auto message = [](std::vector<Instance> instances, EvaluationOptions options) {
    return std::string(Evaluate(std::move(instances), std::move(options)).status().message());
  };
  const Instance valid = AnInstance().Build();
  EXPECT_THAT(message({}, {}), HasSubstr("files: got none"));
  EXPECT_THAT(message({valid, AnInstance().WithCustomers(13).Build()}, {}),
              HasSubstr("files[1]: customers: an unlucky number"));
  EXPECT_EQ(Evaluate({AnInstance().OpenEnd().Build()},
                     {.modes = {{.method = DecodeMethod::kSample, .width = 2}}})
                .status(),
            absl::OkStatus());
  EXPECT_THAT(message({valid}, {.modes = {}}), HasSubstr("modes"));
  EXPECT_THAT(message({valid}, {.modes = {{.method = DecodeMethod::kBeam, .width = 0}}}),
              HasSubstr("modes[0].width: got 0"));
  EXPECT_THAT(message({valid}, {.reference_search_time = absl::Hours(1)}),
              HasSubstr("reference_search_time"));
}

TEST(EvaluationTest, FailsOnAnInfeasiblePlan) {
  const auto evaluation =
      Evaluate({AnInstance().Build()}, {.modes = {{.method = DecodeMethod::kBeam, .width = 2}}});
  EXPECT_TRUE(absl::IsInternal(evaluation.status())) << evaluation.status();
}

TEST(EvaluationTest, RefusesImprovementThatThePolicyDoesNotSupport) {
  EXPECT_EQ(EvaluationModeName({.rounds = 500}), "improved 500");
  const auto refused = Evaluate({LineInstance(1, 4)}, {.modes = {{.rounds = 500}}});
  EXPECT_TRUE(absl::IsUnimplemented(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("files[0]"));
  const auto negative = Evaluate({LineInstance(1, 4)}, {.modes = {{.rounds = -1}}});
  EXPECT_TRUE(absl::IsInvalidArgument(negative.status())) << negative.status();
}

}  // namespace
}  // namespace vrp
