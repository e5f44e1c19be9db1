#include "client/support/flags.h"

#include "client/support/enum_words.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

TEST(BudgetFlag, AcceptsNumbersWithAUnit) {
  EXPECT_EQ(ParseBudget("500ms").value(), absl::Milliseconds(500));
  EXPECT_EQ(ParseBudget("2s").value(), absl::Seconds(2));
  EXPECT_EQ(ParseBudget("1m").value(), absl::Minutes(1));
  EXPECT_EQ(ParseBudget("1.5h").value(), absl::Minutes(90));
}

TEST(BudgetFlag, RefusesAPlainNumberWithTheRemedy) {
  EXPECT_THAT(std::string(ParseBudget("500").status().message()), HasSubstr("500ms or 500s"));
}

TEST(BudgetFlag, RefusesTimesThatAreNotPositiveAndFinite) {
  for (const char* text : {"", "0", "0s", "-1s", "inf", "nan", "ms", "5 s", "5x", "1e400s"}) {
    EXPECT_EQ(ParseBudget(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(ModelName, AcceptsEveryShortForm) {
  EXPECT_EQ(ModelResourceName("tiny").value(), "models/tiny");
  EXPECT_EQ(ModelResourceName("tiny@3").value(), "models/tiny/versions/3");
  EXPECT_EQ(ModelResourceName("tiny@production").value(), "models/tiny/aliases/production");
  EXPECT_EQ(ModelResourceName("models/tiny/aliases/blue").value(), "models/tiny/aliases/blue");
  EXPECT_EQ(ModelResourceName("models/tiny").value(), "models/tiny");
  EXPECT_EQ(ModelResourceName("models/tiny/versions/3").value(), "models/tiny/versions/3");
}

TEST(ModelName, RefusesInvalidNames) {
  for (const char* text : {"", "a/b", "models/", "tiny@", "--strategy", "tiny@3x", "tiny@a/b",
                           "tiny@0", "@3", "models/t/versions/", "a b"}) {
    EXPECT_FALSE(ModelResourceName(text).ok()) << text;
  }
}

TEST(ModelName, SplitsIntoNameAndVersion) {
  EXPECT_EQ(SplitModelName("models/tiny/versions/12").name, "tiny");
  EXPECT_EQ(SplitModelName("models/tiny/versions/12").version, 12);
  EXPECT_EQ(SplitModelName("models/tiny").version, 0);
  EXPECT_EQ(SplitModelName("").name, "");
}

TEST(JobName, AcceptsAnIdWithOrWithoutItsCollection) {
  EXPECT_EQ(JobResourceName("abc").value(), "trainingJobs/abc");
  EXPECT_EQ(JobResourceName("trainingJobs/abc").value(), "trainingJobs/abc");
  for (const char* text : {"", "trainingJobs/", "jobs/abc", "trainingJobs/a/b"}) {
    EXPECT_FALSE(JobResourceName(text).ok()) << text;
  }
}

TEST(Words, RoundTripForStrategies) {
  for (const char* word :
       {"auto", "seeded", "greedy", "sample", "beam", "multi_start", "improved", "search"}) {
    EXPECT_EQ(LowerCaseWord(ParseStrategy(word).value()), word);
  }
  EXPECT_FALSE(ParseStrategy("unspecified").ok());
  EXPECT_FALSE(ParseStrategy("").ok());
}

TEST(Words, RoundTripForProblems) {
  for (const char* word : {"cvrp", "vrptw", "tsp"})
    EXPECT_EQ(LowerCaseWord(ParseProblemType(word).value()), word);
  EXPECT_FALSE(ParseProblemType("pdp").ok());
}

TEST(Words, ParseForFormats) {
  EXPECT_EQ(ParseInstanceFormat("auto").value(), v1::INSTANCE_FORMAT_UNSPECIFIED);
  EXPECT_EQ(ParseInstanceFormat("vrplib").value(), v1::INSTANCE_FORMAT_VRPLIB);
  EXPECT_EQ(ParseInstanceFormat("solomon").value(), v1::INSTANCE_FORMAT_SOLOMON);
  EXPECT_EQ(ParseInstanceFormat("json").value(), v1::INSTANCE_FORMAT_JSON);
  EXPECT_FALSE(ParseInstanceFormat("csv").ok());
}

TEST(Words, AreLowerCaseForEndReasons) {
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_BUDGET), "budget");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_DEADLINE), "deadline");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_CANCELLED), "cancelled");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_LOCAL_OPTIMUM), "local_optimum");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_ITERATIONS), "iterations");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_FINISHED), "finished");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_NO_IMPROVEMENT), "no_improvement");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_TARGET), "target");
  EXPECT_EQ(LowerCaseWord(v1::END_REASON_OPTIMAL), "optimal");
}

}  // namespace
}  // namespace vrp::client
