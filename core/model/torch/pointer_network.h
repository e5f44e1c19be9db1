// The LSTM pointer network (Vinyals et al. 2015, Bello et al. 2016; dynamic inputs in the pointer's
// attention as in Nazari et al. 2018) in torch's operators. cpu_pointer_network.h describes its
// parameters and mathematics. Needs torch.
#pragma once

#include <memory>

#include "core/model/pointer_network/pointer_network_options.h"
#include "core/model/torch/network.h"

namespace vrp {

std::unique_ptr<TorchNetwork> MakeTorchPointerNetwork(const PointerNetworkOptions& options);

}  // namespace vrp
