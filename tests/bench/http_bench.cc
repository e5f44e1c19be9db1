// Compares POST /v1/solve over HTTP with the same RPC over gRPC: latencies and requests per second.
// The instance has 5 customers, and its search makes one iteration. Each client keeps its
// connection and has a thread of its own. HTTP and gRPC alternate, on the same cores as the
// clients.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/fast_locks.h"
#include "core/base/open_file.h"
#include "core/base/steady_time.h"
#include "core/problem/generate/generators.h"
#include "google/protobuf/util/json_util.h"
#include "grpcpp/client_context.h"
#include "tests/bench/bench_daemon.h"
#include "tests/bench/json_line.h"
#include "tests/bench/load_client.h"
#include "tests/bench/or_exit.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp {
namespace {

constexpr int kThreads = 2;
constexpr int kCustomers = 5;
constexpr int kRounds = 7;

[[noreturn]] void Fail(const std::string& why) {
  std::cerr << "http_bench: " << why << "\n";
  std::exit(1);
}

v1::SolveRequest TinyRequest() {
  v1::SolveRequest request;
  *request.mutable_instance() =
      MessageOf(Value(GenerateInstances({.customers = kCustomers, .seed = 7}, 1))[0]);
  request.set_strategy(v1::STRATEGY_SEARCH);
  request.mutable_stop()->set_max_iterations(1);
  return request;
}

// A connection that sends the same request again and again.
class HttpClient {
 public:
  HttpClient(const std::string& address, const std::string& body)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)),
        request_(absl::StrCat("POST /v1/solve HTTP/1.1\r\nHost: ", address,
                              "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
                              "\r\n\r\n", body)) {
    const size_t colon = address.rfind(':');
    sockaddr_in server = {};
    server.sin_family = AF_INET;
    server.sin_port = htons(static_cast<uint16_t>(std::atoi(address.c_str() + colon + 1)));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &server.sin_addr);
    const int one = 1;
    setsockopt(socket_.descriptor(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (connect(socket_.descriptor(), reinterpret_cast<const sockaddr*>(&server), sizeof(server)) !=
        0) {
      Fail("cannot connect to the daemon's HTTP address " + address);
    }
  }

  void Ask() {
    if (send(socket_.descriptor(), request_.data(), request_.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request_.size())) {
      Fail("the daemon closed the connection before the request was sent");
    }
    answer_.clear();
    size_t wanted = std::string::npos;
    while (answer_.size() < wanted) {
      char bytes[16 << 10];
      const ssize_t got = recv(socket_.descriptor(), bytes, sizeof(bytes), 0);
      if (got <= 0) Fail("the daemon closed the connection before its response was complete");
      answer_.append(bytes, static_cast<size_t>(got));
      if (wanted == std::string::npos) wanted = SizeOfAnswer();
    }
    if (answer_.find("\"feasible\":true") == std::string::npos) {
      Fail("wanted a feasible plan, got " + answer_);
    }
  }

 private:
  // Returns the size of header and body in bytes, or npos while the header is incomplete.
  size_t SizeOfAnswer() const {
    static constexpr char kLength[] = "Content-Length: ";
    const size_t end = answer_.find("\r\n\r\n");
    if (end == std::string::npos) return end;
    const size_t length = answer_.find(kLength);
    if (length > end) Fail("wanted a Content-Length, got " + answer_);
    return end + 4 +
           static_cast<size_t>(std::atoll(answer_.c_str() + length + sizeof(kLength) - 1));
  }

  const OpenFile socket_;
  const std::string request_;
  std::string answer_;
};

// The results of all rounds of one side. p50 and p99 are in milliseconds.
struct Side {
  std::vector<double> p50, p99, per_second;
};

// Runs `clients` threads. Each makes its own client with `make` and sends requests for `duration`.
void RunRound(int clients, absl::Duration duration,
              const std::function<std::function<void()>()>& make, Side& side) {
  std::vector<std::vector<double>> latencies(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  for (std::vector<double>& own : latencies) {
    threads.emplace_back([&own, &make, duration] {
      const std::function<void()> ask = make();
      ask();  // opens the connection
      const absl::Time end = SteadyNow() + duration;
      for (absl::Time begun = SteadyNow(); begun < end;) {
        ask();
        const absl::Time now = SteadyNow();
        own.push_back(absl::ToDoubleMilliseconds(now - begun));
        begun = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  for (const std::vector<double>& own : latencies) all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  side.p50.push_back(Percentile(all, 0.5));
  side.p99.push_back(Percentile(all, 0.99));
  side.per_second.push_back(static_cast<double>(all.size()) / absl::ToDoubleSeconds(duration));
}

void Measure(const BenchDaemon& daemon, int clients, absl::Duration duration) {
  const v1::SolveRequest request = TinyRequest();
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(request, &json).ok())
    Fail("cannot write the request as JSON");
  const auto over_http = [&]() -> std::function<void()> {
    return [client = std::make_shared<HttpClient>(daemon.http_address(), json)] { client->Ask(); };
  };
  const auto over_grpc = [&]() -> std::function<void()> {
    std::shared_ptr<v1::SolverService::Stub> stub = v1::SolverService::NewStub(daemon.Connect());
    return [stub, &request] {
      grpc::ClientContext context;
      v1::SolveResponse response;
      const grpc::Status status = stub->Solve(&context, request, &response);
      if (!status.ok()) Fail("the solve over gRPC failed: " + status.error_message());
      if (!response.feasible()) Fail("the plan of a solve over gRPC is infeasible");
    };
  };
  Side http, grpc, warm;
  RunRound(clients, duration, over_http, warm);
  RunRound(clients, duration, over_grpc, warm);
  for (int i = 0; i < kRounds; ++i) {
    RunRound(clients, duration, over_http, http);
    RunRound(clients, duration, over_grpc, grpc);
  }
  PrintMeasurement({{"what", "http_beside_grpc"},
                    {"customers", kCustomers},
                    {"clients", clients},
                    {"http_p50_ms", Median(http.p50)},
                    {"grpc_p50_ms", Median(grpc.p50)},
                    {"http_p99_ms", Median(http.p99)},
                    {"grpc_p99_ms", Median(grpc.p99)},
                    {"http_per_s", Median(http.per_second)},
                    {"grpc_per_s", Median(grpc.per_second)},
                    {"json_bytes", json.size()},
                    {"message_bytes", request.ByteSizeLong()},
                    {"rounds", kRounds}},
                   kThreads);
}

}  // namespace
}  // namespace vrp

// Takes the seconds of each round (default 1).
int main(int argc, char** argv) {
  vrp::DisableDeadlockDetection();
  const absl::Duration each = absl::Seconds(argc > 1 ? std::atof(argv[1]) : 1.0);
  const vrp::BenchDaemon daemon(vrp::kThreads);
  for (const int clients : {1, 4}) vrp::Measure(daemon, clients, each);
  return 0;
}
