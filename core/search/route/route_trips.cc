#include "core/search/route/route_trips.h"

#include <algorithm>
#include <cstdint>

namespace vrp {
namespace {

class TripMeasurer {
 public:
  TripMeasurer(const Problem& problem, std::span<const NodeIndex> nodes, RouteTrips& trips)
      : p_(problem), nodes_(nodes), size_(static_cast<int32_t>(nodes.size())), trips_(trips) {}

  void Run() {
    if (!p_.plain_loads()) MeasureLoads();
    if (p_.has_backhauls()) MarkOrder();
    if (p_.has_releases()) MeasureReleases();
  }

 private:
  bool IsDepot(int32_t i) const { return p_.is_depot(nodes_[i]); }

  void MeasureLoads() {
    const int64_t cells = int64_t{size_} * p_.dimensions();
    trips_.most_before.resize(cells);
    trips_.most_after.resize(cells);
    trips_.on_board.resize(cells);
    for (int32_t k = 0; k < p_.dimensions(); ++k) {
      MeasureOnBoard(k);
      MeasureMost(k);
    }
  }

  // The entries of dimension k are `dimensions` apart.
  void MeasureOnBoard(int32_t k) {
    const int64_t step = p_.dimensions();
    double* const on_board = trips_.on_board.data() + k;
    double taken = 0;  // with the trip so far, from its end
    for (int32_t i = size_ - 2; i >= 0; --i) {
      on_board[i * step] = taken;
      taken = IsDepot(i) ? 0 : taken + p_.delivered(nodes_[i])[k];
    }
    double load = 0;
    double shipped = 0;  // part of the load that stays on board during a reload
    for (int32_t i = 0; i + 1 < size_; ++i) {
      const NodeIndex node = nodes_[i];
      if (IsDepot(i)) {
        load = on_board[i * step] + shipped;
      } else {
        load += p_.collected(node)[k] + p_.carried(node)[k] - p_.delivered(node)[k];
        shipped += p_.carried(node)[k];
      }
      on_board[i * step] = load;
    }
  }

  void MeasureMost(int32_t k) {
    const int64_t step = p_.dimensions();
    const double* const on_board = trips_.on_board.data() + k;
    double* const before = trips_.most_before.data() + k;
    double* const after = trips_.most_after.data() + k;
    double most = 0;
    for (int32_t i = 0; i + 1 < size_; ++i) {
      const double load = on_board[i * step];
      most = IsDepot(i) ? load : std::max(most, load);
      before[i * step] = most;
    }
    for (int32_t i = size_ - 2; i >= 0; --i) {
      const bool last = i + 2 == size_ || IsDepot(i + 1);
      const double load = on_board[i * step];
      most = last ? load : std::max(load, most);
      after[i * step] = most;
    }
  }

  void MarkOrder() {
    const int32_t size = size_;
    trips_.backhaul_before.assign(size, 0);
    trips_.linehaul_after.assign(size, 0);
    bool backhaul = false;
    for (int32_t i = 1; i + 1 < size; ++i) {
      backhaul = !IsDepot(i) && (backhaul || p_.is_backhaul(nodes_[i]));
      trips_.backhaul_before[i] = backhaul;
    }
    bool linehaul = false;
    for (int32_t i = size - 3; i >= 0; --i) {
      linehaul = !IsDepot(i + 1) && (linehaul || p_.is_linehaul(nodes_[i + 1]));
      trips_.linehaul_after[i] = linehaul;
    }
  }

  void MeasureReleases() {
    const int32_t size = size_;
    trips_.release.assign(size, 0.0);
    for (int32_t begin = 0; begin + 1 < size;) {
      int32_t end = begin + 1;
      double release = 0;
      for (; end + 1 < size && !IsDepot(end); ++end) {
        release = std::max(release, p_.release(nodes_[end]));
      }
      for (int32_t i = begin; i < end; ++i) trips_.release[i] = release;
      begin = end;
    }
  }

  const Problem& p_;
  const std::span<const NodeIndex> nodes_;
  const int32_t size_;
  RouteTrips& trips_;
};

}  // namespace

void MeasureTrips(const Problem& problem, std::span<const NodeIndex> nodes, RouteTrips& trips) {
  TripMeasurer(problem, nodes, trips).Run();
}

}  // namespace vrp
