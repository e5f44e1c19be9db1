#include "core/dispatch/request_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/dispatch/compare_policies.h"
#include "core/dispatch/policies/make_policy.h"
#include "tests/dispatch/dispatch_testing.h"

namespace vrp {
namespace {

using test::LineSite;
using test::RandomSite;

constexpr char kTwoDays[] = R"({"day": "2026-11-02", "id": "a1", "at": 0, "customer": "1"}

{"day": "2026-11-02", "id": "a2", "at": 15, "customer": 2, "demand": 3, "window": [40, 90], "service": 5}
{"day": "2026-11-03", "id": "a1", "at": 20.5, "customer": "3", "demand": [2]}
)";

std::string Line(const std::string& rest) {
  return R"({"day": "2026-11-02", "id": "a", )" + rest + "}";
}

TEST(ParseRequestLogTest, ReadsRequestsWithTheDefaultsOfTheirCustomers) {
  const DispatchSite site = LineSite();
  const auto log = ParseRequestLog(kTwoDays, "log.jsonl", site);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_EQ(log->size(), 2u);
  EXPECT_EQ((*log)[0].name, "2026-11-02");
  ASSERT_EQ((*log)[0].requests.size(), 2u);
  EXPECT_EQ((*log)[0].requests[0].request, site.RequestOf(1, "a1"));
  const LoggedRequest& second = (*log)[0].requests[1];
  EXPECT_EQ(second.at, 15);
  EXPECT_EQ(second.request.customer, 2);
  EXPECT_EQ(second.request.demand, std::vector<double>({3}));
  EXPECT_EQ(second.request.window.open, 40);
  EXPECT_EQ(second.request.window.close, 90);
  EXPECT_EQ(second.request.service, 5);
  EXPECT_EQ((*log)[1].requests[0].request.demand, std::vector<double>({2}));
}

struct BadLog {
  std::string text;
  std::string error;  // its beginning
};

TEST(ParseRequestLogTest, NamesTheLineAndTheFieldOfEachError) {
  const std::string good = Line(R"("at": 0, "customer": "1")") + "\n";
  const std::vector<BadLog> logs = {
      {"", "log.jsonl: no requests"},
      {"\n \n", "log.jsonl: no requests"},
      {"day,id\n", "log.jsonl:1: wanted a JSON object"},
      {"[1]\n", "log.jsonl:1: wanted a JSON object"},
      {good + R"({"day": "2026-11-02", "at": 1, "customer": "1"})", "log.jsonl:2: id: absent"},
      {R"({"day": "d", "id": "", "at": 1, "customer": "1"})", "log.jsonl:1: id: got"},
      {R"({"id": "a", "at": 1, "customer": "1"})", "log.jsonl:1: day: absent"},
      {good + good, "log.jsonl:2: id: got \"a\" again"},
      {good + R"({"day": "2026-11-01", "id": "b", "at": 0, "customer": "1"})",
       "log.jsonl:2: day: got \"2026-11-01\" after \"2026-11-02\""},
      {Line(R"("customer": "1")"), "log.jsonl:1: at: absent"},
      {Line(R"("at": "noon", "customer": "1")"), "log.jsonl:1: at: got"},
      {Line(R"("at": 0)"), "log.jsonl:1: customer: absent"},
      {Line(R"("at": 0, "customer": "c99")"), "log.jsonl:1: customer: got \"c99\""},
      {Line(R"("at": 0, "customer": "0")"), "log.jsonl:1: customer: got \"0\""},
      {Line(R"("at": 0, "customer": "1", "demand": [1, 2])"), "log.jsonl:1: demand: got 2 numbers"},
      {Line(R"("at": 0, "customer": "1", "demand": -1)"), "log.jsonl:1: demand: got -1"},
      {Line(R"("at": 0, "customer": "1", "demand": "x")"), "log.jsonl:1: demand: got"},
      {Line(R"("at": 0, "customer": "1", "window": [5])"), "log.jsonl:1: window: got"},
      {Line(R"("at": 0, "customer": "1", "window": [5, 4])"), "log.jsonl:1: window: got 5 to 4"},
      {Line(R"("at": 0, "customer": "1", "service": -1)"), "log.jsonl:1: service: got -1"},
      {Line(R"("at": 0, "customer": "1", "colour": 1)"), "log.jsonl:1: colour: unknown key"}};
  for (const BadLog& log : logs) {
    const absl::Status status = ParseRequestLog(log.text, "log.jsonl", LineSite()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << log.text;
    EXPECT_EQ(std::string(status.message()).substr(0, log.error.size()), log.error) << status;
  }
}

TEST(LogLineReaderTest, RecognisesLinesOfALog) {
  EXPECT_TRUE(LogLineReader::Recognises(R"({"day": 1})"));
  EXPECT_TRUE(LogLineReader::Recognises(R"({"id": "a", "customer": "1"})"));
  EXPECT_FALSE(LogLineReader::Recognises(R"({"kind": "cvrp", "demands": [0, 1]})"));
  EXPECT_FALSE(LogLineReader::Recognises("day,id,at"));
}

TEST(LogLineReaderTest, IgnoresARefusedLine) {
  LogLineReader reader;
  ASSERT_TRUE(reader.Read(R"({"day": "d2", "id": "a", "at": 0, "customer": "1"})").ok());
  EXPECT_FALSE(reader.Read(R"({"day": "d3", "id": "b", "at": 0})").ok());
  EXPECT_FALSE(reader.Read(R"({"day": "d2", "id": "b", "at": "x", "customer": "1"})").ok());
  EXPECT_TRUE(reader.Read(R"({"day": "d2", "id": "b", "at": 0, "customer": "1"})").ok());
  EXPECT_EQ(reader.days(), 1);
  EXPECT_EQ(reader.requests(), 2);
}

TEST(LogLineReaderTest, LimitsTheRequestsOfADay) {
  LogLineReader reader;
  for (int i = 0; i < 99'999; ++i) {
    const std::string id = std::to_string(i);
    ASSERT_TRUE(reader.Read(R"({"day": 1, "id": )" + id + R"(, "at": 0, "customer": 1})").ok());
  }
  EXPECT_EQ(reader.Read(R"({"day": 1, "id": -1, "at": 0, "customer": 1})").status().message(),
            "day: got more than 99999 requests of \"1\", the largest number of a plan");
  EXPECT_TRUE(reader.Read(R"({"day": 2, "id": -1, "at": 0, "customer": 1})").ok());
}

TEST(DeparturesOfTest, CoversTheDecisionsOfAllDays) {
  const auto log = ParseRequestLog(kTwoDays, "log.jsonl", LineSite());
  EXPECT_EQ(*DeparturesOf(*log, {.epoch = 10, .margin = 5}), std::vector<double>({5, 15, 25, 35}));
  EXPECT_EQ(DeparturesOf(*log, {.epoch = 0, .margin = 5}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DeparturesOf(*log, {.epoch = 1e-4, .margin = 5}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(DayOfTest, ReleasesRequestsAtTheFirstDecisionThatKnowsThem) {
  const auto log = ParseRequestLog(kTwoDays, "log.jsonl", LineSite());
  const std::vector<double> departures = *DeparturesOf(*log, {.epoch = 10, .margin = 5});
  const DispatchDay day = DayOf((*log)[0], departures, 5);
  EXPECT_EQ(day.name, "2026-11-02");
  EXPECT_EQ(day.departures, departures);
  ASSERT_EQ(day.requests.size(), 2u);
  EXPECT_EQ(day.requests[0].release, 5);
  EXPECT_EQ(day.requests[1].release, 25);
  EXPECT_EQ(DayOf((*log)[1], departures, 5).requests[0].release, 35);
}

// Returns a log of `days` days, whose requests have the number of their day in the id.
std::shared_ptr<const RequestLog> NumberedLog(const DispatchSite& site, int days) {
  auto log = std::make_shared<RequestLog>();
  for (int day = 0; day < days; ++day) {
    LoggedDay& logged = log->emplace_back();
    for (const double at : {0.0, 10.0, 20.0, 30.0}) {
      logged.requests.push_back({.at = at, .request = site.RequestOf(1, std::to_string(day))});
    }
  }
  return log;
}

TEST(LogSamplerTest, DrawsTheLaterRequestsOfOneDay) {
  const DispatchSite site = LineSite();
  const LogSampler sampler(site, NumberedLog(site, 3), /*margin=*/5);
  std::set<std::string> days;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CounterRandom random(seed);
    const std::vector<DispatchRequest> drawn = sampler.Draw(std::vector<double>{5, 15, 25}, random);
    ASSERT_EQ(drawn.size(), 2u) << "known before, and known too late";
    EXPECT_EQ(drawn[0].release, 15);
    EXPECT_EQ(drawn[1].release, 25);
    EXPECT_EQ(drawn[0].id, drawn[1].id);
    days.insert(drawn[0].id);
  }
  EXPECT_EQ(days.size(), 3u);
}

TEST(LogSamplerTest, NeverDrawsTheExcludedDay) {
  const DispatchSite site = LineSite();
  for (size_t excluded = 0; excluded < 3; ++excluded) {
    const LogSampler sampler(site, NumberedLog(site, 3), /*margin=*/5, excluded);
    std::set<std::string> days;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      CounterRandom random(seed);
      for (const DispatchRequest& request : sampler.Draw(std::vector<double>{5, 15}, random)) {
        days.insert(request.id);
      }
    }
    EXPECT_EQ(days.size(), 2u);
    EXPECT_EQ(days.count(std::to_string(excluded)), 0u);
  }
}

TEST(LogSamplerTest, DropsRequestsThatNoVehicleReaches) {
  const DispatchSite site = LineSite();
  auto log = std::make_shared<RequestLog>();
  log->push_back({.requests = {{.at = 10, .request = test::RequestUntil(site, 3, 20)}}});
  CounterRandom random(1);
  EXPECT_TRUE(LogSampler(site, log, 5).Draw(std::vector<double>{5, 15}, random).empty());
}

TEST(ComparePoliciesTest, NoPolicyCostsLessThanHindsight) {
  const DispatchSite site = RandomSite(30, 6);
  const auto day = DrawDay(site, {.epoch = 20, .margin = 10, .requests_per_epoch = 10}, 3);
  ASSERT_TRUE(day.ok()) << day.status();
  const auto greedy = MakeDispatchPolicy(site, {.kind = DispatchPolicyKind::kGreedy});
  const auto lazy = MakeDispatchPolicy(site, {.kind = DispatchPolicyKind::kLazy});
  const SimulationOptions options = {.decision_time = absl::InfiniteDuration(),
                                     .max_iterations = 15};
  const auto compared =
      ComparePolicies(site, *day, {greedy->get(), lazy->get()}, options, absl::InfiniteDuration());
  ASSERT_TRUE(compared.ok()) << compared.status();
  ASSERT_EQ(compared->days.size(), 2u);
  ASSERT_TRUE(compared->hindsight.has_value());
  for (const SimulatedDay& simulated : compared->days) {
    EXPECT_GE(simulated.cost, compared->hindsight->cost - 1e-9);
  }
  const auto without = ComparePolicies(site, *day, {greedy->get()}, options, absl::ZeroDuration());
  EXPECT_FALSE(without->hindsight.has_value());
}

}  // namespace
}  // namespace vrp
