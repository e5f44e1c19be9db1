#include "server/roads/road_networks.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// A block of a matrix: rows from `row` on, columns from `column` on.
struct Block {
  std::span<const RoadPlace> rows;
  std::span<const RoadPlace> columns;
  size_t row = 0;
  size_t column = 0;
};

std::vector<Block> BlocksOf(const std::vector<RoadPlace>& places, size_t block_size) {
  std::vector<Block> blocks;
  const std::span<const RoadPlace> all = places;
  for (size_t row = 0; row < all.size(); row += block_size) {
    for (size_t column = 0; column < all.size(); column += block_size) {
      blocks.push_back({.rows = all.subspan(row, std::min(block_size, all.size() - row)),
                        .columns = all.subspan(column, std::min(block_size, all.size() - column)),
                        .row = row,
                        .column = column});
    }
  }
  return blocks;
}

void Store(const Block& block, const RoadTable& table, double max_metres, RoadMatrices& matrices) {
  const size_t columns = block.columns.size();
  for (size_t row = 0; row < block.rows.size(); ++row) {
    const auto at = static_cast<std::ptrdiff_t>(matrices.At(block.row + row, block.column));
    const auto first = static_cast<std::ptrdiff_t>(row * columns);
    std::copy_n(table.durations.begin() + first, columns, matrices.durations.begin() + at);
    std::copy_n(table.distances.begin() + first, columns, matrices.distances.begin() + at);
  }
  if (block.column != 0) return;  // the same rows again
  for (size_t row = 0; row < table.metres_to_road.size(); ++row) {
    if (table.metres_to_road[row] <= max_metres) continue;
    matrices.far.push_back({.place = block.row + row, .metres = table.metres_to_road[row]});
  }
}

// A part of a route that one request asks for.
struct RoutePart {
  size_t route = 0;
  std::span<const RoadPlace> stops;
};

std::vector<RoutePart> PartsOf(const std::vector<std::vector<RoadPlace>>& routes,
                               size_t max_waypoints) {
  std::vector<RoutePart> parts;
  for (size_t r = 0; r < routes.size(); ++r) {
    std::span<const RoadPlace> rest = routes[r];
    while (rest.size() > 1) {
      const size_t size = std::min(rest.size(), max_waypoints);
      parts.push_back({.route = r, .stops = rest.first(size)});
      rest = rest.subspan(size - 1);  // the last stop begins the next part
    }
  }
  return parts;
}

std::string DescriptionOf(const RoadNetworkOptions& options) {
  return Concat("road_network ", options.name, " (", RoadServiceName(options.kind), " at ",
                options.url.ToString(), ")");
}

}  // namespace

RoadNetworks::RoadNetworks(const Options& options)
    : clock_(options.clock), cache_(options.cache_bytes) {}

absl::StatusOr<std::unique_ptr<RoadNetworks>> RoadNetworks::Create(Options options) {
  std::unique_ptr<RoadNetworks> source(new RoadNetworks(options));
  for (RoadNetworkOptions& network : options.networks) {
    HttpObserver observer{.on_try = [metrics = &source->metrics_, name = network.name](
                                        absl::Duration duration, const absl::Status& status) {
      metrics->RecordTry(name, duration, status);
    }};
    VRP_ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> client,
                         HttpClient::Create({.url = network.url,
                                             .connections = network.connections,
                                             .tries = network.tries,
                                             .timeout = absl::Seconds(network.timeout_s),
                                             .first_pause = options.first_pause,
                                             .observer = std::move(observer)}));
    auto added = std::make_unique<Network>();
    added->service = MakeRoadService(network);
    added->client = std::move(client);
    added->options = std::move(network);
    source->networks_.push_back(std::move(added));
  }
  return source;
}

absl::StatusOr<RoadNetworks::Network*> RoadNetworks::Find(std::string_view name) const {
  std::vector<std::string> known;
  for (const std::unique_ptr<Network>& network : networks_) {
    if (network->options.name == name) return network.get();
    known.push_back(network->options.name);
  }
  if (known.empty()) {
    return absl::InvalidArgumentError(Concat(
        "got ", Quoted(name), ", but this daemon has no road networks; ask its administrator ",
        "to name OSRM or Valhalla services in road_networks of vrpd.yaml"));
  }
  return absl::InvalidArgumentError(
      Concat("got ", Quoted(name),
             ", wanted a road network of this daemon: ", absl::StrJoin(known, ", ")));
}

