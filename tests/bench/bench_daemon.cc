#include "tests/bench/bench_daemon.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/model/policy/policy.h"
#include "core/train/make_trainer.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "server/config/build_info.h"

namespace vrp {
namespace {

std::string FreshFolder() {
  return (std::filesystem::temp_directory_path() / absl::StrCat("vrp-serving-bench-", getpid()))
      .string();
}

v1::SolveRequest RequestFor(const Instance& instance, absl::Duration budget) {
  v1::SolveRequest request;
  *request.mutable_instance() = MessageOf(instance);
  request.mutable_budget()->set_seconds(absl::ToInt64Seconds(budget));
  request.mutable_budget()->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(budget % absl::Seconds(1))));
  return request;
}

}  // namespace

BenchDaemon::BenchDaemon(int threads) : folder_(FreshFolder()), trainer_(MakeTrainer()) {
  Daemon::Options options{.vrpd = {},
                          .policy_loader = PolicyLoaderOn(nullptr),
                          .trainer = trainer_.get(),
                          .clock = &clock_};
  options.vrpd.listen = "127.0.0.1:0";
  options.vrpd.http_listen = "127.0.0.1:0";
  options.vrpd.state_dir = folder_;
  options.vrpd.models_dir = folder_ + "/models";
  options.vrpd.read_only_models_dirs = {ShippedModelsDirectory()};
  options.vrpd.device = "cpu";
  options.vrpd.threads = threads;
  absl::StatusOr<std::unique_ptr<Daemon>> daemon = Daemon::Create(std::move(options));
  if (!daemon.ok()) {
    std::cerr << "bench_daemon: " << daemon.status() << "\n";
    std::exit(1);
  }
  daemon_ = *std::move(daemon);
}

BenchDaemon::~BenchDaemon() {
  daemon_ = nullptr;
  std::filesystem::remove_all(folder_);
}

std::shared_ptr<grpc::Channel> BenchDaemon::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(daemon_->address(), grpc::InsecureChannelCredentials(),
                                   arguments);
}

std::string BenchDaemon::http_address() const {
  return daemon_->http_url().substr(sizeof("http://") - 1);
}

v1::Instance MessageOf(const Instance& instance) {
  v1::Instance message;
  message.set_name(instance.name());
  const auto set_location = [&](NodeIndex node, v1::Location& location) {
    location.set_x(instance.position(node).x);
    location.set_y(instance.position(node).y);
  };
  set_location(0, *message.add_depots()->mutable_location());
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
    v1::Customer& customer = *message.add_customers();
    set_location(node, *customer.mutable_location());
    customer.add_demand(instance.demand(node));
  }
  message.add_vehicles()->add_capacity(instance.capacity());
  return message;
}

std::vector<v1::SolveRequest> GreedyRequests(const std::vector<Instance>& instances,
                                             const std::string& model) {
  std::vector<v1::SolveRequest> requests;
  for (const Instance& instance : instances) {
    v1::SolveRequest& request = requests.emplace_back(RequestFor(instance, absl::Seconds(10)));
    request.set_model(model);
    request.set_strategy(v1::STRATEGY_GREEDY);
  }
  return requests;
}

std::vector<v1::SolveRequest> SearchRequests(const std::vector<Instance>& instances,
                                             absl::Duration budget) {
  std::vector<v1::SolveRequest> requests;
  for (const Instance& instance : instances) {
    requests.emplace_back(RequestFor(instance, budget)).set_strategy(v1::STRATEGY_SEARCH);
  }
  return requests;
}

}  // namespace vrp
