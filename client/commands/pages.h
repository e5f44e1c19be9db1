// Lists that come in pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"

namespace vrp::client {

// Fetches pages one after the other (`fetch`: Request -> absl::StatusOr of a page) and calls `use`
// with each of their `items` as they come, at most `limit` (0: all). `request` has what is the same
// for all pages.
template <typename Request, typename Fetch, typename Items, typename Use>
absl::Status ForEachListed(int64_t limit, Request request, Fetch fetch, Items items, Use use) {
  constexpr int64_t kPageSize = 200;
  int64_t left = limit > 0 ? limit : std::numeric_limits<int64_t>::max();
  do {
    request.set_page_size(static_cast<int>(std::min(left, kPageSize)));
    const auto page = fetch(request);
    if (!page.ok()) return page.status();
    for (const auto& item : items(*page)) {
      if (left-- <= 0) break;
      use(item);
    }
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && left > 0);
  return absl::OkStatus();
}

}  // namespace vrp::client
