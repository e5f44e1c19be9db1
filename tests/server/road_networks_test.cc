// Tests the client of road services against a service in the same process.
#include "server/roads/road_networks.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/roads/polyline.h"
#include "server/support/logging.h"
#include "tests/server/fake_road_service.h"

namespace vrp {
namespace {

using test::FakeReply;
using test::FakeRequest;
using test::FakeRoadService;
using test::JsonReply;
using test::OsrmReply;
using testing::AllOf;
using testing::HasSubstr;

class RoadNetworksTest : public testing::Test {
 protected:
  // Returns the networks of these options, with short pauses between tries.
  std::unique_ptr<RoadNetworks> Make(std::vector<RoadNetworkOptions> networks,
                                     size_t cache_bytes = 1 << 20) {
    auto made = RoadNetworks::Create({.networks = std::move(networks),
                                      .cache_bytes = cache_bytes,
                                      .clock = &clock_,
                                      .first_pause = absl::Milliseconds(1)});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  // Returns places on a line, a thousandth of a degree apart.
  static std::vector<RoadPlace> Places(int count, int first = 0) {
    std::vector<RoadPlace> places;
    for (int i = 0; i < count; ++i) places.push_back({24'000'000 + 1000 * (first + i), 60'000'000});
    return places;
  }

  // Returns the error of Matrices if the service answers every request with `reply`. Expects the
  // network's name and address in the error.
  std::string ErrorFrom(FakeReply reply, absl::StatusCode code, int tries = 1) {
    FakeRoadService service([&](const FakeRequest&) { return reply; });
    RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
    options.tries = tries;
    const auto matrices = Make({options})->Matrices("car", Places(2), {});
    EXPECT_EQ(matrices.status().code(), code) << matrices.status();
    EXPECT_THAT(
        std::string(matrices.status().message()),
        HasSubstr(Concat("road_network car (osrm at http://127.0.0.1:", service.port(), "): ")));
    return std::string(matrices.status().message());
  }

  std::string MetricsOf(const RoadNetworks& networks) {
    std::vector<MetricFamily> families;
    networks.AppendMetrics(families);
    std::string text;
    for (const MetricFamily& family : families) {
      for (const MetricSample& sample : family.samples) {
        text += family.name;
        for (const MetricLabel& label : sample.labels)
          text += Concat(" ", label.name, "=", label.value);
        text += Concat(" ",
                       family.type == MetricType::kHistogram
                           ? static_cast<double>(sample.histogram.count)
                           : sample.value,
                       "\n");
      }
    }
    return text;
  }

  SystemClock clock_;
};

TEST_F(RoadNetworksTest, AssemblesTheMatrixOfBlocks) {
  FakeRoadService service([](const FakeRequest& request) { return OsrmReply(request); });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.block_size = 3;
  const auto matrices = Make({options})->Matrices("car", Places(7), {});
  ASSERT_TRUE(matrices.ok()) << matrices.status();
  EXPECT_EQ(service.requests().size(), 9u);
  for (size_t from = 0; from < 7; ++from) {
    for (size_t to = 0; to < 7; ++to) {
      const auto steps = static_cast<int32_t>(from > to ? from - to : to - from);
      EXPECT_EQ((*matrices)->durations[(*matrices)->At(from, to)], 100 * steps);
      EXPECT_EQ((*matrices)->distances[(*matrices)->At(from, to)], 1000 * steps);
    }
  }
}

TEST_F(RoadNetworksTest, BoundsConcurrentRequestsOverAllCalls) {
  FakeRoadService service([](const FakeRequest& request) {
    absl::SleepFor(absl::Milliseconds(1));
    return OsrmReply(request);
  });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.block_size = 1;
  options.connections = 2;
  const auto networks = Make({options});
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back(
        [&, i] { EXPECT_TRUE(networks->Matrices("car", Places(4, 10 * i), {}).ok()); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(service.requests().size(), 48u);
  EXPECT_EQ(service.most_at_once(), 2);
}

TEST_F(RoadNetworksTest, TriesAgainAfterAnOverloadAndABrokenConnection) {
  FakeRoadService service([](const FakeRequest& request) {
    if (request.number == 1) return JsonReply("busy", 503);
    if (request.number == 2)
      return FakeReply{.bytes = "HTTP/1.1 200 OK\r\nContent-", .close = true};
    return OsrmReply(request);
  });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.tries = 3;
  const auto networks = Make({options});
  EXPECT_TRUE(networks->Matrices("car", Places(2), {}).ok());
  EXPECT_THAT(MetricsOf(*networks),
              AllOf(HasSubstr("vrp_road_requests_total code=UNAVAILABLE network=car 2\n"),
                    HasSubstr("vrp_road_requests_total code=OK network=car 1\n"),
                    HasSubstr("vrp_road_request_duration_seconds network=car 3\n")));
}

TEST_F(RoadNetworksTest, OpensAnIdleConnectionAgainWithoutAFailure) {
  FakeRoadService service([](const FakeRequest& request) {
    FakeReply reply = OsrmReply(request);
    reply.close = true;  // though the reply does not say so
    return reply;
  });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.block_size = 1;
  options.connections = 1;
  EXPECT_TRUE(Make({options})->Matrices("car", Places(2), {}).ok());
}

TEST_F(RoadNetworksTest, ReportsTheLastFailure) {
  EXPECT_THAT(ErrorFrom(JsonReply("busy", 503), absl::StatusCode::kUnavailable, 3),
              AllOf(HasSubstr("HTTP status 503, 3 times; start the service"),
                    HasSubstr("road_networks of vrpd.yaml")));
  EXPECT_THAT(ErrorFrom({.bytes = "", .close = true}, absl::StatusCode::kUnavailable),
              HasSubstr("closed the connection"));
}

TEST_F(RoadNetworksTest, ReportsAnUnreachableService) {
  auto service = std::make_unique<FakeRoadService>([](const FakeRequest&) { return FakeReply(); });
  const RoadNetworkOptions options = service->Network("car", RoadServiceKind::kOsrm);
  service = nullptr;
  const absl::Status status = Make({options})->Matrices("car", Places(2), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Connection refused"));
}

TEST_F(RoadNetworksTest, LogsOneFailureWithTheNumberNotLogged) {
  testing::internal::CaptureStderr();
  StartLogging({});
  ErrorFrom(JsonReply("busy", 503), absl::StatusCode::kUnavailable);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("road service failed network=car"));
  EXPECT_THAT(log, HasSubstr(" not_logged=0"));
}

TEST_F(RoadNetworksTest, RefusesAnswersThatARetryCannotFix) {
  EXPECT_THAT(ErrorFrom(JsonReply("{}"), absl::StatusCode::kFailedPrecondition, 3),
              HasSubstr("is not OSRM"));
  EXPECT_THAT(ErrorFrom(JsonReply("<html>", 404), absl::StatusCode::kFailedPrecondition),
              HasSubstr("HTTP status 404"));
  EXPECT_THAT(ErrorFrom({.bytes = "220 ftp ready\r\n\r\n", .close = true},
                        absl::StatusCode::kFailedPrecondition),
              HasSubstr("not HTTP"));
}

TEST_F(RoadNetworksTest, FollowsNoRedirect) {
  FakeRoadService other([](const FakeRequest& request) { return OsrmReply(request); });
  const std::string location = Concat("http://127.0.0.1:", other.port(), "/table");
  const std::string error = ErrorFrom({.bytes = Concat("HTTP/1.1 302 Found\r\nLocation: ", location,
                                                       "\r\nContent-Length: 0\r\n\r\n")},
                                      absl::StatusCode::kFailedPrecondition, 3);
  EXPECT_THAT(error, HasSubstr(Concat("redirects to \"", location, "\"")));
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(RoadNetworksTest, RefusesOversizedAnswers) {
  EXPECT_THAT(
      ErrorFrom(JsonReply(std::string(1 << 20, ' ')), absl::StatusCode::kFailedPrecondition),
      HasSubstr("exceeds"));
  EXPECT_THAT(ErrorFrom({.bytes = Concat("HTTP/1.1 200 OK\r\nX: ", std::string(1 << 20, 'x'))},
                        absl::StatusCode::kFailedPrecondition),
              HasSubstr("exceeds"));
}

TEST_F(RoadNetworksTest, GivesUpAfterTheTimeout) {
  FakeRoadService service(
      [](const FakeRequest&) { return FakeReply{.bytes = {}, .silent = true}; });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.timeout_s = 1;
  const absl::Status status = Make({options})->Matrices("car", Places(2), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did not answer in time"));
}

TEST_F(RoadNetworksTest, EndsAtTheDeadlineOfTheCall) {
  FakeRoadService service(
      [](const FakeRequest&) { return FakeReply{.bytes = {}, .silent = true}; });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.timeout_s = 3600;
  const auto networks = Make({options});
  const StopCondition stop(SteadyNow() + absl::Milliseconds(50), nullptr);
  const absl::Status status = networks->Matrices("car", Places(2), stop).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
}

TEST_F(RoadNetworksTest, EndsWhenTheCallIsCancelled) {
  const auto cancel = std::make_shared<CancelFlag>();
  FakeRoadService service([&](const FakeRequest&) {
    cancel->Cancel();
    return FakeReply{.bytes = {}, .silent = true};
  });
  const auto networks = Make({service.Network("car", RoadServiceKind::kOsrm)});
  const absl::Status status =
      networks->Matrices("car", Places(2), StopCondition(absl::InfiniteFuture(), cancel)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST_F(RoadNetworksTest, AnswersAgainAndForSubsetsFromTheCache) {
  FakeRoadService service([](const FakeRequest& request) { return OsrmReply(request); });
  const auto networks = Make({service.Network("car", RoadServiceKind::kOsrm)});
  ASSERT_TRUE(networks->Matrices("car", Places(5), {}).ok());
  ASSERT_TRUE(networks->Matrices("car", Places(5), {}).ok());
  const std::vector<RoadPlace> some = {Places(5)[4], Places(5)[1]};
  const auto subset = networks->Matrices("car", some, {});
  ASSERT_TRUE(subset.ok());
  EXPECT_EQ((*subset)->places, some);
  EXPECT_THAT((*subset)->durations, testing::ElementsAre(0, 300, 300, 0));
  EXPECT_EQ(service.requests().size(), 1u);
  ASSERT_TRUE(networks->Matrices("car", Places(6), {}).ok());
  EXPECT_EQ(service.requests().size(), 2u);
  EXPECT_THAT(MetricsOf(*networks),
              AllOf(HasSubstr("vrp_road_cache_lookups_total network=car result=hit 2\n"),
                    HasSubstr("vrp_road_cache_lookups_total network=car result=miss 2\n")));
}

TEST_F(RoadNetworksTest, AsksTheServiceOfEachNetwork) {
  FakeRoadService car([](const FakeRequest& request) { return OsrmReply(request); });
  FakeRoadService bike([](const FakeRequest& request) { return OsrmReply(request); });
  const auto networks = Make(
      {bike.Network("bike", RoadServiceKind::kOsrm), car.Network("car", RoadServiceKind::kOsrm)});
  ASSERT_TRUE(networks->Matrices("car", Places(2), {}).ok());
  ASSERT_TRUE(networks->Matrices("bike", Places(2), {}).ok());
  EXPECT_EQ(car.requests().size(), 1u);
  EXPECT_EQ(bike.requests().size(), 1u);
}

TEST_F(RoadNetworksTest, CachesNothingWithACacheTimeOfZero) {
  FakeRoadService service([](const FakeRequest& request) { return OsrmReply(request); });
  RoadNetworkOptions options = service.Network("car", RoadServiceKind::kOsrm);
  options.cache_s = 0;
  const auto networks = Make({options});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(networks->Matrices("car", Places(2), {}).ok());
  EXPECT_EQ(service.requests().size(), 2u);
}

TEST_F(RoadNetworksTest, ListsTheKnownNetworks) {
  FakeRoadService service([](const FakeRequest&) { return FakeReply(); });
  const auto networks = Make({service.Network("car", RoadServiceKind::kOsrm),
                              service.Network("truck", RoadServiceKind::kValhalla)});
  const absl::Status status = networks->Matrices("bike", Places(2), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "got \"bike\", wanted a road network of this daemon: car, truck");
  EXPECT_THAT(std::string(Make({})->Matrices("car", Places(2), {}).status().message()),
              HasSubstr("has no road networks"));
}

TEST_F(RoadNetworksTest, AsksForLongRoutesInParts) {
  const std::string shape = EncodePolyline({{24, 60}, {24.001, 60}});
  FakeRoadService service([&](const FakeRequest& request) {
    std::string legs;
    size_t stops = 0;
    for (size_t at = 0; (at = request.body.find("\"lat\"", at)) != std::string::npos; ++at) ++stops;
    for (size_t leg = 1; leg < stops; ++leg) {
      legs += Concat(leg > 1 ? "," : "", "{\"shape\":\"", shape, "\"}");
    }
    return JsonReply(Concat("{\"trip\":{\"legs\":[", legs, "]}}"));
  });
  const auto networks = Make({service.Network("truck", RoadServiceKind::kValhalla)});
  const auto lines = networks->Lines("truck", {Places(45), Places(2)}, {});
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ((*lines)[0].size(), 44u);
  EXPECT_EQ((*lines)[1].size(), 1u);
  EXPECT_EQ(service.requests().size(), 4u) << "20, 20 and 7 stops, and 2 of the other route";
}

TEST(RoadCache, DropsTheLeastRecentlyUsedEntries) {
  const auto matrices = [](int32_t first) {
    auto made = std::make_shared<RoadMatrices>();
    for (int32_t i = 0; i < 10; ++i) made->places.push_back({first + i, 0});
    made->durations.resize(100);
    made->distances.resize(100);
    return made;
  };
  const absl::Time now = absl::UnixEpoch();
  RoadCache cache(3'500);  // two entries
  for (const int32_t first : {0, 100}) cache.Add("car", matrices(first), absl::InfiniteFuture());
  ASSERT_NE(cache.Find("car", matrices(0)->places, now), nullptr);
  cache.Add("car", matrices(200), absl::InfiniteFuture());
  EXPECT_LE(cache.bytes(), 3'500u);
  EXPECT_NE(cache.Find("car", matrices(0)->places, now), nullptr);
  EXPECT_EQ(cache.Find("car", matrices(100)->places, now), nullptr);
  EXPECT_NE(cache.Find("car", matrices(200)->places, now), nullptr);
  EXPECT_EQ(cache.Find("bike", matrices(200)->places, now), nullptr);
}

TEST(RoadCache, ForgetsExpiredEntries) {
  auto matrices = std::make_shared<RoadMatrices>();
  matrices->places = {{1, 1}};
  matrices->durations = matrices->distances = {0};
  RoadCache cache(1 << 20);
  const absl::Time now = absl::UnixEpoch();
  cache.Add("car", matrices, now + absl::Seconds(1));
  EXPECT_NE(cache.Find("car", matrices->places, now), nullptr);
  EXPECT_EQ(cache.Find("car", matrices->places, now + absl::Seconds(1)), nullptr);
  EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace vrp
