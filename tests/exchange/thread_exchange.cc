#include "tests/exchange/thread_exchange.h"

#include <algorithm>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp::test {

class ThreadRanks {
 public:
  explicit ThreadRanks(int32_t ranks) : bytes_(static_cast<size_t>(ranks)) {}

  int32_t ranks() const { return static_cast<int32_t>(bytes_.size()); }

  // Returns the bytes of all ranks, once all have called.
  std::vector<std::string> Meet(int32_t rank, std::string bytes) {
    absl::MutexLock lock(&mutex_);
    bytes_[static_cast<size_t>(rank)] = std::move(bytes);
    const int64_t meeting = meetings_;
    if (++arrived_ == ranks()) {
      arrived_ = 0;
      ++meetings_;
      met_ = bytes_;
    } else {
      const auto over = [this, meeting]()
                            ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return meetings_ > meeting; };
      mutex_.Await(absl::Condition(&over));
    }
    return met_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::string> bytes_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> met_ ABSL_GUARDED_BY(mutex_);
  int32_t arrived_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t meetings_ ABSL_GUARDED_BY(mutex_) = 0;
};

namespace {

template <typename T>
std::string BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

template <typename T>
std::vector<T> ValuesOf(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
  return values;
}

class ThreadExchange final : public GradientExchange {
 public:
  ThreadExchange(std::shared_ptr<ThreadRanks> ranks, int32_t rank)
      : ranks_(std::move(ranks)), rank_(rank) {}

  int32_t rank() const override { return rank_; }
  int32_t ranks() const override { return ranks_->ranks(); }
  absl::Status Sum(std::span<float> values) override {
    std::vector<double> sums(values.size());
    for (const std::string& bytes : ranks_->Meet(rank_, BytesOf<float>(values))) {
      const std::vector<float> of_rank = ValuesOf<float>(bytes);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += of_rank[i];
    }
    for (size_t i = 0; i < sums.size(); ++i) values[i] = static_cast<float>(sums[i]);
    return absl::OkStatus();
  }
  absl::Status Gather(std::span<const double> own, std::span<double> all) override {
    auto out = all.begin();
    for (const std::string& bytes : ranks_->Meet(rank_, BytesOf<double>(own))) {
      const std::vector<double> values = ValuesOf<double>(bytes);
      out = std::copy(values.begin(), values.end(), out);
    }
    return absl::OkStatus();
  }
  absl::Status Broadcast(std::string& bytes, int32_t from) override {
    bytes = ranks_->Meet(rank_, bytes)[static_cast<size_t>(from)];
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<ThreadRanks> ranks_;
  const int32_t rank_;
};

}  // namespace

std::vector<std::unique_ptr<GradientExchange>> MakeThreadExchanges(int32_t ranks) {
  const auto shared = std::make_shared<ThreadRanks>(ranks);
  std::vector<std::unique_ptr<GradientExchange>> exchanges;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    exchanges.push_back(std::make_unique<ThreadExchange>(shared, rank));
  }
  return exchanges;
}

void RunRanks(int32_t ranks, const std::function<void(GradientExchange&)>& work) {
  const std::vector<std::unique_ptr<GradientExchange>> exchanges = MakeThreadExchanges(ranks);
  std::vector<std::thread> threads;
  for (const auto& exchange : exchanges) threads.emplace_back([&] { work(*exchange); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace vrp::test
