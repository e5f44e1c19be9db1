#include "tests/bench/copy_trace.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Values of cupti_result.h and cupti_activity.h. Their numbers and layouts are part of CUPTI's ABI.
constexpr int kCuptiSuccess = 0;
constexpr uint32_t kCuptiMemcpy = 1;   // CUPTI_ACTIVITY_KIND_MEMCPY
constexpr uint32_t kCuptiForced = 1;   // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
constexpr size_t kCopyKindOffset = 4;  // in a memcpy record, after the record's kind: uint8_t
constexpr size_t kBytesOffset = 8;     // in a memcpy record: uint64_t
constexpr size_t kBufferBytes = size_t{1} << 20;

using BufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                 size_t filled);

struct CuptiFunctions {
  int (*enable)(uint32_t kind) = nullptr;
  int (*callbacks)(BufferRequested wanted, BufferCompleted full) = nullptr;
  int (*flush)(uint32_t flags) = nullptr;
  int (*next)(uint8_t* buffer, size_t filled, uint8_t** record) = nullptr;
  int (*dropped)(void* context, uint32_t stream, size_t* records) = nullptr;
  int (*text)(int result, const char** text) = nullptr;
};

struct TraceState {
  absl::Mutex mutex;
  std::optional<CuptiFunctions> cupti ABSL_GUARDED_BY(mutex);  // null before Begin
  CopyCounts counts ABSL_GUARDED_BY(mutex);
  size_t dropped ABSL_GUARDED_BY(mutex) = 0;
};

TraceState& State() {
  static TraceState state;
  return state;
}

CopyDirection DirectionOf(uint8_t kind) {
  switch (kind) {
    case 1:  // HTOD
    case 3:  // HTOA
      return CopyDirection::kToDevice;
    case 2:  // DTOH
    case 4:  // ATOH
      return CopyDirection::kToHost;
    case 8:  // DTOD
      return CopyDirection::kOnDevice;
    default:
      return CopyDirection::kOther;
  }
}

template <typename T>
T At(const uint8_t* record, size_t offset) {
  T value;
  std::memcpy(&value, record + offset, sizeof(value));
  return value;
}

void ProvideBuffer(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(::operator new(kBufferBytes));
  *bytes = kBufferBytes;
  *max_records = 0;  // as many as fit
}

void ConsumeBuffer(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t filled) {
  TraceState& state = State();
  {
    absl::MutexLock lock(&state.mutex);
    uint8_t* record = nullptr;
    while (state.cupti->next(buffer, filled, &record) == kCuptiSuccess) {
      if (At<uint32_t>(record, 0) != kCuptiMemcpy) continue;
      ++state.counts[{DirectionOf(At<uint8_t>(record, kCopyKindOffset)),
                      static_cast<int64_t>(At<uint64_t>(record, kBytesOffset))}];
    }
    size_t dropped = 0;
    if (state.cupti->dropped(context, stream, &dropped) == kCuptiSuccess) {
      state.dropped += dropped;
    }
  }
  ::operator delete(buffer);
}

absl::StatusOr<CuptiFunctions> Load(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();  // begins with the file's name
    return absl::NotFoundError(Concat("CUPTI: ", reason == nullptr ? file.c_str() : reason));
  }
  CuptiFunctions found;
  const char* missing = nullptr;
  const auto need = [&]<typename Function>(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr && missing == nullptr) missing = name;
  };
  need("cuptiActivityEnable", found.enable);
  need("cuptiActivityRegisterCallbacks", found.callbacks);
  need("cuptiActivityFlushAll", found.flush);
  need("cuptiActivityGetNextRecord", found.next);
  need("cuptiActivityGetNumDroppedRecords", found.dropped);
  need("cuptiGetResultString", found.text);
  if (missing == nullptr) return found;
  return absl::NotFoundError(Concat("CUPTI: ", file, ": has no ", missing));
}

absl::Status CuptiStatus(const CuptiFunctions& cupti, int result, const char* what) {
  if (result == kCuptiSuccess) return absl::OkStatus();
  const char* text = nullptr;
  if (cupti.text(result, &text) != kCuptiSuccess || text == nullptr) text = "unknown";
  return absl::InternalError(Concat("CUPTI: ", what, ": ", text, " (", result, ")"));
}

}  // namespace

absl::Status CopyTrace::Begin(const std::string& library) {
  VRP_ASSIGN_OR_RETURN(const CuptiFunctions cupti, Load(library));
  TraceState& state = State();
  {
    absl::MutexLock lock(&state.mutex);
    state.cupti = cupti;
  }
  absl::Status begun =
      CuptiStatus(cupti, cupti.callbacks(ProvideBuffer, ConsumeBuffer), "registering callbacks");
  if (begun.ok()) begun = CuptiStatus(cupti, cupti.enable(kCuptiMemcpy), "tracing copies");
  if (!begun.ok()) {
    absl::MutexLock lock(&state.mutex);
    state.cupti.reset();
  }
  return begun;
}

absl::StatusOr<CopyCounts> CopyTrace::Take() {
  TraceState& state = State();
  std::optional<CuptiFunctions> cupti;
  {
    absl::MutexLock lock(&state.mutex);
    cupti = state.cupti;
  }
  if (!cupti.has_value())
    return absl::FailedPreconditionError("copy trace: not started; call Begin first");
  // Flushes the buffers. CUPTI calls ConsumeBuffer, possibly on this thread.
  VRP_RETURN_IF_ERROR(CuptiStatus(*cupti, cupti->flush(kCuptiForced), "flushing records"));
  absl::MutexLock lock(&state.mutex);
  CopyCounts counts = std::exchange(state.counts, {});
  if (const size_t dropped = std::exchange(state.dropped, 0); dropped > 0) {
    return absl::ResourceExhaustedError(
        Concat("copy trace: CUPTI dropped ", dropped, " records; take the copies more often"));
  }
  return counts;
}

}  // namespace vrp
