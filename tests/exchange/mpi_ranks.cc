// A rank of the tests of the exchange by MPI. Checks sums, gathered numbers and broadcasts of all
// sizes, and prints "ok" in rank 0. With --hang, rank 1 never calls, and rank 0 prints the error.
#include <unistd.h>

#include <iostream>
#include <string_view>
#include <vector>

#include "core/exchange/mpi_exchange.h"
#include "core/exchange/rank_group.h"

namespace vrp {
namespace {

// Returns the value of `rank` at `i`: of very different sizes, so that another order rounds
// otherwise.
float ValueOf(int32_t rank, size_t i) {
  return static_cast<float>((rank + 1) * 0.1 * static_cast<double>(i + 1)) *
         (rank % 2 == 0 ? 1e6F : 1.0F);
}

bool SumsInOrder(MpiExchange& exchange, size_t size) {
  std::vector<float> values(size);
  std::vector<float> wanted(size);
  for (size_t i = 0; i < size; ++i) {
    values[i] = ValueOf(exchange.rank(), i);
    double sum = 0;
    for (int32_t rank = 0; rank < exchange.ranks(); ++rank) sum += ValueOf(rank, i);
    wanted[i] = static_cast<float>(sum);
  }
  return exchange.Sum(values).ok() && values == wanted;
}

bool Gathers(RankGroup& group) {
  const std::vector<double> own(static_cast<size_t>(group.rank()) + 1, group.rank());
  const auto all = group.Join(absl::OkStatus(), own);
  std::vector<double> wanted;
  for (int32_t rank = 0; rank < group.ranks(); ++rank)
    wanted.insert(wanted.end(), static_cast<size_t>(rank) + 1, rank);
  return all.ok() && *all == wanted;
}

bool Broadcasts(RankGroup& group, size_t size) {
  const std::string wanted(size, 'x');
  std::string bytes = group.leads() ? wanted : "other";
  return group.Share(absl::OkStatus(), bytes).ok() && bytes == wanted;
}

bool Check(MpiExchange& exchange) {
  RankGroup group(&exchange);
  bool good = Gathers(group);
  for (const size_t size : {0, 1, 2, 3, 1000, 3'000'001}) {
    good = SumsInOrder(exchange, size) && good;
    good = Broadcasts(group, size) && good;
  }
  const absl::Status status =
      group.Meet(group.rank() == 1 ? absl::DataLossError("lost") : absl::OkStatus());
  return good && (group.ranks() == 1 ? status.ok() : status == absl::DataLossError("rank 1: lost"));
}

int Main(int count, char** arguments) {
  const bool hangs = count > 1 && std::string_view(arguments[1]) == "--hang";
  const auto exchange = MpiExchange::Create(&count, &arguments, absl::Seconds(1));
  if (!exchange.ok()) return 1;
  if (hangs) {
    if ((*exchange)->rank() == 1) pause();
    RankGroup group(exchange->get());
    std::cout << group.Meet(absl::OkStatus()) << std::endl;
    MpiExchange::Abort();
  }
  const bool good = Check(**exchange);
  if (!good || (*exchange)->rank() == 0) std::cout << (good ? "ok" : "wrong") << std::endl;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace vrp

int main(int count, char** arguments) { return vrp::Main(count, arguments); }
