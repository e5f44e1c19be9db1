// The program vrp_worker: one of the processes that train a network together. mpirun, srun or the
// like starts it. Rank 0 asks the daemon for the training and reports to it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "core/base/fast_locks.h"
#include "core/base/file.h"
#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/exchange/mpi_exchange.h"
#include "core/exchange/rank_group.h"
#include "core/train/make_trainer.h"
#include "server/worker/leader_link.h"
#include "server/worker/training_messages.h"

namespace vrp {
namespace {

struct WorkerOptions {
  std::string daemon;
  std::string token_file;
  int64_t patience_s = 60;
};

// An observer of the ranks that do not report.
class SilentObserver final : public TrainingObserver {
 public:
  void OnLog(std::string_view) override {}
  void OnProgress(const TrainingProgress&) override {}
  void OnCheckpoint(int64_t) override {}
};

void PrintFailure(const MpiExchange& exchange, const absl::Status& status) {
  std::cerr << "vrp_worker: rank " << exchange.rank() << ": " << status.message() << std::endl;
}

// Returns kFailedPrecondition unless all ranks compute with the instructions of rank 0, because
// their weights would drift apart.
absl::Status CheckInstructions(RankGroup& group) {
  const std::string own(IsaName(BestIsa()));
  std::string of_leader = own;
  VRP_RETURN_IF_ERROR(group.Share(absl::OkStatus(), of_leader));
  const absl::Status same =
      own == of_leader
          ? absl::OkStatus()
          : absl::FailedPreconditionError(Concat("computes with ", own, ", rank 0 with ", of_leader,
                                                 "; start all workers on like processors"));
  return group.Meet(same);
}

// Gives the training to all ranks, and returns it. `link` is null except in rank 0.
absl::StatusOr<TrainingRequest> ShareTraining(RankGroup& group, LeaderLink* link) {
  absl::StatusOr<TrainingRequest> request = TrainingRequest();
  std::string bytes;
  if (link != nullptr) {
    request = link->Start(group.ranks());
    if (request.ok()) bytes = ToMessage(*request, 1).SerializeAsString();
  }
  VRP_RETURN_IF_ERROR(group.Share(request.status(), bytes));
  if (link != nullptr) return request;
  worker::Training message;
  message.ParseFromString(bytes);
  VRP_ASSIGN_OR_RETURN(TrainingRequest made, FromMessage(message));
  // Rank 0 alone decides when to stop.
  made.epoch_limit = 0;
  made.time_limit = absl::InfiniteDuration();
  return made;
}

absl::StatusOr<TrainingResult> TrainRank(MpiExchange& exchange, LeaderLink* link) {
  RankGroup group(&exchange);
  absl::StatusOr<TrainingRequest> request = ShareTraining(group, link);
  if (!group.failed() && !request.ok()) group.Fail(request.status());
  VRP_RETURN_IF_ERROR(request.status());
  VRP_RETURN_IF_ERROR(CheckInstructions(group));
  request->exchange = &exchange;
  const StopCondition stop =
      link == nullptr ? StopCondition() : StopCondition(absl::InfiniteFuture(), link->cancel());
  SilentObserver silent;
  TrainingObserver& observer = link == nullptr ? static_cast<TrainingObserver&>(silent) : *link;
  return MakeTrainer()->Train(*request, stop, observer);
}

int RunLeader(MpiExchange& exchange, const WorkerOptions& options) {
  const absl::StatusOr<std::string> token = ReadFile(options.token_file);
  if (!token.ok()) {
    PrintFailure(exchange, token.status());
    MpiExchange::Abort();
  }
  LeaderLink link({.address = options.daemon, .token = *token, .on_lost = [] {
                     std::cerr << "vrp_worker: the daemon does not answer" << std::endl;
                     MpiExchange::Abort();
                   }});
  const absl::StatusOr<TrainingResult> result = TrainRank(exchange, &link);
  const absl::Status told = link.Finish(result);
  if (!told.ok()) PrintFailure(exchange, told);
  if (exchange.broken() || !told.ok()) MpiExchange::Abort();
  return EXIT_SUCCESS;
}

int RunFollower(MpiExchange& exchange) {
  const absl::StatusOr<TrainingResult> result = TrainRank(exchange, nullptr);
  if (exchange.broken()) {
    PrintFailure(exchange, result.status());
    MpiExchange::Abort();
  }
  return EXIT_SUCCESS;  // rank 0 reports the error, which all ranks share
}

int Run(int count, char** arguments) {
  WorkerOptions options;
  CLI::App app("Trains a network together with other processes, for a vrpd that starts them all.",
               "vrp_worker");
  app.add_option("--daemon", options.daemon, "Report to the daemon at this address")->required();
  app.add_option("--token-file", options.token_file,
                 "Read the token of the training from this file")
      ->required();
  app.add_option("--patience", options.patience_s, "Wait this many seconds for another worker")
      ->check(CLI::Range(1, 86'400));
  CLI11_PARSE(app, count, arguments);
  const auto exchange = MpiExchange::Create(&count, &arguments, absl::Seconds(options.patience_s));
  if (!exchange.ok()) {
    std::cerr << "vrp_worker: " << exchange.status().message() << std::endl;
    return EXIT_FAILURE;
  }
  return (*exchange)->rank() == 0 ? RunLeader(**exchange, options) : RunFollower(**exchange);
}

}  // namespace
}  // namespace vrp

int main(int count, char** arguments) {
  umask(0077);
  // Ends even a stopped worker when the program that started it has died.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  vrp::DisableDeadlockDetection();
  return vrp::Run(count, arguments);
}
