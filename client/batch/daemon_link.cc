#include "client/batch/daemon_link.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr int64_t kUsualInFlight = 16;  // with a daemon that does not tell its threads
constexpr absl::Duration kFirstPause = absl::Milliseconds(200);
constexpr absl::Duration kMaxPause = absl::Seconds(5);

// Whether another try may succeed without any change by the user.
bool MaySucceedLater(const absl::Status& status) {
  return status.ok() || absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         absl::IsCancelled(status) || absl::IsInternal(status) || absl::IsUnknown(status) ||
         absl::IsDeadlineExceeded(status);
}

class DaemonLink {
 public:
  DaemonLink(RpcClient& client, size_t number, const LinkContext& context)
      : client_(client), number_(number), context_(context) {}

  void Run() {
    while (!context_.state.ended()) {
      const absl::Status status = Serve();
      if (context_.state.ended()) return;
      if (!MaySucceedLater(status)) return context_.state.End(WithRemote(status));
      context_.state.GiveUpAfterLoss(WithRemote(status));
      if (!std::exchange(is_lost_, true)) {
        context_.notice(absl::StrCat(client_.remote(), ": lost: ", status.message()));
      }
      if (context_.interrupt.WaitFor(pause_)) return;
      pause_ = std::min(2 * pause_, kMaxPause);
    }
  }

 private:
  absl::Status WithRemote(const absl::Status& status) const {
    absl::Status named(status.code(), absl::StrCat(client_.remote(), ": ", status.message()));
    status.ForEachPayload(
        [&](absl::string_view url, const absl::Cord& value) { named.SetPayload(url, value); });
    return named;
  }

  // Returns kUnavailable if the daemon cannot be reached.
  absl::Status ChooseInFlight() {
    int64_t in_flight = context_.in_flight;
    if (in_flight == 0) {
      const absl::StatusOr<v1::ServerInfo> info =
          client_.Call(&v1::SystemService::Stub::GetServerInfo, v1::GetServerInfoRequest());
      if (absl::IsUnavailable(info.status())) return info.status();
      in_flight = info.ok() ? std::max<int64_t>(2 * int64_t{info->threads()}, 2) : kUsualInFlight;
    }
    context_.state.SetInFlight(number_, in_flight);
    return absl::OkStatus();
  }

  // Opens a stream and uses it until it ends.
  absl::Status Serve() {
    const absl::Status reached = ChooseInFlight();
    if (!reached.ok()) return reached;
    context_.state.Connect(number_);
    const absl::Status status = client_.Exchange(
        &v1::SolverService::Stub::BatchSolve, [this] { return NextRequest(); },
        [this](const v1::BatchSolveResponse& response) { Receive(response); },
        [this] { context_.state.Disconnect(number_); });
    return status;
  }

  std::optional<v1::BatchSolveRequest> NextRequest() {
    const std::shared_ptr<const BatchItem> item = context_.state.Take(number_);
    if (item == nullptr) return std::nullopt;
    v1::BatchSolveRequest request;
    request.set_id(absl::StrCat(item->number));
    *request.mutable_solve() = context_.request;
    *request.mutable_solve()->mutable_file() = item->file;
    return request;
  }

  void Receive(const v1::BatchSolveResponse& response) {
    int64_t number = -1;
    if (!absl::SimpleAtoi(response.id(), &number)) return;
    if (response.has_response()) {
      pause_ = kFirstPause;
      if (std::exchange(is_lost_, false)) {
        context_.notice(absl::StrCat(client_.remote(), ": answers again"));
      }
      context_.state.Answer(number_, number, response.response());
      return;
    }
    const absl::Status error(static_cast<absl::StatusCode>(response.error().code()),
                             response.error().message());
    if (absl::IsNotFound(error)) {
      context_.state.End(WithRemote(error));
    } else if (absl::IsUnavailable(error) || absl::IsResourceExhausted(error)) {
      context_.interrupt.WaitFor(kFirstPause);
      context_.state.Refuse(number_, number);
    } else {
      context_.state.Fail(number_, number, error);
    }
  }

  RpcClient& client_;
  const size_t number_;
  const LinkContext& context_;
  absl::Duration pause_ = kFirstPause;
  bool is_lost_ = false;  // used by both threads of an exchange, but never by both at once
};

}  // namespace

void RunDaemonLink(RpcClient& client, size_t number, const LinkContext& context) {
  DaemonLink(client, number, context).Run();
}

}  // namespace vrp::client
