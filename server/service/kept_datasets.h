// Parses uploaded datasets for the calls that name them, and keeps the last ones in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/registry/dataset_store.h"

namespace vrp {

// A reader that keeps what it parsed of the datasets that were used last, because calls have little
// time to parse a long one. Thread-safe.
template <typename Content>
class KeptDatasets {
 public:
  using Shared = std::shared_ptr<const Content>;
  struct Kind {
    DatasetKind kind;
    // Member of DatasetSummary that counts what takes memory, and its largest sum.
    int64_t DatasetSummary::*size;
    int64_t max_size;
    // Parses the content of a dataset, which it names in errors.
    absl::StatusOr<Content> (*parse)(std::string_view text, std::string_view name);
  };
  // `datasets` outlives the reader.
  KeptDatasets(const DatasetStore& datasets, const Kind& kind) : datasets_(datasets), kind_(kind) {}

  // Returns the content of `datasets/{name}`. Blocks on the disk. Returns kInvalidArgument for a
  // dataset of another kind, and the errors of `parse` and DatasetStore::ContentPath.
  absl::StatusOr<Shared> Use(const std::string& name) ABSL_LOCKS_EXCLUDED(mutex_) {
    VRP_ASSIGN_OR_RETURN(const StoredDataset dataset, datasets_.Get(name));
    VRP_RETURN_IF_ERROR(CheckDatasetKind(dataset, kind_.kind));
    if (Shared kept = Find(dataset); kept != nullptr) return kept;
    VRP_ASSIGN_OR_RETURN(const std::string path, datasets_.ContentPath(name));
    const absl::StatusOr<std::string> text = ReadFile(path, kMaxDatasetBytes);
    // The error of the disk would reveal the path.
    if (!text.ok()) return absl::UnavailableError(Concat(name, ": cannot be read now; try again"));
    VRP_ASSIGN_OR_RETURN(Content parsed, kind_.parse(*text, name));
    const auto content = std::make_shared<const Content>(std::move(parsed));
    Keep(dataset, content);
    return content;
  }

  // Drops the content of a deleted dataset.
  void Forget(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    std::erase_if(kept_, [name](const Kept& kept) { return kept.dataset.name == name; });
  }

 private:
  struct Kept {
    StoredDataset dataset;
    Shared content;
  };

  // Returns the kept content, or null.
  Shared Find(const StoredDataset& dataset) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& kept) { return kept.dataset == dataset; });
    if (found == kept_.end()) return nullptr;
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().content;
  }

  void Keep(const StoredDataset& dataset, Shared content) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    // Forget may have been called already. It is called after the deletion.
    const absl::StatusOr<StoredDataset> current = datasets_.Get(dataset.name);
    if (!current.ok() || *current != dataset) return;
    std::erase_if(kept_, [&](const Kept& kept) { return kept.dataset.name == dataset.name; });
    kept_.push_back({dataset, std::move(content)});
    int64_t size = 0;
    auto first = kept_.end();
    while (first != kept_.begin() && size + SizeOf(*std::prev(first)) <= kind_.max_size) {
      --first;
      size += SizeOf(*first);
    }
    kept_.erase(kept_.begin(), first);
  }

  int64_t SizeOf(const Kept& kept) const { return kept.dataset.summary.*kind_.size; }

  const DatasetStore& datasets_;
  const Kind kind_;
  absl::Mutex mutex_;
  std::vector<Kept> kept_ ABSL_GUARDED_BY(mutex_);  // the one that was used last comes last
};

}  // namespace vrp
