#include "tests/gpu/emulated/block.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <utility>

// The program's load address, set by the linker.
extern "C" const char __executable_start;  // NOLINT(bugprone-reserved-identifier): its name

namespace vrp::emulated {
namespace {

constexpr int32_t kLanes = 32;
// Maximum number of accesses in a thread's turn.
constexpr uint64_t kMaxTurnAccesses = 4096;

// The block whose thread executes its kernel, and the block whose thread enters its fiber.
Block* running = nullptr;
Block* entering = nullptr;

// A scope of the emulation's own work for a thread, during which no kernel runs.
class EmulationScope {
 public:
  EmulationScope() : block_(std::exchange(running, nullptr)) {}
  ~EmulationScope() { running = block_; }
  EmulationScope(const EmulationScope&) = delete;
  EmulationScope& operator=(const EmulationScope&) = delete;

 private:
  Block* const block_;
};

const char* NameOf(WarpCall call) {
  switch (call) {
    case WarpCall::kSync:
      return "__syncwarp";
    case WarpCall::kShuffle:
      return "__shfl_xor_sync";
    case WarpCall::kBallot:
      return "__ballot_sync";
    case WarpCall::kMin:
      return "__reduce_min_sync";
    case WarpCall::kProduct:
      return "mma.sync";
  }
  return "";
}

// Returns the address, for addr2line, of the call before `code`.
std::string LocationOf(const void* code) {
  char text[32];
  const auto offset = static_cast<const char*>(code) - &__executable_start - 1;
  std::snprintf(text, sizeof(text), "%#tx", offset);
  return text;
}

uint3 IndexIn(const dim3& block, int32_t thread) {
  const auto number = static_cast<unsigned>(thread);
  return {number % block.x, number / block.x % block.y, number / (block.x * block.y)};
}

}  // namespace

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

Block::Block(const BlockRequest& request, uint64_t seed, std::span<const FiberStack> stacks,
             BlockWatch& watch)
    : request_(request), random_(seed), stacks_(stacks), watch_(watch) {}

Block* Block::Running() { return running; }

std::optional<Fault> Block::Run(uint3 block_index) {
  block_index_ = block_index;
  const int32_t threads = request_.threads();
  threads_ = std::vector<Thread>(static_cast<size_t>(threads));
  warps_ = std::vector<Meeting>(static_cast<size_t>((threads + kLanes - 1) / kLanes));
  ready_.clear();
  for (int32_t i = 0; i < threads; ++i) {
    At(i).fiber = Fiber(stacks_[static_cast<size_t>(i)], &Block::Enter);
    ready_.push_back(i);
  }
  blockIdx = block_index;
  blockDim = request_.block;
  gridDim = request_.grid;
  watch_.races().BeginBlock(threads);
  while (!ready_.empty() && !fault_.has_value()) RunNextThread();
  const bool ended = std::ranges::all_of(threads_, [](const Thread& one) { return one.ended; });
  if (!ended && !fault_.has_value()) fault_ = Deadlock();
  return fault_;
}

uint64_t Block::Draw() {
  // The generator is SplitMix64 (Steele et al. 2014).
  uint64_t x = random_ += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Runs a random ready thread until it yields.
void Block::RunNextThread() {
  std::swap(ready_[Draw() % ready_.size()], ready_.back());
  current_ = ready_.back();
  ready_.pop_back();
  threadIdx = IndexIn(request_.block, current_);
  turn_ = 1 + static_cast<int32_t>(Draw() % kMaxTurnAccesses);
  entering = this;
  scheduler_.SwitchTo(At(current_).fiber);
}

void Block::Enter() {
  Fiber::Entered();
  Block& block = *entering;
  running = &block;
  try {
    block.request_.thread();
  } catch (const Fault& fault) {  // unwinds the stack
    block.fault_ = fault;
  }
  running = nullptr;
  block.At(block.current_).ended = true;
  block.Suspend();
  std::terminate();  // an ended thread must never run again
}

void Block::EndTurn() {
  ready_.push_back(current_);
  Suspend();
}

void Block::Suspend() { At(current_).fiber.SwitchTo(scheduler_); }

std::string Block::Name(int32_t thread) const {
  const uint3 at = IndexIn(request_.block, thread);
  return "thread (" + std::to_string(at.x) + ", " + std::to_string(at.y) + ")";
}

std::string Block::Name(const Meeting& meeting) const {
  const auto barrier = &meeting - barriers_.data();
  const bool is_barrier = barrier >= 0 && barrier < std::ssize(barriers_);
  return is_barrier ? "barrier " + std::to_string(barrier) + " for " +
                          std::to_string(meeting.terms.threads) + " threads"
                    : NameOf(meeting.terms.call);
}

void Block::Fail(cudaError_t error, const std::string& action) {
  throw Fault{
      .error = error,
      .text = "block " + std::to_string(block_index_.x) + ": " + Name(current_) + " " + action};
}

Fault Block::Deadlock() const {
  std::string text = "block " + std::to_string(block_index_.x) + ": deadlock:";
  int64_t ended = 0;
  for (int32_t i = 0; i < std::ssize(threads_); ++i) {
    const Thread& one = threads_[static_cast<size_t>(i)];
    ended += one.ended ? 1 : 0;
    // Reports threads that wait together only once, for the first of them.
    if (one.ended || *std::ranges::min_element(one.at->arrived) != i) continue;
    text += " " + std::to_string(one.at->arrived.size()) + " threads from " + Name(i) +
            " on wait in " + Name(*one.at) + ";";
  }
  return {.text = text + " " + std::to_string(ended) + " threads have ended"};
}

template <typename Met>
void Block::Meet(Meeting& meeting, const Terms& terms, const Met& met) {
  if (!meeting.arrived.empty() && meeting.terms != terms) {
    const std::string other = Name(meeting);
    const std::string line =
        terms.line == meeting.terms.line ? "" : " of line " + std::to_string(meeting.terms.line);
    meeting.terms = terms;
    Fail(cudaErrorLaunchFailure, "reaches " + Name(meeting) + " while " +
                                     Name(meeting.arrived.front()) + " waits in " + other + line);
  }
  meeting.terms = terms;
  meeting.arrived.push_back(current_);
  At(current_).at = &meeting;
  if (std::ssize(meeting.arrived) == terms.threads) {
    met();
    ready_.insert(ready_.end(), meeting.arrived.begin(), meeting.arrived.end());
    meeting.arrived.clear();
  }
  Suspend();
}

void Block::MeetBarrier(int32_t number, int32_t threads, uint32_t line) {
  const EmulationScope scope;
  if (number < 0 || number >= std::ssize(barriers_) || threads % kLanes != 0) {
    Fail(cudaErrorLaunchFailure,
         "reaches barrier " + std::to_string(number) + " for " + std::to_string(threads) +
             " threads, wanted a barrier from 0 to 15 and a multiple of 32");
  }
  Meeting& meeting = barriers_[static_cast<size_t>(number)];
  Meet(meeting, {.threads = threads, .line = line},
       [&] { watch_.races().Barrier(meeting.arrived); });
}

uint64_t Block::MeetWarp(WarpCall call, uint32_t mask, uint64_t value, int32_t other) {
  const EmulationScope scope;
  if ((mask >> current_ % kLanes & 1) == 0) {
    Fail(cudaErrorLaunchFailure, std::string("is missing in the mask of its ") + NameOf(call));
  }
  At(current_).value = value;
  At(current_).other = other;
  Meeting& meeting = warps_[static_cast<size_t>(current_ / kLanes)];
  Meet(meeting, {.call = call, .mask = mask, .threads = std::popcount(mask)}, [&] {
    if (call == WarpCall::kSync) watch_.races().Barrier(meeting.arrived);
    Exchange(meeting);
  });
  return At(current_).value;
}

void Block::Exchange(const Meeting& meeting) {
  const int32_t first = current_ / kLanes * kLanes;
  std::array<uint64_t, kLanes> given = {};
  uint64_t ballot = 0;
  auto minimum = static_cast<int32_t>(At(current_).value);
  for (const int32_t i : meeting.arrived) {
    const auto lane = static_cast<size_t>(i - first);
    given[lane] = At(i).value;
    ballot |= (given[lane] & 1) << lane;
    minimum = std::min(minimum, static_cast<int32_t>(given[lane]));
  }
  for (const int32_t i : meeting.arrived) {
    Thread& one = At(i);
    const auto from = static_cast<size_t>((i - first) ^ one.other);
    if (meeting.terms.call == WarpCall::kShuffle) one.value = given[from % kLanes];
    if (meeting.terms.call == WarpCall::kBallot) one.value = ballot;
    if (meeting.terms.call == WarpCall::kMin) one.value = static_cast<uint32_t>(minimum);
  }
}

void Block::MeetProduct(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]) {
  const EmulationScope scope;
  Thread& thread = At(current_);
  for (size_t i = 0; i < 4; ++i) {
    thread.left[i] = std::bit_cast<float>(a[i]);
    thread.sum[i] = sum[i];
  }
  for (size_t i = 0; i < 2; ++i) thread.right[i] = std::bit_cast<float>(b[i]);
  Meeting& meeting = warps_[static_cast<size_t>(current_ / kLanes)];
  Meet(meeting, {.call = WarpCall::kProduct, .mask = 0xFFFFFFFFu, .threads = kLanes},
       [&] { AddProduct(current_ / kLanes * kLanes); });
  for (size_t i = 0; i < 4; ++i) sum[i] = thread.sum[i];
}

// Adds the product of the lanes' matrices to their sums. `first` is the warp's first thread.
void Block::AddProduct(int32_t first) {
  const auto left = [&](int32_t row, int32_t k) {
    const int32_t lane = first + row % 8 * 4 + k % 4;
    const int32_t element = row / 8 + k / 4 * 2;
    return At(lane).left[static_cast<size_t>(element)];
  };
  const auto right = [&](int32_t k, int32_t column) {
    return At(first + column * 4 + k % 4).right[static_cast<size_t>(k / 4)];
  };
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    for (int32_t i = 0; i < 4; ++i) {
      float& sum = At(first + lane).sum[static_cast<size_t>(i)];
      for (int32_t k = 0; k < 8; ++k) {
        sum += left(lane / 4 + i / 2 * 8, k) * right(k, lane % 4 * 2 + i % 2);
      }
    }
  }
}

