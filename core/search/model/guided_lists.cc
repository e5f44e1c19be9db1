#include "core/search/model/guided_lists.h"

#include <algorithm>
#include <cstdint>

namespace vrp {
namespace {

// Edges in a smaller share of the samples say nothing: the distance judges better.
constexpr double kLeastShare = 0.1;

struct Beside {
  NodeIndex node = 0;
  int32_t count = 0;
};

// Of each node: the customers beside it in the samples, and how often.
std::vector<std::vector<Beside>> CountEdges(std::span<const Plan> samples, NodeIndex first,
                                            int64_t size) {
  std::vector<std::vector<Beside>> beside(size);
  const auto count = [&](NodeIndex node, NodeIndex other) {
    auto& of_node = beside[node];
    const auto known =
        std::find_if(of_node.begin(), of_node.end(), [=](Beside b) { return b.node == other; });
    if (known == of_node.end()) {
      of_node.push_back({other, 1});
    } else {
      ++known->count;
    }
  };
  const auto exists = [=](NodeIndex node) { return node >= first && node < size; };
  for (const Plan& plan : samples) {
    for (const PlannedRoute& route : plan) {
      for (size_t i = 1; i < route.customers.size(); ++i) {
        const NodeIndex from = route.customers[i - 1];
        const NodeIndex to = route.customers[i];
        if (!exists(from) || !exists(to) || from == to) continue;
        count(from, to);
        count(to, from);
      }
    }
  }
  return beside;
}

}  // namespace

std::vector<NodeIndex> GuidedLists(ListView lists, std::span<const Plan> samples) {
  if (lists.length < 1) return {};
  const auto least = kLeastShare * static_cast<double>(samples.size());
  auto beside = CountEdges(samples, lists.first, std::ssize(lists.nodes) / lists.length);
  std::vector<NodeIndex> guided;
  guided.reserve(lists.nodes.size());
  for (size_t node = 0; node < beside.size(); ++node) {
    auto& likely = beside[node];
    std::erase_if(likely, [=](Beside b) { return b.count < least; });
    std::stable_sort(likely.begin(), likely.end(),
                     [](Beside a, Beside b) { return a.count > b.count; });
    const size_t end = (node + 1) * lists.length;
    const auto is_likely = [&](NodeIndex other) {
      return std::any_of(likely.begin(), likely.end(), [=](Beside b) { return b.node == other; });
    };
    for (const Beside& one : likely) {
      if (guided.size() < end) guided.push_back(one.node);
    }
    for (const NodeIndex other : lists.nodes.subspan(end - lists.length, lists.length)) {
      if (guided.size() < end && !is_likely(other)) guided.push_back(other);
    }
  }
  return guided;
}

}  // namespace vrp
