#include "server/roads/http_client.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "server/roads/http_connection.h"

namespace vrp {

namespace asio = boost::asio;
using asio::ip::tcp;

struct HttpClient::Tls {
  asio::ssl::context context{asio::ssl::context::tls_client};
};

namespace {

// Longest wait between two checks of the stop condition.
constexpr std::chrono::milliseconds kStopPoll{10};
// Interval at which a request checks for a free slot.
constexpr std::chrono::milliseconds kSlotPoll{2};
// Longest pause before a further try.
constexpr absl::Duration kMaxPause = absl::Seconds(5);

// Files of CA certificates. OpenSSL finds the file of Debian by itself, but not those of other
// systems.
constexpr const char* kAuthorityFiles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                           "/etc/pki/tls/certs/ca-bundle.crt",
                                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

// Trusts the certificate authorities (CAs) of SSL_CERT_FILE and SSL_CERT_DIR, or else those of the
// system.
void TrustSystem(asio::ssl::context& context) {
  context.set_default_verify_paths();
  context.set_verify_mode(asio::ssl::verify_peer);
  if (getenv("SSL_CERT_FILE") != nullptr || getenv("SSL_CERT_DIR") != nullptr) return;
  for (const char* file : kAuthorityFiles) {
    struct stat found = {};
    if (stat(file, &found) != 0) continue;
    context.load_verify_file(file);
    return;
  }
}

bool IsOverloaded(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

std::chrono::nanoseconds ToChrono(absl::Duration duration) {
  return absl::ToChronoNanoseconds(duration);
}

}  // namespace

// One call of Run: coroutines on the caller's thread, each with a connection of its own.
class HttpRun {
 public:
  HttpRun(HttpClient& client, const std::vector<RoadCall>& calls, size_t max_answer_bytes,
          HttpClient::AnswerFn on_answer)
      : client_(client),
        calls_(calls),
        max_answer_bytes_(max_answer_bytes),
        on_answer_(on_answer) {}
  ~HttpRun() { client_.busy_ -= held_; }

  absl::Status Run(const StopCondition& stop) {
    const auto workers = std::min<size_t>(client_.options_.connections, calls_.size());
    for (size_t i = 0; i < workers; ++i) asio::co_spawn(io_, Work(), asio::detached);
    while (answered_ < calls_.size() && status_.ok()) {
      const StopReason reason = stop.Check();
      if (reason == StopReason::kCancelled) return absl::CancelledError("the call was cancelled");
      if (reason == StopReason::kDeadline) {
        return absl::DeadlineExceededError("the deadline passed before it answered");
      }
      io_.run_one_for(kStopPoll);
    }
    return status_;
  }

 private:
  template <typename T = void>
  using Awaitable = asio::awaitable<T>;

  Awaitable<> Pause(std::chrono::nanoseconds duration) {
    asio::steady_timer timer(io_, duration);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  Awaitable<> Work() {
    HttpConnection connection(io_, client_.options_.url,
                              client_.tls_ == nullptr ? nullptr : &client_.tls_->context);
    try {
      while (next_ < calls_.size() && status_.ok()) {
        const size_t index = next_++;
        co_await TakeSlot();
        co_await Answer(index, connection);
        --held_;
        --client_.busy_;
      }
    } catch (const std::exception& error) {
      Fail(absl::InternalError(Concat("the HTTP client failed: ", error.what())));
    }
  }

  // Waits until fewer than `connections` requests of all runs are in flight.
  Awaitable<> TakeSlot() {
    while (true) {
      int32_t busy = client_.busy_.load();
      if (busy < client_.options_.connections &&
          client_.busy_.compare_exchange_strong(busy, busy + 1)) {
        ++held_;
        co_return;
      }
      co_await Pause(kSlotPoll);
    }
  }

  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  Awaitable<> Answer(size_t index, HttpConnection& connection) {
    absl::Duration pause = client_.options_.first_pause;
    for (int32_t tries = 1;; ++tries) {
      absl::StatusOr<HttpAnswer> answer = co_await Try(calls_[index], connection);
      if (answer.ok()) {
        const absl::Status status = on_answer_(index, *std::move(answer));
        ++answered_;
        if (!status.ok()) Fail(status);
        co_return;
      }
      if (!absl::IsUnavailable(answer.status())) co_return Fail(answer.status());
      if (tries == client_.options_.tries) {
        co_return Fail(absl::UnavailableError(Concat(
            FromAbsl(answer.status().message()), tries == 1 ? "" : Concat(", ", tries, " times"))));
      }
      co_await Pause(ToChrono(std::min(pause, kMaxPause)));
      pause *= 2;
    }
  }

  Awaitable<absl::StatusOr<HttpAnswer>> Try(const RoadCall& call, HttpConnection& connection) {
    const absl::Time begun = SteadyNow();
    const HttpClient::Options& options = client_.options_;
    const auto deadline = std::chrono::steady_clock::now() + ToChrono(options.timeout);
    absl::StatusOr<HttpAnswer> answer =
        co_await connection.Exchange(call, max_answer_bytes_, deadline);
    if (answer.ok() && IsOverloaded(answer->status)) {
      answer = absl::UnavailableError(Concat("it answers with HTTP status ", answer->status));
    }
    if (options.observer.on_try != nullptr) {
      options.observer.on_try(SteadyNow() - begun, answer.status());
    }
    co_return answer;
  }

  HttpClient& client_;
  const std::vector<RoadCall>& calls_;
  const size_t max_answer_bytes_;
  const HttpClient::AnswerFn on_answer_;
  size_t next_ = 0;
  size_t answered_ = 0;
  int32_t held_ = 0;  // slots of this run in client_.busy_
  absl::Status status_;
  asio::io_context io_;  // last: its destructor ends the coroutines, which use the other members
};

HttpClient::HttpClient(Options options, std::unique_ptr<Tls> tls)
    : options_(std::move(options)), tls_(std::move(tls)) {}

HttpClient::~HttpClient() = default;

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Create(Options options) {
  std::unique_ptr<Tls> tls;
  if (options.url.tls) {
    try {
      tls = std::make_unique<Tls>();
      TrustSystem(tls->context);
    } catch (const boost::system::system_error& error) {
      return absl::InternalError(
          Concat("cannot read the system's certificate authorities: ", error.what()));
    }
  }
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(options), std::move(tls)));
}

absl::Status HttpClient::Run(const std::vector<RoadCall>& calls, size_t max_answer_bytes,
                             const StopCondition& stop, AnswerFn on_answer) {
  if (calls.empty()) return absl::OkStatus();
  return HttpRun(*this, calls, max_answer_bytes, on_answer).Run(stop);
}

}  // namespace vrp
