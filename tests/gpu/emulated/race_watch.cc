#include "tests/gpu/emulated/race_watch.h"

#include <algorithm>

namespace vrp::emulated {

void RaceWatch::BeginLaunch() {
  launch_begin_ = latest_ + 1;
  block_begins_.clear();
  releases_.clear();
}

void RaceWatch::BeginBlock(int32_t threads) {
  block_begins_.push_back(++latest_);
  const auto nothing = std::make_shared<const Clocks>(static_cast<size_t>(threads));
  threads_.assign(nothing->size(), {.clock = latest_, .seen = nothing, .fenced = nullptr});
}

void RaceWatch::Barrier(std::span<const int32_t> threads) {
  auto merged = std::make_shared<Clocks>(threads_.size());
  const Clocks* last = nullptr;
  size_t acquired = 0;
  for (const int32_t thread : threads) {
    acquired = std::max(acquired, At(thread).acquired);
    const Clocks* const seen = At(thread).seen.get();
    if (seen == last) continue;
    last = seen;
    for (size_t i = 0; i < merged->size(); ++i) (*merged)[i] = std::max((*merged)[i], (*seen)[i]);
  }
  for (const int32_t thread : threads) {
    (*merged)[static_cast<size_t>(thread)] = At(thread).clock;
    latest_ = std::max(latest_, ++At(thread).clock);
  }
  for (const int32_t thread : threads) {
    At(thread).seen = merged;
    At(thread).acquired = acquired;
  }
}

void RaceWatch::Fence(int32_t thread) {
  Thread& one = At(thread);
  auto fenced = std::make_shared<Clocks>(*one.seen);
  (*fenced)[static_cast<size_t>(thread)] = one.clock;
  latest_ = std::max(latest_, ++one.clock);
  one.fenced = std::move(fenced);
  one.acquired = one.observed;
}

void RaceWatch::Atomic(int32_t thread) {
  Thread& one = At(thread);
  one.observed = releases_.size();
  if (one.fenced == nullptr) return;
  releases_.push_back({.block = block_begins_.size(), .seen = std::move(one.fenced)});
  one.fenced = nullptr;
}

bool RaceWatch::SeesOtherBlock(const Thread& thread, const Touch& touch) const {
  const auto next_begin = std::ranges::upper_bound(block_begins_, touch.clock);
  const auto block = static_cast<size_t>(next_begin - block_begins_.begin());
  return std::any_of(
      releases_.begin(), releases_.begin() + static_cast<std::ptrdiff_t>(thread.acquired),
      [&](const Release& release) {
        return release.block == block && (*release.seen)[touch.thread] >= touch.clock;
      });
}

bool RaceWatch::Sees(size_t thread, const Touch& touch) const {
  const Thread& one = threads_[thread];
  if (touch.clock < block_begins_.back()) return SeesOtherBlock(one, touch);
  return touch.thread == thread || (*one.seen)[touch.thread] >= touch.clock;
}

std::optional<Race> RaceWatch::RaceWith(const Touch& touch, const Touches& others,
                                        uint32_t begin) const {
  for (const Touch& other : others) {
    if (other.clock < begin || (other.bytes & touch.bytes) == 0) continue;
    if (other.kind == AccessKind::kAtomic && touch.kind == AccessKind::kAtomic) continue;
    if (Sees(touch.thread, other)) continue;
    return Race{.other = other.thread,
                .same_block = other.clock >= block_begins_.back(),
                .kind = other.kind};
  }
  return std::nullopt;
}

void RaceWatch::Remember(const Touch& touch, Touches& others) {
  Touch* slot = nullptr;
  for (Touch& other : others) {
    const bool same = other.thread == touch.thread && other.bytes == touch.bytes;
    if (other.clock < block_begins_.back() || same) slot = &other;
  }
  if (slot == nullptr) slot = &others[replaced_++ % WatchedWord::kTouches];
  *slot = touch;
}

std::optional<Race> RaceWatch::Touched(int32_t thread, const Access& access, WatchedWords& words) {
  WatchedWord& word = words.At(access.address);
  const uint32_t begin = words.is_shared() ? block_begins_.back() : launch_begin_;
  const auto first = access.address % WatchedWords::kWordBytes;
  const Touch touch = {.clock = At(thread).clock,
                       .thread = static_cast<uint16_t>(thread),
                       .bytes = static_cast<uint8_t>(((1 << access.bytes) - 1) << first),
                       .kind = access.kind};
  std::optional<Race> race = RaceWith(touch, word.writes, begin);
  if (access.kind == AccessKind::kRead) {
    Remember(touch, word.reads);
    return race;
  }
  if (!race.has_value()) race = RaceWith(touch, word.reads, begin);
  Remember(touch, word.writes);
  return race;
}

}  // namespace vrp::emulated
