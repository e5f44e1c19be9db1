// A service for tests that answers over HTTP on loopback.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/config/road_network_options.h"

namespace vrp::test {

struct FakeRequest {
  std::string target;
  std::string body;
  int number = 0;  // counts all requests from 1
};

// Bytes that the service sends. They need not be valid HTTP.
struct FakeReply {
  std::string bytes;
  bool close = false;  // whether the service closes the connection after the bytes
  // Whether the service sends nothing, and keeps the connection until the client closes it or the
  // service ends.
  bool silent = false;
};

// Returns an HTTP reply with a JSON body.
FakeReply JsonReply(const std::string& body, int status = 200);

// A server with a thread for each connection. Answers with the returned reply of `handle`, which is
// called by one thread at a time.
class FakeRoadService {
 public:
  using Handler = std::function<FakeReply(const FakeRequest&)>;
  explicit FakeRoadService(Handler handle);
  ~FakeRoadService();
  FakeRoadService(const FakeRoadService&) = delete;
  FakeRoadService& operator=(const FakeRoadService&) = delete;

  // Returns a network of this name at the service, with one try and a timeout of 10 s.
  RoadNetworkOptions Network(const std::string& name, RoadServiceKind kind) const;
  int port() const { return port_; }
  std::vector<FakeRequest> requests() const;
  // Returns the largest number of requests that were in flight at the same time.
  int most_at_once() const { return most_at_once_; }

 private:
  void Accept();
  void Serve(int socket);
  FakeReply Handle(FakeRequest request);

  const Handler handle_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  std::atomic<int> at_once_ = 0;
  std::atomic<int> most_at_once_ = 0;
  mutable absl::Mutex mutex_;
  absl::Mutex handle_mutex_;
  std::vector<FakeRequest> requests_ ABSL_GUARDED_BY(mutex_);
  std::vector<int> sockets_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

// OsrmReply returns the reply to a table request of OSRM on a grid: 10 s and 100 m for each
// thousandth of a degree between two places. `connected` says whether a road leads from one to the
// other; null: always.
using IsConnected = std::function<bool(double from_longitude, double to_longitude)>;
FakeReply OsrmReply(const FakeRequest& request, const IsConnected& connected = nullptr);

}  // namespace vrp::test
