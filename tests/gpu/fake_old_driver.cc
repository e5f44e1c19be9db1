// A fake of NVIDIA's driver (libcuda.so.1) that supports CUDA 12.8 at most. Defines only the
// functions that CUDA's runtime calls before it finds the driver too old.
#include <cstdint>
#include <cstring>

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = 12080;
  return 0;
}

int cuInit(unsigned) { return 0; }

int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}

int cuGetProcAddress_v2(const char* symbol, void** function, int, uint64_t, int* status) {
  const auto is = [symbol](const char* name) { return std::strcmp(symbol, name) == 0; };
  *function = nullptr;
  if (is("cuDriverGetVersion")) *function = reinterpret_cast<void*>(&cuDriverGetVersion);
  if (is("cuInit")) *function = reinterpret_cast<void*>(&cuInit);
  if (is("cuDeviceGetCount")) *function = reinterpret_cast<void*>(&cuDeviceGetCount);
  if (is("cuGetProcAddress")) *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
  if (status != nullptr) *status = 0;
  return *function == nullptr ? 500 : 0;  // not found
}

}  // extern "C"