void Block::BeginAtomic(uintptr_t address, int32_t bytes) {
  const EmulationScope scope;
  EndTurn();
  Watch({address, bytes, AccessKind::kAtomic}, nullptr);
  watch_.races().Atomic(current_);
}

void Block::Fence() {
  const EmulationScope scope;
  watch_.races().Fence(current_);
}

void Block::Touch(const Access& access, const void* code) {
  const bool own = stacks_[static_cast<size_t>(current_)].Contains(access.address);
  --turn_;
  if (own && turn_ > 0) return;
  const EmulationScope scope;
  if (turn_ <= 0) EndTurn();
  if (own) return;
  Watch(access, code);
}

void Block::Watch(const Access& access, const void* code) {
  const auto fault = watch_.Touched(current_, access);
  if (!fault.has_value()) return;
  std::string other;
  if (const auto& race = fault->race; race.has_value()) {
    other = " " + Name(race->other) + (race->same_block ? "" : " of another block");
  }
  const std::string location = code == nullptr ? "" : " (addr2line: " + LocationOf(code) + ")";
  Fail(fault->error, fault->action + other + location);
}

void MeetBarrier(int32_t number, int32_t threads, uint32_t line) {
  Block::Running()->MeetBarrier(number, threads, line);
}

uint64_t MeetWarp(WarpCall call, uint32_t mask, uint64_t value, int32_t other) {
  return Block::Running()->MeetWarp(call, mask, value, other);
}

void MeetProduct(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]) {
  Block::Running()->MeetProduct(a, b, sum);
}

void BeginAtomic(const void* at, int32_t bytes) {
  Block::Running()->BeginAtomic(reinterpret_cast<uintptr_t>(at), bytes);
}

void Fence() { Block::Running()->Fence(); }

uint8_t* DynamicShared() { return Block::Running()->shared(); }

}  // namespace vrp::emulated
