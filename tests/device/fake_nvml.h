// A fake of NVIDIA's NVML with two GPUs, built as fake_nvml.so in the tests' folder. Tests
// change the fake's answers through FakeNvmlState.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string>

namespace vrp::test {

// Return codes of NVML, with the values of NVIDIA's header.
inline constexpr int kFakeNotSupported = 3;
inline constexpr int kFakeNoPermission = 4;
inline constexpr int kFakeDriverNotLoaded = 9;
inline constexpr int kFakeGpuIsLost = 15;

inline constexpr unsigned kFakeGpus = 2;
inline constexpr char kFakeUuids[kFakeGpus][41] = {"GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
                                                   "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff"};

// The answers of the fake, which tests set, and its counts of calls.
struct FakeNvmlState {
  // Return codes of the calls. 0 is success.
  int init = 0;
  int count = 0;
  int handle[kFakeGpus] = {};
  int queries[kFakeGpus] = {};
  int power[kFakeGpus] = {};  // code of the power query; if 0, `queries` applies
  unsigned gpus = kFakeGpus;
  const char* name = "NVIDIA Fake";
  // Numbers of calls.
  int inits = 0;
  int shutdowns = 0;
};

// Returns the path of a fake library, which is in the folder of the test program.
inline std::string FakeNvmlPath(const std::string& file = "fake_nvml.so") {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / file;
}

// The fake library, loaded for a test. Restores the library's state afterwards.
class FakeNvml {
 public:
  FakeNvml() : handle_(dlopen(FakeNvmlPath().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    void* const found = handle_ == nullptr ? nullptr : dlsym(handle_, "fake_nvml_state");
    state_ = found == nullptr ? nullptr : reinterpret_cast<FakeNvmlState* (*)()>(found)();
    if (state_ != nullptr) *state_ = {};
  }
  ~FakeNvml() {
    if (state_ != nullptr) *state_ = {};
    if (handle_ != nullptr) dlclose(handle_);
  }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

  FakeNvmlState* operator->() const { return state_; }

 private:
  void* const handle_;
  FakeNvmlState* state_ = nullptr;
};

}  // namespace vrp::test
