// Groups of threads that run a program together, such as the decoding of a trajectory. Programs
// written for groups run on the CPU and on CUDA. A group has
//   Each(n, f)      calls f(i) for i = 0 .. n - 1, in any order and on different threads; when
//                   Each returns, all calls are done and all threads see what the calls wrote
//   Rows(n, f)      calls f(lanes, row) for row = 0 .. n - 1, each by some of the threads, `lanes`;
//                   synchronises like Each
//   Once(f)         calls f() on one thread; synchronises like Each
//   Wait()          returns when all threads have called Wait; all threads then see what any of
//                   them wrote before
//   Add(to, value)  adds to `to`, to which other groups may add at the same time
// Lanes have the following functions, which all lanes must call together:
//   Each(n, f), Once(f)
//   Sum(n, f)       returns the sum of f(i), called once for each i by the same lane as in Each
//   Max(n, f)       returns the maximum of n >= 1 values
//   First(n, test)  returns the smallest i with test(i), or n
//   Min(n, f)       returns the smallest of n int32 values and its first index; if all values are
//                   the largest int32, returns that value and n
//   Draw(n, f, t)   returns the first i at which f(0) + ... + f(i), weights, exceeds t, which is
//   less
//                   than the sum of all n; the last positive weight's i if rounding prevents that
// All threads of a group must make the same calls, so conditions around calls may depend only on
// values that all threads agree on. No call waits at its beginning. A value that a condition has
// read must therefore not be overwritten until all threads have finished some later call.
#pragma once

#include <cstdint>
#include <limits>

// Marks functions that device code calls. Sources for CUDA define it as __device__.
#ifndef VRP_DEVICE
#define VRP_DEVICE
#endif

namespace vrp {

// The result of Min.
struct MinValue {
  int32_t value = std::numeric_limits<int32_t>::max();
  int32_t index = 0;
};

// A single CPU thread as a group.
struct SerialGroup {
  template <typename Body>
  void Each(int32_t count, const Body& body) const {
    for (int32_t i = 0; i < count; ++i) body(i);
  }
  template <typename Body>
  void Rows(int32_t count, const Body& body) const {
    for (int32_t row = 0; row < count; ++row) body(*this, row);
  }
  template <typename Body>
  void Once(const Body& body) const {
    body();
  }
  void Wait() const {}
  template <typename T>
  void Add(T& to, T value) const {
    to += value;
  }
  template <typename T, typename Term>
  T Sum(int32_t count, const Term& term) const {
    T sum = 0;
    for (int32_t i = 0; i < count; ++i) sum += term(i);
    return sum;
  }
  template <typename T, typename Value>
  T Max(int32_t count, const Value& value) const {
    T largest = value(0);
    for (int32_t i = 1; i < count; ++i) {
      const T other = value(i);
      largest = other > largest ? other : largest;
    }
    return largest;
  }
  template <typename Test>
  int32_t First(int32_t count, const Test& test) const {
    int32_t i = 0;
    while (i < count && !test(i)) ++i;
    return i;
  }
  template <typename Value>
  MinValue Min(int32_t count, const Value& value) const {
    MinValue least = {.index = count};
    for (int32_t i = 0; i < count; ++i) {
      const int32_t other = value(i);
      if (other < least.value) least = {other, i};
    }
    return least;
  }
  template <typename T, typename Weight>
  int32_t Draw(int32_t count, const Weight& weight, T target) const {
    T sum = 0;
    int32_t last = 0;
    for (int32_t i = 0; i < count; ++i) {
      const T mine = weight(i);
      sum += mine;
      if (sum > target) return i;
      if (mine > 0) last = i;
    }
    return last;
  }
};

}  // namespace vrp