absl::StatusOr<std::shared_ptr<const RoadMatrices>> RoadNetworks::Matrices(
    std::string_view name, const std::vector<RoadPlace>& places, const StopCondition& stop) {
  VRP_ASSIGN_OR_RETURN(Network* const network, Find(name));
  const bool caches = network->options.cache_s > 0;
  if (caches) {
    std::shared_ptr<const RoadMatrices> kept = cache_.Find(name, places, clock_->SteadyNow());
    metrics_.RecordLookup(network->options.name, kept != nullptr);
    if (kept != nullptr) return kept;
  }
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<const RoadMatrices> matrices, Fetch(*network, places, stop));
  if (caches) {
    cache_.Add(name, matrices, clock_->SteadyNow() + absl::Seconds(network->options.cache_s));
  }
  return matrices;
}

absl::StatusOr<std::shared_ptr<const RoadMatrices>> RoadNetworks::Fetch(
    Network& network, const std::vector<RoadPlace>& places, const StopCondition& stop) const {
  const absl::Time begun = clock_->SteadyNow();
  const RoadService& service = *network.service;
  const auto block_size = static_cast<size_t>(network.options.block_size);
  const std::vector<Block> blocks = BlocksOf(places, block_size);
  std::vector<RoadCall> calls;
  for (const Block& block : blocks) calls.push_back(service.TableCall(block.rows, block.columns));
  auto matrices = std::make_shared<RoadMatrices>();
  matrices->places = places;
  matrices->durations.resize(places.size() * places.size());
  matrices->distances.resize(places.size() * places.size());
  const auto read = [&](size_t i, const HttpAnswer& answer) -> absl::Status {
    if (answer.status != 200) return service.ErrorOf(answer.status, answer.body);
    const Block& block = blocks[i];
    VRP_ASSIGN_OR_RETURN(const RoadTable table,
                         service.ReadTable(answer.body, block.rows.size(), block.columns.size()));
    Store(block, table, network.options.max_road_distance_m, *matrices);
    return absl::OkStatus();
  };
  const size_t side = std::min(block_size, places.size());
  const absl::Status status = network.client->Run(calls, MaxTableBytes(side, side), stop, read);
  if (!status.ok()) return Named(network, status);
  std::ranges::sort(matrices->far, {}, &FarPlace::place);
  LogDebug("road matrices", {{.name = "network", .value = network.options.name},
                             {.name = "places", .value = Concat(places.size()), .number = true},
                             {.name = "requests", .value = Concat(calls.size()), .number = true},
                             {.name = "seconds",
                              .value = Concat(absl::ToDoubleSeconds(clock_->SteadyNow() - begun)),
                              .number = true}});
  return matrices;
}

absl::StatusOr<std::vector<std::vector<RoadLine>>> RoadNetworks::Lines(
    std::string_view name, const std::vector<std::vector<RoadPlace>>& routes,
    const StopCondition& stop) {
  VRP_ASSIGN_OR_RETURN(Network* const network, Find(name));
  return FetchLines(*network, routes, stop);
}

absl::StatusOr<std::vector<std::vector<RoadLine>>> RoadNetworks::FetchLines(
    Network& network, const std::vector<std::vector<RoadPlace>>& routes,
    const StopCondition& stop) const {
  const RoadService& service = *network.service;
  const std::vector<RoutePart> parts = PartsOf(routes, service.max_waypoints());
  std::vector<RoadCall> calls;
  for (const RoutePart& part : parts) calls.push_back(service.RouteCall(part.stops));
  std::vector<std::vector<RoadLine>> lines_of_parts(parts.size());
  const auto read = [&](size_t i, const HttpAnswer& answer) -> absl::Status {
    if (answer.status != 200) return service.ErrorOf(answer.status, answer.body);
    VRP_ASSIGN_OR_RETURN(lines_of_parts[i],
                         service.ReadRoute(answer.body, parts[i].stops.size() - 1));
    return absl::OkStatus();
  };
  const absl::Status status = network.client->Run(calls, kMaxRouteBytes, stop, read);
  if (!status.ok()) return Named(network, status);
  std::vector<std::vector<RoadLine>> lines(routes.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<RoadLine>& route = lines[parts[i].route];
    std::move(lines_of_parts[i].begin(), lines_of_parts[i].end(), std::back_inserter(route));
  }
  return lines;
}

absl::Status RoadNetworks::Named(Network& network, const absl::Status& error) const {
  if (absl::IsCancelled(error)) return error;
  std::string message = Concat(DescriptionOf(network.options), ": ", FromAbsl(error.message()));
  if (absl::IsUnavailable(error)) {
    message += "; start the service, or correct url in road_networks of vrpd.yaml";
  }
  if (const std::optional<int64_t> suppressed = network.log_limiter.Pass(clock_->SteadyNow())) {
    LogWarning("road service failed",
               {{.name = "network", .value = network.options.name},
                {.name = "url", .value = network.options.url.ToString()},
                {.name = "error", .value = std::string(error.message())},
                {.name = "not_logged", .value = Concat(*suppressed), .number = true}});
  }
  return absl::Status(error.code(), message);
}

}  // namespace vrp
