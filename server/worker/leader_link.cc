#include "server/worker/leader_link.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/jobs/progress_json.h"
#include "grpcpp/grpcpp.h"
#include "server/worker/training_messages.h"

namespace vrp {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(100);  // between two reports
constexpr absl::Duration kCallLimit = absl::Seconds(10);
// Longest time of a publication by the daemon, which may wait for its disk.
constexpr absl::Duration kPublicationLimit = absl::Hours(24);

absl::Status ToStatus(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

std::unique_ptr<worker::WorkerService::Stub> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return worker::WorkerService::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

}  // namespace

LeaderLink::LeaderLink(Options options)
    : options_(std::move(options)), stub_(Connect(options_.address)) {}

LeaderLink::~LeaderLink() { EndReports(); }

void LeaderLink::Prepare(grpc::ClientContext& context, absl::Duration timeout) const {
  context.AddMetadata(kWorkerToken, options_.token);
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
}

absl::StatusOr<TrainingRequest> LeaderLink::Start(int32_t ranks) {
  grpc::ClientContext context;
  Prepare(context, kCallLimit);
  worker::StartRequest request;
  request.set_ranks(ranks);
  worker::Training training;
  VRP_RETURN_IF_ERROR(ToStatus(stub_->Start(&context, request, &training)));
  VRP_ASSIGN_OR_RETURN(TrainingRequest made, FromMessage(training));
  made.live = &live_;
  made.end_early = end_early_;
  reports_ = std::thread([this] { ReportAll(); });
  return made;
}

void LeaderLink::EndReports() {
  if (!reports_.joinable()) return;
  live_.Close(absl::UnavailableError("the training has ended"));
  {
    absl::MutexLock lock(&mutex_);
    closing_ = true;
  }
  changed_.NotifyAll();
  reports_.join();
  if (live_writer_.joinable()) live_writer_.join();
}

absl::Status LeaderLink::Finish(const absl::StatusOr<TrainingResult>& outcome) {
  EndReports();
  Report();
  grpc::ClientContext context;
  Prepare(context, kCallLimit);
  worker::Empty reply;
  return ToStatus(stub_->Finish(&context, ToMessage(outcome), &reply));
}

void LeaderLink::ReportAll() {
  while (true) {
    if (!Report()) {
      options_.on_lost();
      return;
    }
    absl::MutexLock lock(&mutex_);
    const bool over = changed_.WaitFor(
        &mutex_, kInterval, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return closing_; });
    if (over) return;
  }
}

bool LeaderLink::Report() {
  worker::Events report;
  {
    absl::MutexLock lock(&mutex_);
    for (worker::Event& event : events_) *report.add_events() = std::move(event);
    events_.clear();
  }
  grpc::ClientContext context;
  Prepare(context, kCallLimit);
  worker::Orders orders;
  if (!stub_->Report(&context, report, &orders).ok()) return false;
  Obey(orders);
  return true;
}

void LeaderLink::Obey(const worker::Orders& orders) {
  if (orders.cancel()) cancel_->Cancel();
  if (orders.end_early()) end_early_->Cancel();
  if (orders.live_directory().empty() || orders.live_number() <= live_number_) return;
  live_number_ = orders.live_number();
  if (live_writer_.joinable()) live_writer_.join();
  live_writer_ = std::thread([this, directory = orders.live_directory()] { WriteLive(directory); });
}

void LeaderLink::WriteLive(const std::string& directory) {
  const auto answer = [this](const absl::StatusOr<TrainingResult>& outcome) {
    grpc::ClientContext context;
    Prepare(context, kPublicationLimit);
    worker::Empty reply;
    return ToStatus(stub_->AnswerLive(&context, ToMessage(outcome), &reply));
  };
  const absl::StatusOr<TrainingResult> outcome =
      live_.WriteAndPublish(directory, absl::InfiniteDuration(),
                            [&](const TrainingResult& written) { return answer(written); });
  if (!outcome.ok()) answer(outcome).IgnoreError();
}

void LeaderLink::Add(worker::Event event) {
  absl::MutexLock lock(&mutex_);
  events_.push_back(std::move(event));
}

void LeaderLink::OnLog(std::string_view line) {
  worker::Event event;
  event.set_log(std::string(line));
  Add(std::move(event));
}

void LeaderLink::OnProgress(const TrainingProgress& progress) {
  worker::Event event;
  event.set_progress(WriteProgress(progress));
  Add(std::move(event));
}

void LeaderLink::OnCheckpoint(int64_t step) {
  worker::Event event;
  event.set_checkpoint(step);
  Add(std::move(event));
}

void LeaderLink::OnPhase(std::string_view phase) {
  worker::Event event;
  event.set_phase(std::string(phase));
  Add(std::move(event));
}

void LeaderLink::OnEnd(const TrainingTotals& totals) {
  worker::Event event;
  event.set_end(WriteProgress({.totals = totals}));
  Add(std::move(event));
}

}  // namespace vrp
