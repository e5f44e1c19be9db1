// Tests matrices on disk.
#include "core/registry/matrix_store.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace {

absl::Mutex& FlushedMutex() {
  static absl::Mutex mutex;
  return mutex;
}
// Returns the flushed paths, in order. FlushedMutex guards them.
std::vector<std::string>& FlushedPaths() {
  static std::vector<std::string> paths;
  return paths;
}

}  // namespace

// Replaces the fsync of libc, to record the flushed paths.
extern "C" int fsync(int descriptor) {
  std::error_code error;
  const auto path =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
  {
    absl::MutexLock lock(&FlushedMutex());
    FlushedPaths().push_back(path.string());
  }
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class MatrixStoreTest : public testing::Test {
 protected:
  std::unique_ptr<MatrixStore> Open(int64_t cache_bytes = 1 << 20, int32_t max_count = 10) {
    auto store = MatrixStore::Create({folder_.path() + "/kept", cache_bytes, max_count});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  static MatrixUpload AnUpload(double first, bool durations = false) {
    MatrixUpload upload = *MatrixUpload::Begin(2, durations);
    std::vector<double> values = {0, first, 2, 0, 0, 7, 8, 0};
    EXPECT_TRUE(upload.Add(values.data(), durations ? 8 : 4).ok());
    return upload;
  }

  std::string FileOf(const StoredMatrices& stored) const {
    return folder_.path() + "/kept/" + stored.name.substr(stored.name.find('/') + 1);
  }

  test::TempFolder folder_;
};

TEST_F(MatrixStoreTest, KeepsMatricesAcrossARestart) {
  const absl::StatusOr<StoredMatrices> stored = Open()->Put(AnUpload(5, true));
  ASSERT_TRUE(stored.ok()) << stored.status();
  const auto found = Open()->Find(stored->name);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->size, 2);
  EXPECT_EQ((*found)->distances, (std::vector<double>{0, 5, 2, 0}));
  EXPECT_EQ((*found)->durations, (std::vector<double>{0, 7, 8, 0}));
}

TEST_F(MatrixStoreTest, StoresTheSameContentOnce) {
  const auto store = Open();
  const StoredMatrices once = *store->Put(AnUpload(5));
  EXPECT_EQ(store->Put(AnUpload(5))->name, once.name);
  EXPECT_NE(store->Put(AnUpload(6))->name, once.name);
  EXPECT_THAT(store->List(), SizeIs(2));
}

TEST_F(MatrixStoreTest, DoesNotFindDeletedMatrices) {
  const auto store = Open();
  const std::string name = store->Put(AnUpload(5))->name;
  ASSERT_TRUE(store->Find(name).ok());
  EXPECT_TRUE(store->Delete(name).ok());
  EXPECT_EQ(store->Find(name).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Delete(name).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(store->List(), SizeIs(0));
}

TEST_F(MatrixStoreTest, SyncsDeletionsToDiskBeforeReturning) {
  const auto store = Open();
  const std::string name = store->Put(AnUpload(5))->name;
  const auto take_flushed_paths = [] {
    absl::MutexLock lock(&FlushedMutex());
    return std::exchange(FlushedPaths(), {});
  };
  take_flushed_paths();
  ASSERT_TRUE(store->Delete(name).ok());
  EXPECT_THAT(take_flushed_paths(), testing::ElementsAre(folder_.path() + "/kept"));
}

TEST_F(MatrixStoreTest, RefusesNewMatricesBeyondTheQuotaButNotExistingOnes) {
  const std::string kept = Open()->Put(AnUpload(5))->name;
  const MatrixUpload another = AnUpload(6);
  int64_t requested_bytes = 0;
  const auto store = *MatrixStore::Create(
      {.directory = folder_.path() + "/kept", .check_space = [&requested_bytes](int64_t bytes) {
         requested_bytes = bytes;
         return absl::ResourceExhaustedError("full");
       }});
  EXPECT_EQ(store->Put(AnUpload(5))->name, kept);
  EXPECT_EQ(requested_bytes, 0);
  EXPECT_EQ(store->Put(another).status().message(), "full");
  EXPECT_EQ(requested_bytes, static_cast<int64_t>(another.content().size()));
  EXPECT_THAT(store->List(), SizeIs(1));
}

TEST_F(MatrixStoreTest, RefusesADamagedFileUntilTheNextUpload) {
  const StoredMatrices stored = *Open()->Put(AnUpload(5));
  std::string content = *ReadFile(FileOf(stored));
  content[content.size() - 9] ^= 1;
  std::ofstream(FileOf(stored), std::ios::binary) << content;
  const auto store = Open();
  const absl::Status status = store->Find(stored.name).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("damaged"));
  std::ofstream(FileOf(stored), std::ios::binary) << "short";
  EXPECT_EQ(store->Find(stored.name).status().code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(store->Put(AnUpload(5)).ok());
  EXPECT_TRUE(store->Find(stored.name).ok());
}

TEST_F(MatrixStoreTest, NamesTheMatricesOfAForeignFile) {
  const auto store = Open();
  std::string cut(AnUpload(5).content());
  cut.pop_back();
  for (const auto& [content, damage] : std::vector<std::pair<std::string, std::string>>{
           {"foreign", "it is not a file of matrices"},
           {cut, "it has 55 bytes, wanted 56 as its header says"}}) {
    const std::string id = Sha256Hex(content).substr(0, 32);
    std::ofstream(folder_.path() + "/kept/" + id, std::ios::binary) << content;
    const absl::Status status = store->Find("matrices/" + id).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(Concat("got \"matrices/", id, "\", whose file is damaged: ", damage)));
  }
}

TEST_F(MatrixStoreTest, RefusesPathsAsNames) {
  const auto store = Open();
  for (const char* name : {"", "matrices/", "matrices/../../etc/passwd", "models/x",
                           "matrices/0123456789abcdef0123456789abcdeg"}) {
    EXPECT_EQ(store->Find(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(store->Delete(name).code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

TEST_F(MatrixStoreTest, BoundsTheMemoryCache) {
  const auto store = Open(/*cache_bytes=*/40);  // fits one matrix but not two
  std::vector<std::string> names;
  for (int i = 1; i <= 3; ++i) names.push_back(store->Put(AnUpload(i))->name);
  std::weak_ptr<const Matrices> last;
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i <= 3; ++i) {
      const auto found = store->Find(names[static_cast<size_t>(i - 1)]);
      ASSERT_TRUE(found.ok());
      EXPECT_EQ((*found)->distances[1], i);
      EXPECT_TRUE(last.expired()) << "the cache must have dropped the matrix before this one";
      // The cache has the most recently used matrix.
      EXPECT_EQ(store->Find(names[static_cast<size_t>(i - 1)])->get(), found->get());
      last = *found;
    }
  }
}

TEST_F(MatrixStoreTest, RefusesMatricesBeyondTheLimit) {
  const auto store = Open(1 << 20, /*max_count=*/2);
  ASSERT_TRUE(store->Put(AnUpload(1)).ok());
  ASSERT_TRUE(store->Put(AnUpload(2)).ok());
  EXPECT_EQ(store->Put(AnUpload(3)).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(store->Put(AnUpload(2)).ok());
}

TEST_F(MatrixStoreTest, RemovesTemporaryFilesOfACrash) {
  Open();
  const std::string left = folder_.path() + "/kept/.0123.tmp";
  std::ofstream(left) << "half";
  Open();
  EXPECT_FALSE(std::ifstream(left).is_open());
}

TEST(MatrixUploadTest, NamesTheFieldAndTheWantedValues) {
  EXPECT_EQ(MatrixUpload::Begin(1, false).status().message(), "size: got 1, wanted 2 to 5000");
  MatrixUpload upload = *MatrixUpload::Begin(2, false);
  const std::vector<double> values = {0, -1, 2, 3, 4};
  EXPECT_EQ(upload.Add(values.data(), 2).message(), "values[1]: got -1, wanted 0 to 1e+12");
  EXPECT_EQ(upload.Add(values.data(), 5).message(), "values: got 5, wanted 4 as the header says");
  ASSERT_TRUE(upload.Add(values.data() + 2, 3).ok());
  EXPECT_EQ(upload.CheckComplete().message(), "values: got 3, wanted 4 as the header says");
}

}  // namespace
}  // namespace vrp
