#include "core/train/habits/sequence_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/random.h"
#include "core/habits/counts/zones.h"

namespace vrp {
namespace {

// Streams of random numbers.
constexpr uint64_t kOrderStream = 0x726F757465;
constexpr uint64_t kSampleStream = 0x73616D706C;

constexpr double kPartialShare = 0.5;
constexpr double kUnknownShare = 0.1;  // of sequences whose driver is not told

double PositiveMean(double sum, double count) {
  const double mean = count > 0 ? sum / count : 0;
  return mean > 0 && std::isfinite(mean) ? mean : 1;
}

// Sums over the stops of cases.
struct Sums {
  double squares = 0;  // of distances from the depot
  double places = 0;
  double legs = 0;
  double leg_count = 0;
  double demand = 0;
  double stops = 0;
  double latest = 0;
};

void AddCase(const HabitCase& question, const SequenceScales& scales, Sums& sums) {
  std::optional<SequencePlace> before;
  const auto place_of = [&](int32_t stop) {
    return PlaceOf(question.stops[static_cast<size_t>(stop)].position, question.stops[0].position,
                   scales);
  };
  for (const int32_t number : question.route) {
    const HabitStop& stop = question.stops[static_cast<size_t>(number)];
    sums.demand += stop.demand;
    ++sums.stops;
    sums.latest = std::max(sums.latest, stop.window.open);
    if (std::isfinite(stop.window.close)) sums.latest = std::max(sums.latest, stop.window.close);
    const SequencePlace place = place_of(number);
    if (!place.known) continue;
    sums.squares += double{place.x} * place.x + double{place.y} * place.y;
    ++sums.places;
    if (before.has_value()) {
      sums.legs += std::hypot(place.x - before->x, place.y - before->y);
      ++sums.leg_count;
    }
    before = place;
  }
}

// Returns the mean of the known depots.
Position MeanDepot(std::span<const HabitCase> cases) {
  Position mean;
  double count = 0;
  for (const HabitCase& question : cases) {
    if (!question.stops[0].position.has_value()) continue;
    ++count;
    mean.x += (question.stops[0].position->x - mean.x) / count;
    mean.y += (question.stops[0].position->y - mean.y) / count;
  }
  return mean;
}

// Bounds the places in the first pass, whose unit is not known yet.
constexpr double kFirstUnit = 1e8;

SequenceScales ScalesOf(std::span<const HabitCase> cases, CoordinateSystem coordinates,
                        const TrainingConfig& config) {
  SequenceScales scales = {.coordinates = coordinates, .distance = kFirstUnit};
  scales.depot = MeanDepot(cases);
  Sums sums;
  for (const HabitCase& question : cases) AddCase(question, scales, sums);
  scales.distance = kFirstUnit * std::sqrt(PositiveMean(sums.squares, sums.places));
  if (sums.squares <= 0) scales.distance = 1;
  scales.leg_length = PositiveMean(kFirstUnit * sums.legs, sums.leg_count);
  scales.demand = PositiveMean(sums.demand, sums.stops);
  scales.time = sums.latest > 0 ? sums.latest : 1;
  std::vector<SpacePoint> points;
  for (const HabitCase& question : cases) {
    for (const HabitStop& stop : std::span(question.stops).subspan(1)) {
      const SequencePlace place = PlaceOf(stop.position, question.stops[0].position, scales);
      if (place.known) points.push_back({place.x, place.y, 0});
    }
  }
  if (points.empty() || config.habits->zones == 0) return scales;
  for (const SpacePoint& centre : FindZones(points, config.habits->zones, config.seed)) {
    scales.zones.push_back({static_cast<float>(centre[0]), static_cast<float>(centre[1])});
  }
  return scales;
}

}  // namespace

// A sequence to write.
struct SequenceData::Item {
  SequenceDay day;
  SequenceTokens earlier;
  SequenceRoute route;
};

SequenceData::SequenceData(const RouteHistory& history, size_t held_out,
                           const TrainingConfig& config)
    : history_(history),
      config_(config),
      held_out_(held_out),
      cases_(CasesOf(history, 0)),
      routes_of_driver_(history.drivers.size()),
      scales_(ScalesOf(std::span(cases_).first(held_out), history.coordinates, config)) {
  for (size_t number = 0; number < held_out; ++number) {
    const int32_t driver = history.routes[number].driver;
    if (driver >= 0) routes_of_driver_[static_cast<size_t>(driver)].push_back(number);
  }
  std::vector<size_t> drivers(history.drivers.size());
  std::iota(drivers.begin(), drivers.end(), size_t{0});
  std::ranges::stable_sort(drivers, std::greater<>(),
                           [&](size_t driver) { return routes_of_driver_[driver].size(); });
  for (const size_t driver : drivers) {
    const bool has_room = std::ssize(scales_.drivers) < kMaxSequenceDrivers;
    if (has_room && !routes_of_driver_[driver].empty()) {
      scales_.drivers.push_back(history.drivers[driver]);
    }
  }
  const HabitsConfig& habits = *config.habits;
  options_ = {.layers = habits.layers,
              .width = habits.width,
              .heads = habits.heads,
              .feed_forward = habits.feed_forward,
              .positions = kMaxSequencePositions,
              .features = scales_.features(),
              .relations = kLegRelations};
}

int64_t SequenceData::StepsPerEpoch() const {
  return (training_size() + config_.batch_size - 1) / config_.batch_size;
}

std::vector<size_t> SequenceData::OrderOf(int64_t epoch) const {
  std::vector<size_t> order(held_out_);
  std::iota(order.begin(), order.end(), size_t{0});
  CounterRandom random(config_.seed, kOrderStream, static_cast<uint32_t>(epoch));
  random.Shuffle(std::span<size_t>(order));
  return order;
}

std::vector<size_t> SequenceData::EarlierThan(size_t number) const {
  const PastRoute& route = history_.routes[number];
  if (route.driver < 0) return {};
  const std::vector<size_t>& own = routes_of_driver_[static_cast<size_t>(route.driver)];
  const auto end = std::ranges::lower_bound(
      own, route.day, {}, [&](size_t other) { return history_.routes[other].day; });
  const auto count = std::min<std::ptrdiff_t>(config_.habits->earlier_routes, end - own.begin());
  return {end - count, end};
}

SequenceTokens SequenceData::TokensOf(std::span<const size_t> routes) const {
  SequenceTokens tokens;
  if (routes.empty()) return tokens;
  const int32_t most = kMaxEarlierTokens / config_.habits->earlier_routes - 2;
  for (const size_t number : routes) {
    const HabitCase& question = cases_[number];
    const SequenceDay day(question.stops, scales_);
    const SequenceTokens own =
        TokensOfRoute(day, question.route, scales_.DriverInput(question.driver), most);
    tokens.types.insert(tokens.types.end(), own.types.begin(), own.types.end());
    tokens.contexts.insert(tokens.contexts.end(), own.contexts.begin(), own.contexts.end());
  }
  return tokens;
}

SequenceData::Item SequenceData::MakeItem(size_t number, bool is_known) const {
  const HabitCase& question = cases_[number];
  Item item = {.day = SequenceDay(question.stops, scales_),
               .earlier = is_known ? TokensOf(EarlierThan(number)) : SequenceTokens{},
               .route = {.route = question.route}};
  if (is_known) item.route.driver = scales_.DriverInput(question.driver);
  return item;
}

void SequenceData::Write(std::vector<Item>& items, SequenceBuffers& buffers) const {
  int32_t length = 1;
  int32_t candidates = 1;
  int32_t rows = 1;
  for (Item& item : items) {
    item.route.earlier = &item.earlier;
    length = std::max(length, LengthOf(item.route));
    candidates = std::max(candidates, item.day.size());
    rows = std::max(rows, LengthOf(item.route) - static_cast<int32_t>(item.earlier.types.size()));
  }
  buffers.Reset(static_cast<int32_t>(items.size()), length, candidates, options_.features, rows,
                kLegRelations);
  for (size_t i = 0; i < items.size(); ++i) {
    WriteSequence(items[i].day, items[i].route, static_cast<int32_t>(i), buffers);
  }
}

void SequenceData::WriteTraining(int64_t step, SequenceBuffers& buffers) const {
  const int64_t epoch = step / StepsPerEpoch();
  const std::vector<size_t> order = OrderOf(epoch);
  const auto size = static_cast<size_t>(config_.batch_size);
  const size_t first = static_cast<size_t>(step % StepsPerEpoch()) * size;
  std::vector<Item> items;
  for (size_t i = first; i < std::min(first + size, order.size()); ++i) {
    CounterRandom random(config_.seed, kSampleStream + order[i], static_cast<uint32_t>(epoch));
    items.push_back(MakeItem(order[i], random.UniformDouble() >= kUnknownShare));
    SequenceRoute& route = items.back().route;
    const auto stops = static_cast<int32_t>(route.route.size());
    route.partial = random.UniformDouble() < kPartialShare;
    if (route.partial) route.first = static_cast<int32_t>(random.UniformInt(0, stops - 1));
    const int32_t room =
        options_.positions - static_cast<int32_t>(items.back().earlier.types.size()) - 1;
    if (stops - route.first > room) {
      if (!route.partial) {
        route.first = static_cast<int32_t>(random.UniformInt(0, stops - room));
      }
      route.route = route.route.first(static_cast<size_t>(std::min(stops, route.first + room)));
    }
    route.whole = std::ssize(route.route) == stops;
  }
  Write(items, buffers);
}

void SequenceData::WriteValidation(size_t first, size_t count, SequenceBuffers& buffers) const {
  std::vector<Item> items;
  const size_t end = std::min(held_out_ + first + count, cases_.size());
  for (size_t number = held_out_ + first; number < end; ++number) {
    Item item = MakeItem(number, true);
    const auto room = static_cast<size_t>(options_.positions) - item.earlier.types.size() - 1;
    if (item.route.route.size() > room) item.route.route = item.route.route.first(room);
    items.push_back(std::move(item));
  }
  Write(items, buffers);
}

SequenceTables SequenceData::TablesWith(std::span<const float> parameters) const {
  SequenceTables tables = {
      .network = options_, .scales = scales_, .parameters = {parameters.begin(), parameters.end()}};
  for (size_t driver = 0; driver < history_.drivers.size(); ++driver) {
    const std::vector<size_t>& own = routes_of_driver_[driver];
    if (own.empty()) continue;
    const size_t count = std::min(own.size(), static_cast<size_t>(config_.habits->earlier_routes));
    tables.drivers.push_back({history_.drivers[driver], TokensOf(std::span(own).last(count))});
  }
  for (size_t number = 0; number < held_out_; ++number) {
    for (const HabitStop& stop : cases_[number].stops) {
      if (!stop.id.empty()) tables.stops.push_back(StopHash(stop.id));
    }
  }
  std::ranges::sort(tables.stops);
  const auto repeated = std::ranges::unique(tables.stops);
  tables.stops.erase(repeated.begin(), repeated.end());
  return tables;
}

}  // namespace vrp
