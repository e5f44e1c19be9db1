#include "core/exchange/mpi_exchange.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "absl/time/clock.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// A rank whose partner computes waits without taking its core: it polls for kSpin, as fast answers
// need, then sleeps between polls.
constexpr absl::Duration kSpin = absl::Microseconds(100);
constexpr absl::Duration kNap = absl::Microseconds(50);
// Limit of rank 0's waiting in multiples of the time between its last two calls.
constexpr int kLimitFactor = 20;

absl::Status MpiError(std::string_view call, int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return absl::UnavailableError(
      Concat(call, ": ", std::string_view(text.data(), static_cast<size_t>(length))));
}

// Returns the range of `values` that rank `rank` adds up.
template <typename T>
std::span<T> SegmentOf(std::span<T> values, int32_t ranks, int32_t rank) {
  const auto begin = [&](int32_t r) {
    return values.size() * static_cast<size_t>(r) / static_cast<size_t>(ranks);
  };
  return values.subspan(begin(rank), begin(rank + 1) - begin(rank));
}

template <typename T>
std::span<std::byte> BytesOf(std::span<T> values) {
  return std::as_writable_bytes(values);
}

// Messages that are only read have no constant form in MPI's requests of our own.
template <typename T>
std::span<std::byte> BytesOf(std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

}  // namespace

absl::StatusOr<std::unique_ptr<MpiExchange>> MpiExchange::Create(int* count, char*** arguments,
                                                                 absl::Duration patience) {
  const int begun = MPI_Init(count, arguments);
  if (begun != MPI_SUCCESS) return absl::UnavailableError("MPI_Init failed");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return std::unique_ptr<MpiExchange>(new MpiExchange(rank, ranks, patience));
}

MpiExchange::MpiExchange(int32_t rank, int32_t ranks, absl::Duration patience)
    : rank_(rank), ranks_(ranks), patience_(patience), idle_since_(SteadyNow()) {}

MpiExchange::~MpiExchange() { MPI_Finalize(); }

void MpiExchange::Abort() {
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

absl::Status MpiExchange::Break(absl::Status failure) {
  broken_ = true;
  return failure;
}

absl::Status MpiExchange::Sum(std::span<float> values) {
  const std::span<float> own = SegmentOf(values, ranks_, rank_);
  received_.resize(own.size() * static_cast<size_t>(ranks_));
  std::vector<Message> messages;
  for (int32_t peer = 0; peer < ranks_; ++peer) {
    if (peer == rank_) continue;
    const auto from =
        std::span(received_).subspan(own.size() * static_cast<size_t>(peer), own.size());
    messages.push_back({.peer = peer, .bytes = BytesOf(from)});
    messages.push_back(
        {.peer = peer, .bytes = BytesOf(SegmentOf(values, ranks_, peer)), .send = true});
  }
  VRP_RETURN_IF_ERROR(Transfer(messages));
  for (size_t i = 0; i < own.size(); ++i) {
    double sum = 0;
    for (int32_t rank = 0; rank < ranks_; ++rank) {
      sum += rank == rank_ ? own[i] : received_[own.size() * static_cast<size_t>(rank) + i];
    }
    own[i] = static_cast<float>(sum);
  }
  messages.clear();
  for (int32_t peer = 0; peer < ranks_; ++peer) {
    if (peer == rank_) continue;
    messages.push_back({.peer = peer, .bytes = BytesOf(SegmentOf(values, ranks_, peer))});
    messages.push_back({.peer = peer, .bytes = BytesOf(own), .send = true});
  }
  return Transfer(messages);
}

absl::Status MpiExchange::Gather(std::span<const double> own, std::span<double> all) {
  std::vector<Message> messages;
  for (int32_t peer = 0; peer < ranks_; ++peer) {
    const std::span<double> row = all.subspan(own.size() * static_cast<size_t>(peer), own.size());
    if (peer == rank_) {
      std::copy(own.begin(), own.end(), row.begin());
      continue;
    }
    messages.push_back({.peer = peer, .bytes = BytesOf(row)});
    messages.push_back({.peer = peer, .bytes = BytesOf(own), .send = true});
  }
  return Transfer(messages);
}

absl::Status MpiExchange::Broadcast(std::string& bytes, int32_t from) {
  uint64_t size = bytes.size();
  const auto send_or_receive = [this, from](std::span<std::byte> data) {
    std::vector<Message> messages;
    if (rank_ != from) messages.push_back({.peer = from, .bytes = data});
    for (int32_t peer = 0; rank_ == from && peer < ranks_; ++peer) {
      if (peer != rank_) messages.push_back({.peer = peer, .bytes = data, .send = true});
    }
    return Transfer(messages);
  };
  VRP_RETURN_IF_ERROR(send_or_receive(BytesOf(std::span(&size, 1))));
  bytes.resize(size);
  return send_or_receive(BytesOf(std::span<char>(bytes)));
}

absl::Status MpiExchange::Transfer(std::span<const Message> messages) {
  const absl::Duration worked = SteadyNow() - idle_since_;
  const absl::Duration limit =
      rank_ == 0 ? std::max(patience_, kLimitFactor * worked) : absl::InfiniteDuration();
  const absl::Status status = WaitForAll(messages, limit);
  idle_since_ = SteadyNow();
  return status.ok() ? status : Break(status);
}

absl::Status MpiExchange::WaitForAll(std::span<const Message> messages, absl::Duration limit) {
  std::vector<MPI_Request> requests(messages.size(), MPI_REQUEST_NULL);
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto& [peer, bytes, send] = messages[i];
    if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
      return absl::InvalidArgumentError("a message between two workers has 2 GiB or more");
    }
    const int size = static_cast<int>(bytes.size());
    const int code =
        send ? MPI_Isend(bytes.data(), size, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i])
             : MPI_Irecv(bytes.data(), size, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
    if (code != MPI_SUCCESS) return MpiError(send ? "MPI_Isend" : "MPI_Irecv", code);
  }
  const absl::Time begun = SteadyNow();
  while (true) {
    int done = 0;
    const int code =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS) return MpiError("MPI_Testall", code);
    if (done != 0) return absl::OkStatus();
    const absl::Duration waited = SteadyNow() - begun;
    if (waited > limit) break;
    waited < kSpin ? static_cast<void>(sched_yield()) : absl::SleepFor(kNap);
  }
  for (size_t i = 0; i < requests.size(); ++i) {
    int done = 0;
    MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
    if (done != 0) continue;
    return absl::UnavailableError(
        Concat("rank ", messages[i].peer, " has not answered for ",
               absl::FormatDuration(absl::Trunc(limit, absl::Seconds(1)))));
  }
  return absl::OkStatus();
}

}  // namespace vrp
