// Several ranks as threads of one process, for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/exchange/gradient_exchange.h"

namespace vrp::test {

// Returns the exchanges of `ranks` ranks, each for one thread.
std::vector<std::unique_ptr<GradientExchange>> MakeThreadExchanges(int32_t ranks);

// Calls `work` with the exchange of each rank, on a thread per rank, and waits for all.
void RunRanks(int32_t ranks, const std::function<void(GradientExchange&)>& work);

}  // namespace vrp::test
