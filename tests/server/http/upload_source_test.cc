// Tests how bodies of requests become the messages of client streams.
#include "server/http/upload_source.h"

#include <cstring>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/http/http_handler.h"
#include "server/http/http_routes.h"
#include "tests/server/http/memory_stream.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {
namespace {

using testing::HasSubstr;

constexpr char kLines[] = "application/x-ndjson";
constexpr char kBytes[] = "application/octet-stream";

// The messages of an upload and how it ended.
struct Uploaded {
  bool takes_type = true;  // whether the RPC takes the media type
  std::vector<std::string> messages;
  absl::Status status;
};

boost::asio::awaitable<void> Collect(HttpExchange& exchange, const HttpRoute& route,
                                     Uploaded& uploaded) {
  co_await exchange.request.ReadHead();
  std::optional<UploadSource> source = UploadSource::Of(exchange, route);
  uploaded.takes_type = source.has_value();
  while (source.has_value()) {
    absl::StatusOr<std::optional<std::string>> message = co_await source->Next();
    uploaded.status = message.status();
    if (!message.ok() || !message->has_value()) co_return;
    uploaded.messages.push_back(**std::move(message));
  }
}

Uploaded Upload(const std::string& target, const std::string& type, const std::string& body,
                size_t piece = 1000, int64_t limit = 1 << 20) {
  boost::asio::io_context io;
  HttpContext context;
  context.max_message_bytes = limit;
  context.bodies = std::make_unique<MessageBudget>(
      MessageBudget::Options{.per_message = limit, .total = 4 * limit});
  test::MemoryPeer peer;
  peer.pieces.push_back(Concat("POST ", target, " HTTP/1.1\r\nContent-Type: ", type,
                               "\r\nContent-Length: ", body.size(), "\r\n\r\n"));
  for (size_t i = 0; i < body.size(); i += piece) peer.pieces.push_back(body.substr(i, piece));
  HttpExchange exchange(std::make_unique<test::MemoryStream>(io.get_executor(), peer), context);
  const absl::StatusOr<HttpRouteMatch> match =
      FindHttpRoute(HttpRoutes(), "POST", target.substr(0, target.find('?')));
  Uploaded uploaded;
  test::RunCoroutine(io, [&]() -> boost::asio::awaitable<void> {
    co_await Collect(exchange, *match->route, uploaded);
  });
  EXPECT_LE(context.bodies->taken(), 4 * limit);
  return uploaded;
}

template <typename Message>
Message Parsed(const std::string& bytes) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return message;
}

TEST(UploadSourceTest, ReadsALinePerMessage) {
  for (const size_t piece : {1, 7, 1000}) {
    const Uploaded uploaded =
        Upload("/v1/solve:batch", kLines,
               "{\"id\": \"a\"}\n\n  \r\n{\"id\":\"b\"}\r\n{\"id\":\"c\"}", piece);
    EXPECT_TRUE(uploaded.status.ok()) << uploaded.status;
    ASSERT_EQ(uploaded.messages.size(), 3u);
    EXPECT_EQ(Parsed<v1::BatchSolveRequest>(uploaded.messages[1]).id(), "b");
    EXPECT_EQ(Parsed<v1::BatchSolveRequest>(uploaded.messages[2]).id(), "c");
  }
  EXPECT_TRUE(Upload("/v1/solve:batch", kLines, "").messages.empty());
}

TEST(UploadSourceTest, NamesTheWrongLine) {
  const Uploaded uploaded = Upload("/v1/solve:batch", kLines, "{}\n\n{\"id\": 1,}\n{}\n");
  EXPECT_EQ(uploaded.messages.size(), 1u);
  EXPECT_EQ(uploaded.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(uploaded.status.ToString(), HasSubstr("line 3: "));
}

TEST(UploadSourceTest, RefusesLinesAboveTheLimit) {
  const std::string line = "{\"id\": \"" + std::string(5000, 'x') + "\"}\n";
  EXPECT_EQ(Upload("/v1/solve:batch", kLines, line + line, 700, 6000).messages.size(), 2u);
  const Uploaded uploaded = Upload("/v1/solve:batch", kLines, "{}\n" + line, 700, 4000);
  EXPECT_EQ(uploaded.messages.size(), 1u);
  EXPECT_EQ(uploaded.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(uploaded.status.ToString(), HasSubstr("line 2"));
}

TEST(UploadSourceTest, RefusesAQueryBesideLines) {
  const Uploaded uploaded = Upload("/v1/matrices?size=2", kLines, "{}");
  EXPECT_EQ(uploaded.status.code(), absl::StatusCode::kInvalidArgument);
}

TEST(UploadSourceTest, TakesOnlyTheMediaTypesOfTheRpc) {
  EXPECT_FALSE(Upload("/v1/solve:batch", kBytes, "{}").takes_type);
  EXPECT_FALSE(Upload("/v1/models:import", kBytes, "{}").takes_type);
  EXPECT_FALSE(Upload("/v1/matrices", "text/plain", "{}").takes_type);
}

TEST(UploadSourceTest, WrapsRawBytes) {
  const std::string file(1'500'000, 'x');
  const Uploaded uploaded =
      Upload("/v1/datasets?name=a&fileName=b.jsonl", kBytes, file, 100'000, 1 << 20);
  ASSERT_TRUE(uploaded.status.ok()) << uploaded.status;
  ASSERT_GE(uploaded.messages.size(), 3u);
  const auto header = Parsed<v1::UploadDatasetRequest>(uploaded.messages[0]).header();
  EXPECT_EQ(header.name(), "a");
  EXPECT_EQ(header.file_name(), "b.jsonl");
  EXPECT_EQ(header.size_bytes(), 1'500'000) << "from Content-Length";
  std::string joined;
  for (size_t i = 1; i < uploaded.messages.size(); ++i) {
    joined += Parsed<v1::UploadDatasetRequest>(uploaded.messages[i]).chunk();
    EXPECT_LE(uploaded.messages[i].size(), size_t{1} << 20);
  }
  EXPECT_EQ(joined, file);
}

TEST(UploadSourceTest, WrapsRawDoubles) {
  const std::vector<double> values = {0, 1.5, -2, 3e300};
  std::string bytes(values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const Uploaded uploaded = Upload("/v1/matrices?size=2", kBytes, bytes, 3);
  ASSERT_EQ(uploaded.messages.size(), 2u) << uploaded.status;
  EXPECT_EQ(Parsed<v1::UploadMatricesRequest>(uploaded.messages[0]).header().size(), 2);
  const auto chunk = Parsed<v1::UploadMatricesRequest>(uploaded.messages[1]).chunk();
  EXPECT_EQ(std::vector<double>(chunk.values().begin(), chunk.values().end()), values);
  const Uploaded torn = Upload("/v1/matrices?size=2", kBytes, bytes.substr(0, 9));
  EXPECT_EQ(torn.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(torn.messages.size(), 2u) << "the whole double before the torn one";
}

TEST(UploadSourceTest, RefusesWrongHeadersOfRawUploads) {
  for (const char* query : {"size=many", "nonsense=1", "size=1&size=2", "size"}) {
    const Uploaded uploaded = Upload(Concat("/v1/matrices?", query), kBytes, "");
    EXPECT_EQ(uploaded.status.code(), absl::StatusCode::kInvalidArgument) << query;
  }
}

}  // namespace
}  // namespace vrp
