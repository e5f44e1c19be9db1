// Tests how the HTTP server reads requests, over connections in memory.
#include "server/http/http_request.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/http/memory_stream.h"

namespace vrp {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Outcome of a connection.
struct Outcome {
  std::vector<std::string> requests;  // "METHOD PATH QUERY BODY"
  int refusal = 0;                    // status of an HttpRefusal; 0: none
  std::string reason;                 // its message
  bool broke = false;                 // whether the connection ended within a request
};

// Reads all requests of a connection.
boost::asio::awaitable<void> ReadAll(HttpRequestReader& reader, Outcome& outcome) {
  try {
    while (true) {
      co_await reader.ReadHead();
      std::string body;
      while (true) {
        const std::string part = co_await reader.ReadPart();
        if (part.empty()) break;
        body += part;
      }
      outcome.requests.push_back(
          Concat(reader.method(), " ", reader.path(), " ", reader.query(), " ", body));
    }
  } catch (const HttpRefusal& refusal) {
    outcome.refusal = refusal.status;
    outcome.reason = refusal.message;
  } catch (const boost::system::system_error&) {
    outcome.broke = reader.has_begun();
  }
}

Outcome Read(test::MemoryPeer& peer, const HttpTimeouts& timeouts = {}) {
  boost::asio::io_context io;
  test::MemoryStream stream(io.get_executor(), peer);
  HttpRequestReader reader(stream, timeouts);
  Outcome outcome;
  test::RunCoroutine(io,
                     [&]() -> boost::asio::awaitable<void> { co_await ReadAll(reader, outcome); });
  return outcome;
}

Outcome Read(std::string bytes) {
  test::MemoryPeer peer;
  peer.pieces.push_back(std::move(bytes));
  return Read(peer);
}

constexpr char kPost[] = "POST /v1/solve?a=b HTTP/1.1\r\nHost: localhost\r\n";

TEST(HttpRequestTest, ReadsPipelinedRequestsInOrder) {
  const Outcome outcome =
      Read(Concat(kPost, "Content-Length: 5\r\n\r\nfirst", "GET /x HTTP/1.1\r\n\r\n", kPost,
                  "Transfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3;ext=1\r\nond\r\n0\r\n\r\n"));
  EXPECT_EQ(outcome.requests, (std::vector<std::string>{"POST /v1/solve a=b first", "GET /x  ",
                                                        "POST /v1/solve a=b second"}));
  EXPECT_EQ(outcome.refusal, 0);
}

TEST(HttpRequestTest, ReadsRequestsThatComeByteByByte) {
  const std::string bytes =
      Concat(kPost, "Content-Length: 5\r\n\r\nfirst", kPost,
             "Transfer-Encoding: chunked\r\n\r\n6\r\nsecond\r\n0\r\nTrailer: x\r\n\r\n");
  test::MemoryPeer peer;
  for (const char byte : bytes) peer.pieces.emplace_back(1, byte);
  EXPECT_EQ(Read(peer).requests,
            (std::vector<std::string>{"POST /v1/solve a=b first", "POST /v1/solve a=b second"}));
}

TEST(HttpRequestTest, ReadsLargeBodiesInParts) {
  const std::string body(300'000, 'x');
  const Outcome outcome = Read(Concat(kPost, "Content-Length: 300000\r\n\r\n", body));
  ASSERT_EQ(outcome.requests.size(), 1u);
  EXPECT_EQ(outcome.requests[0], "POST /v1/solve a=b " + body);
}

TEST(HttpRequestTest, RefusesMalformedAndOversizeRequests) {
  const std::string huge(40'000, 'a');
  const std::vector<std::pair<std::string, int>> cases = {
      {"\x16\x03\x01 nonsense\r\n\r\n", 400},
      {"GET / SMTP/1.0\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nNo colon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nA\x01: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
      {Concat(kPost, "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},
      {Concat(kPost, "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400},
      {Concat(kPost, "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"), 400},
      {Concat("GET / HTTP/1.1\r\nX: ", huge, "\r\n\r\n"), 431},
      {Concat("GET /", huge, " HTTP/1.1\r\n\r\n"), 431},
      {Concat("GET / HTTP/1.1\r\n", huge), 431},
  };
  for (const auto& [bytes, status] : cases) {
    const Outcome outcome = Read(bytes);
    EXPECT_EQ(outcome.refusal, status) << bytes.substr(0, 100) << ": " << outcome.reason;
    EXPECT_TRUE(outcome.requests.empty()) << bytes.substr(0, 100);
  }
}

TEST(HttpRequestTest, RefusesEndlessTrailersAndChunkHeads) {
  for (const char* begin : {"0\r\nX: ", "5;"}) {
    test::MemoryPeer peer;
    peer.pieces.push_back(Concat(kPost, "Transfer-Encoding: chunked\r\n\r\n", begin));
    for (int i = 0; i < 1000; ++i) peer.pieces.emplace_back(10'000, 'a');
    const Outcome outcome = Read(peer);
    EXPECT_TRUE(outcome.refusal == 431 || outcome.refusal == 400) << begin;
    EXPECT_GT(peer.pieces.size(), 950u) << "the server reads no more than it must";
  }
}

TEST(HttpRequestTest, ReportsABrokenConnection) {
  EXPECT_TRUE(Read("GET / HT").broke);
  EXPECT_TRUE(Read(Concat(kPost, "Content-Length: 5\r\n\r\nfir")).broke);
  EXPECT_TRUE(Read(Concat(kPost, "Transfer-Encoding: chunked\r\n\r\n5\r\nfir")).broke);
  EXPECT_FALSE(Read("GET / HTTP/1.1\r\n\r\n").broke) << "between requests";
}

TEST(HttpRequestTest, AnswersExpect100ContinueBeforeTheBody) {
  test::MemoryPeer peer;
  peer.pieces = {Concat(kPost, "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"), "ab"};
  EXPECT_EQ(Read(peer).requests.size(), 1u);
  EXPECT_EQ(peer.written, "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST(HttpRequestTest, BoundsTheTimeOfAHeadFromItsFirstByte) {
  const HttpTimeouts timeouts;
  test::MemoryPeer peer;
  peer.pieces = {"G", "E", "T / HTTP/1.1\r\n\r\n"};
  const auto begun = steady_clock::now();
  Read(peer, timeouts);
  const auto ended = steady_clock::now();
  ASSERT_EQ(peer.deadlines.size(), 4u);
  EXPECT_GE(peer.deadlines[0], begun + timeouts.idle);
  EXPECT_EQ(peer.deadlines[1], peer.deadlines[2]) << "further bytes do not extend the deadline";
  EXPECT_LE(peer.deadlines[2], ended + timeouts.head);
}

TEST(HttpRequestTest, BoundsTheTimeOfASlowBody) {
  const HttpTimeouts timeouts;
  test::MemoryPeer peer;
  peer.pieces = {Concat(kPost, "Content-Length: 9000\r\n\r\n"), std::string(8192, 'x'), "x", "x"};
  Read(peer, timeouts);
  ASSERT_EQ(peer.deadlines.size(), 5u);
  const auto now = steady_clock::now();
  EXPECT_LE(peer.deadlines[1], now + timeouts.lateness);
  const auto earned = peer.deadlines[2] - peer.deadlines[1];
  EXPECT_EQ(earned, milliseconds(int64_t{8192} * 1000 / timeouts.min_body_rate)) << "two seconds";
  EXPECT_LT(peer.deadlines[3] - peer.deadlines[2], milliseconds(1))
      << "one byte extends the deadline by less than 1 ms";
}

TEST(HttpRequestTest, FindsRepeatedHeaders) {
  test::MemoryPeer peer;
  peer.pieces = {"GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nX: c\r\n\r\n"};
  boost::asio::io_context io;
  test::MemoryStream stream(io.get_executor(), peer);
  const HttpTimeouts timeouts;
  HttpRequestReader reader(stream, timeouts);
  test::RunCoroutine(io, [&] { return reader.ReadHead(); });
  EXPECT_TRUE(reader.repeats("Host"));
  EXPECT_FALSE(reader.repeats("x"));
  EXPECT_EQ(reader.header("x"), "c");
  EXPECT_EQ(reader.header("none"), "");
}

}  // namespace
}  // namespace vrp
