// Replaces CUPTI in tests, built as fake_cupti.so next to them. It reports the copies that a test
// specifies. Its declarations follow NVIDIA's headers independently of copy_trace.cc, so an
// error in copy_trace.cc is not repeated here.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

// The first fields of CUpti_ActivityMemcpy6. CUpti_ActivityMemset4 has `kind` and `bytes` at the
// same offsets.
struct __attribute__((packed, aligned(8))) Activity {
  uint32_t kind;
  uint8_t copyKind;
  uint8_t srcKind;
  uint8_t dstKind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  char rest[72];
};

using Request = void (*)(uint8_t** buffer, size_t* size, size_t* maxNumRecords);
using Complete = void (*)(void* context, uint32_t streamId, uint8_t* buffer, size_t size,
                          size_t validSize);

Request request = nullptr;
Complete complete = nullptr;
uint8_t* current = nullptr;  // the buffer that is being filled
size_t capacity = 0;
size_t filled = 0;
size_t dropped = 0;
bool enabled = false;   // whether copies are traced
int enable_result = 0;  // result of cuptiActivityEnable

}  // namespace

extern "C" {

void fake_cupti_set_enable_result(int result) { enable_result = result; }
void fake_cupti_drop(size_t records) { dropped = records; }
void fake_cupti_activity(uint32_t kind, uint8_t copy_kind, uint64_t bytes) {
  if (!enabled) return;
  if (current == nullptr) {
    size_t max_records = 0;
    request(&current, &capacity, &max_records);
    filled = 0;
  }
  if (filled + sizeof(Activity) > capacity) return;
  Activity activity = {};
  activity.kind = kind;
  activity.copyKind = copy_kind;
  activity.bytes = bytes;
  std::memcpy(current + filled, &activity, sizeof(activity));
  filled += sizeof(activity);
}

int cuptiActivityEnable(uint32_t kind) {
  enabled = enable_result == 0 && kind == 1;
  return enable_result;
}

int cuptiActivityRegisterCallbacks(Request wanted, Complete full) {
  request = wanted;
  complete = full;
  return 0;
}

int cuptiActivityFlushAll(uint32_t flag) {
  if (flag != 1) return 1;
  if (current != nullptr) complete(nullptr, 0, current, capacity, filled);
  current = nullptr;
  return 0;
}

int cuptiActivityGetNextRecord(uint8_t* buffer, size_t validBufferSizeBytes, uint8_t** record) {
  uint8_t* const next = *record == nullptr ? buffer : *record + sizeof(Activity);
  if (next + sizeof(Activity) > buffer + validBufferSizeBytes) return 12;
  *record = next;
  return 0;
}

int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* records) {
  *records = dropped;
  dropped = 0;
  return 0;
}

int cuptiGetResultString(int result, const char** str) {
  *str = result == 15 ? "CUPTI_ERROR_NOT_INITIALIZED" : "CUPTI_ERROR_UNKNOWN";
  return 0;
}

}  // extern "C"
