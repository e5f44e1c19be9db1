// Calls an HTTP service at one address. This header does not need Asio.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "server/config/road_network_options.h"
#include "server/roads/road_service.h"

namespace vrp {

struct HttpAnswer {
  int status = 0;
  std::string body = {};
};

// The events that HttpClient reports. Functions are called from the threads that call Run.
struct HttpObserver {
  // Called for each try, with its duration and its error, if any.
  std::function<void(absl::Duration, const absl::Status&)> on_try;
};

// A client of one service. Thread-safe. Calls no other address: it follows no redirects and uses no
// proxy. With https it verifies the certificate and its host name by the certificate authorities
// (CAs) of SSL_CERT_FILE and SSL_CERT_DIR, or else those of the system.
class HttpClient {
 public:
  struct Options {
    RoadUrl url;
    int32_t connections = 1;                     // concurrent requests over all calls of Run
    int32_t tries = 1;                           // largest number of tries per request
    absl::Duration timeout = absl::Seconds(30);  // limit of each try
    // Pause before the second try. It doubles for each further try, up to 5 s.
    absl::Duration first_pause = absl::Milliseconds(100);
    HttpObserver observer = {};
  };

  // Returns kInternal if the CA certificates for https cannot be read.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(Options options);
  ~HttpClient();

  // Sends all requests, in any order, and calls `on_answer` on this thread for each answer. The
  // status is neither a redirect nor that of an overloaded service (429, 502, 503, 504). Blocks
  // until all requests have answers.
  //
  // Tries a request again if the connection fails, the time is up or the service is overloaded.
  // Returns the first error of `on_answer`, or kUnavailable after the last try. Returns
  // kFailedPrecondition for a redirect, an untrusted certificate, and an answer that is not HTTP or
  // exceeds `max_answer_bytes`. Returns kCancelled or kDeadlineExceeded once `stop` does; the
  // client polls `stop` at least every 20 ms.
  using AnswerFn = absl::FunctionRef<absl::Status(size_t index, HttpAnswer answer)>;
  absl::Status Run(const std::vector<RoadCall>& calls, size_t max_answer_bytes,
                   const StopCondition& stop, AnswerFn on_answer);

 private:
  friend class HttpRun;
  struct Tls;  // hides OpenSSL
  HttpClient(Options options, std::unique_ptr<Tls> tls);

  const Options options_;
  const std::unique_ptr<Tls> tls_;  // null for http
  std::atomic<int32_t> busy_ = 0;   // requests in flight
};

}  // namespace vrp
