#include "core/exchange/rank_group.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Size of the messages of Gather. It is always the same, so that a failed rank's message fits
// whichever call the others are in.
constexpr size_t kWords = RankGroup::kMaxGathered + 1;

}  // namespace

absl::Status RankGroup::Keep(absl::Status status) {
  failed_ = failed_ || !status.ok();
  return status;
}

absl::StatusOr<std::vector<double>> RankGroup::Gather(const absl::Status& status,
                                                      std::span<const double> own) {
  if (alone()) {
    VRP_RETURN_IF_ERROR(status);
    return std::vector<double>(own.begin(), own.end());
  }
  if (failed_) return absl::InternalError("the exchange with the other ranks has failed");
  if (own.size() > kMaxGathered) return absl::InternalError("too many numbers to gather");
  std::array<double, kWords> words{};
  words[0] = static_cast<double>(status.code());
  std::copy(own.begin(), own.end(), words.begin() + 1);
  const auto count = static_cast<size_t>(ranks());
  std::vector<double> all(count * kWords);
  VRP_RETURN_IF_ERROR(Keep(exchange_->Gather(words, all)));
  std::vector<double> codes;
  std::vector<double> gathered;
  for (size_t rank = 0; rank < count; ++rank) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(rank * kWords);
    codes.push_back(*row);
    gathered.insert(gathered.end(), row + 1, row + 1 + static_cast<std::ptrdiff_t>(own.size()));
  }
  VRP_RETURN_IF_ERROR(Keep(ShareError(status, codes)));
  return gathered;
}

absl::Status RankGroup::ShareError(const absl::Status& status, std::span<const double> codes) {
  const auto failed =
      std::find_if(codes.begin(), codes.end(), [](double code) { return code != 0; });
  if (failed == codes.end()) return absl::OkStatus();
  const auto from = static_cast<int32_t>(failed - codes.begin());
  std::string message(status.message());
  VRP_RETURN_IF_ERROR(exchange_->Broadcast(message, from));
  // Rank 0 decides about stops, which are no failure of that rank.
  if (from > 0) message = Concat("rank ", from, ": ", message);
  return {static_cast<absl::StatusCode>(static_cast<int>(*failed)), message};
}

absl::StatusOr<std::vector<double>> RankGroup::Join(const absl::Status& status,
                                                    std::span<const double> own) {
  const auto size = static_cast<double>(own.size());
  VRP_ASSIGN_OR_RETURN(const std::vector<double> sizes, Gather(status, {&size, 1}));
  if (alone()) return std::vector<double>(own.begin(), own.end());
  const auto largest = static_cast<size_t>(*std::max_element(sizes.begin(), sizes.end()));
  std::vector<double> padded(own.begin(), own.end());
  padded.resize(largest);
  std::vector<double> all(largest * sizes.size());
  VRP_RETURN_IF_ERROR(Keep(exchange_->Gather(padded, all)));
  std::vector<double> joined;
  for (size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(rank * largest);
    joined.insert(joined.end(), row, row + static_cast<std::ptrdiff_t>(sizes[rank]));
  }
  return joined;
}

absl::Status RankGroup::Share(const absl::Status& status, std::string& bytes) {
  VRP_RETURN_IF_ERROR(Meet(status));
  return alone() ? absl::OkStatus() : Keep(exchange_->Broadcast(bytes, 0));
}

absl::Status RankGroup::SumGradient(std::span<float> gradient) {
  return alone() ? absl::OkStatus() : Keep(exchange_->Sum(gradient));
}

void RankGroup::Fail(const absl::Status& status) {
  if (alone() || failed_) return;
  Gather(status, {}).IgnoreError();
  failed_ = true;
}

}  // namespace vrp
