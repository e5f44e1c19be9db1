// Groups (core/kernels/support/group.h) of several CPU threads. A barrier that is missing on CUDA
// is a data race here, which the tsan preset reports.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "core/kernels/support/group.h"

namespace vrp::test {

inline constexpr int32_t kThreads = 3;  // threads of a group

// State shared by the threads of a group.
struct GroupState {
  std::barrier<> barrier{kThreads};
  std::array<std::pair<double, int32_t>, kThreads> values;  // one per lane, for a reduction
};

// Lanes like those of a warp.
class ThreadedLanes {
 public:
  ThreadedLanes(GroupState& state, int32_t lane) : state_(state), lane_(lane) {}

  template <typename Body>
  void Each(int32_t count, const Body& body) const {
    for (int32_t i = lane_; i < count; i += kThreads) body(i);
    Wait();
  }
  template <typename Body>
  void Once(const Body& body) const {
    if (lane_ == 0) body();
    Wait();
  }
  template <typename T, typename Term>
  T Sum(int32_t count, const Term& term) const {
    T sum = 0;
    for (int32_t i = lane_; i < count; i += kThreads) sum += term(i);
    T total = 0;
    for (const auto& [value, unused] : Exchange(sum, 0)) total += static_cast<T>(value);
    return total;
  }
  template <typename T, typename Value>
  T Max(int32_t count, const Value& value) const {
    T largest = -std::numeric_limits<T>::infinity();
    for (int32_t i = lane_; i < count; i += kThreads) largest = std::max<T>(largest, value(i));
    for (const auto& [other, unused] : Exchange(largest, 0)) {
      largest = std::max(largest, static_cast<T>(other));
    }
    return largest;
  }
  template <typename Test>
  int32_t First(int32_t count, const Test& test) const {
    int32_t first = lane_;
    while (first < count && !test(first)) first += kThreads;
    first = std::min(first, count);
    for (const auto& [unused, other] : Exchange(0, first)) first = std::min(first, other);
    return first;
  }
  template <typename Value>
  MinValue Min(int32_t count, const Value& value) const {
    MinValue mine = {.index = count};
    for (int32_t i = lane_; i < count; i += kThreads) {
      const int32_t other = value(i);
      if (other < mine.value) mine = {other, i};
    }
    MinValue least = {.index = count};
    for (const auto& [other, index] : Exchange(mine.value, mine.index)) {
      const auto found = static_cast<int32_t>(other);
      const bool better = found < least.value || (found == least.value && index < least.index);
      if (better) least = {found, index};
    }
    return least;
  }

 private:
  void Wait() const { state_.barrier.arrive_and_wait(); }
  // Gives this lane's value to the other lanes, and returns the values of all lanes.
  std::array<std::pair<double, int32_t>, kThreads> Exchange(double value, int32_t index) const {
    state_.values[static_cast<size_t>(lane_)] = {value, index};
    Wait();
    const auto values = state_.values;
    Wait();
    return values;
  }

  GroupState& state_;
  const int32_t lane_;
};

// A group like a slice of a block, with warps of one lane each.
class ThreadedGroup {
 public:
  ThreadedGroup(GroupState& state, int32_t thread) : lanes_(state, thread), thread_(thread) {}

  template <typename Body>
  void Each(int32_t count, const Body& body) const {
    lanes_.Each(count, body);
  }
  template <typename Body>
  void Rows(int32_t count, const Body& body) const {
    for (int32_t row = thread_; row < count; row += kThreads) body(SerialGroup(), row);
    Wait();
  }
  template <typename Body>
  void Once(const Body& body) const {
    lanes_.Once(body);
  }
  void Wait() const {
    lanes_.Each(0, [](int32_t) {});
  }
  template <typename T>
  void Add(T& to, T value) const {
    std::atomic_ref<T>(to).fetch_add(value);
  }

 private:
  const ThreadedLanes lanes_;
  const int32_t thread_;
};

// Calls program(group) on each thread of a group.
template <typename Group, typename Program>
void RunOnThreads(const Program& program) {
  GroupState state;
  std::vector<std::jthread> threads;
  for (int32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&state, &program, thread] { program(Group(state, thread)); });
  }
}

}  // namespace vrp::test
