#include "client/output/estimates.h"

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr char kOutsidePrefix[] = "ESTIMATE_OUTSIDE_";

std::vector<std::string> OutsideWords(const v1::CostEstimate& estimate) {
  std::vector<std::string> words;
  for (const int outside : estimate.outside()) {
    const std::string& name = v1::EstimateOutside_Name(static_cast<v1::EstimateOutside>(outside));
    const size_t prefix = name.starts_with(kOutsidePrefix) ? sizeof(kOutsidePrefix) - 1 : 0;
    words.push_back(absl::AsciiStrToLower(name.substr(prefix)));
  }
  return words;
}

std::string RangeText(const std::string& low, const std::string& high) {
  return low == high ? low : absl::StrCat(low, " to ", high);
}

}  // namespace

Json EstimatesJson(const v1::EstimateCostsResponse& response,
                   const std::vector<std::string>& names) {
  Json estimates = Json::array();
  for (int i = 0; i < response.estimates_size(); ++i) {
    const v1::CostEstimate& estimate = response.estimates(i);
    estimates.push_back({{"name", names[static_cast<size_t>(i)]},
                         {"customers", estimate.customers()},
                         {"cost", JsonNumber(estimate.cost())},
                         {"cost_low", JsonNumber(estimate.cost_low())},
                         {"cost_high", JsonNumber(estimate.cost_high())},
                         {"routes", JsonNumber(estimate.routes())},
                         {"routes_low", estimate.routes_low()},
                         {"routes_high", estimate.routes_high()},
                         {"outside", OutsideWords(estimate)},
                         {"layout_distance", JsonNumber(estimate.layout_distance())}});
  }
  return {{"estimates", estimates},
          {"model", response.model()},
          {"coverage", JsonNumber(response.coverage())},
          {"time_ms", MillisecondsJson(response.time())}};
}

std::string EstimatesText(const v1::EstimateCostsResponse& response,
                          const std::vector<std::string>& names) {
  const std::string share = absl::StrFormat("%.0f %% WITHIN", 100 * response.coverage());
  Table table({"NAME", "CUSTOMERS", "COST", share, "ROUTES", "OUTSIDE"});
  for (int i = 0; i < response.estimates_size(); ++i) {
    const v1::CostEstimate& estimate = response.estimates(i);
    table.AddRow(
        {names[static_cast<size_t>(i)], absl::StrCat(estimate.customers()),
         absl::StrFormat("%.6g", estimate.cost()),
         RangeText(absl::StrFormat("%.6g", estimate.cost_low()),
                   absl::StrFormat("%.6g", estimate.cost_high())),
         RangeText(absl::StrCat(estimate.routes_low()), absl::StrCat(estimate.routes_high())),
         estimate.outside().empty() ? "-" : absl::StrJoin(OutsideWords(estimate), ", ")});
  }
  return absl::StrCat(table.Text(), "model: ", response.model(), ", ",
                      FormatCount(response.estimates_size(), "estimate"), " in ",
                      FormatMilliseconds(response.time()), " ms\n");
}

}  // namespace vrp::client
