// Prints lists, including those that the daemon returns in pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "client/commands/command.h"
#include "client/connection/rpc_client.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "nlohmann/json.hpp"

namespace vrp::client {

// A printer of items as the rows of a table or as one JSON object per line.
template <typename Item>
class ListPrinter {
 public:
  using ToJson = Json (*)(const Item&);
  using ToRow = std::vector<std::string> (*)(const Item&);

  ListPrinter(CommandContext& context, std::vector<std::string> columns, ToJson to_json,
              ToRow to_row)
      : context_(context), table_(std::move(columns)), to_json_(to_json), to_row_(to_row) {}

  // Prints the item as JSON, or stores its row until Finish.
  void Add(const Item& item) {
    if (context_.json()) {
      WriteJsonLine(context_.out(), to_json_(item));
    } else {
      table_.AddRow(to_row_(item));
    }
  }
  // Prints the stored rows, if the output is a table. Returns kExitDone.
  ExitCode Finish() {
    if (!context_.json()) context_.out() << table_.Text() << std::flush;
    return kExitDone;
  }

 private:
  CommandContext& context_;
  Table table_;
  const ToJson to_json_;
  const ToRow to_row_;
};

// Fetches the pages of a list with `method` and prints at most `limit` items (0 means all). `items`
// returns the items of a page. `request` holds the filter.
template <typename Stub, typename Request, typename Response, typename Items, typename Item>
ExitCode PrintPages(CommandContext& context, UnaryMethod<Stub, Request, Response> method,
                    Request request, int64_t limit, Items items, ListPrinter<Item> printer) {
  constexpr int64_t kPageSize = 200;
  int64_t left = limit > 0 ? limit : std::numeric_limits<int64_t>::max();
  do {
    request.set_page_size(static_cast<int>(std::min(left, kPageSize)));
    const absl::StatusOr<Response> page = context.client().Call(method, request);
    if (!page.ok()) return context.Fail(page.status());
    for (const Item& item : items(*page)) {
      if (left-- <= 0) break;
      printer.Add(item);
    }
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && left > 0);
  return printer.Finish();
}

}  // namespace vrp::client
