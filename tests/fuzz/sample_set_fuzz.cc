// Fuzzes a file of labelled instances with its index and records, or one record with a corrected
// checksum. The first byte selects one of the two.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/train/data/sample_set.h"
#include "tests/fuzz/scratch_folder.h"

namespace vrp {
namespace {

void ReadSet(std::string_view bytes) {
  static const std::string path = (fuzz::ScratchFolder() / "labels.set").string();
  if (!AtomicWriteFile(path, bytes).ok()) return;
  for (const int64_t memory : {int64_t{1}, int64_t{1} << 20}) {
    const auto set = SampleSet::Open(path, memory);
    if (!set.ok()) return;
    std::vector<int32_t> records = (*set)->ShuffledOrder(1, 1);
    (void)(*set)->Read(records);
    for (const int32_t record : records) {
      (*set)->Expect(record);
      (void)(*set)->Read({&record, 1});
    }
  }
}

uint64_t Checksum(std::string_view bytes) {  // FNV-1a, as in records
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

void ReadRecord(std::string_view bytes) {
  std::string record(bytes);
  const uint64_t checksum = Checksum(record);
  record.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  const auto sample = ParseSample(record);
  if (sample.ok()) (void)WriteSample(*sample);
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    vrp::ReadSet(bytes);
  } else {
    vrp::ReadRecord(bytes);
  }
  return 0;
}
