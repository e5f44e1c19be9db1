// Tests the tracing of copies with a stand-in for CUPTI.
#include "tests/bench/copy_trace.h"

#include <dlfcn.h>

#include <filesystem>

#include "gtest/gtest.h"

namespace vrp {
namespace {

std::string FakePath() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_cupti.so";
}

class CopyTraceTest : public testing::Test {
 protected:
  CopyTraceTest() : library_(dlopen(FakePath().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~CopyTraceTest() override { dlclose(library_); }

  template <typename... Arguments>
  void Call(const char* name, Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(dlsym(library_, name))(arguments...);
  }
  void Emit(uint32_t kind, uint8_t copy_kind, uint64_t bytes) const {
    Call("fake_cupti_activity", kind, copy_kind, bytes);
  }

 private:
  void* const library_;
};

TEST_F(CopyTraceTest, CountsOnlyCopiesBySizeAndDirection) {
  Emit(1, 1, 77);  // before tracing starts
  ASSERT_TRUE(CopyTrace::Begin(FakePath()).ok());
  for (int i = 0; i < 3; ++i) Emit(1, 1, 4096);
  Emit(1, 2, 4096);
  Emit(1, 8, 5'000'000'000);
  Emit(1, 10, 8);
  Emit(2, 1, 4096);  // a memset
  const auto counts = CopyTrace::Take();
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(*counts, (CopyCounts{{{CopyDirection::kToDevice, 4096}, 3},
                                 {{CopyDirection::kToHost, 4096}, 1},
                                 {{CopyDirection::kOnDevice, 5'000'000'000}, 1},
                                 {{CopyDirection::kOther, 8}, 1}}));
  Emit(1, 1, 12);
  EXPECT_EQ(*CopyTrace::Take(), (CopyCounts{{{CopyDirection::kToDevice, 12}, 1}}));
  EXPECT_EQ(*CopyTrace::Take(), CopyCounts());
}

TEST_F(CopyTraceTest, ReportsDroppedCopies) {
  ASSERT_TRUE(CopyTrace::Begin(FakePath()).ok());
  Emit(1, 1, 4096);
  Call("fake_cupti_drop", size_t{5});
  EXPECT_EQ(CopyTrace::Take().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(CopyTrace::Take().ok());
}

TEST_F(CopyTraceTest, ReportsWhyTracingFails) {
  Call("fake_cupti_set_enable_result", 15);
  const absl::Status refused = CopyTrace::Begin(FakePath());
  Call("fake_cupti_set_enable_result", 0);
  EXPECT_EQ(refused.message(), "CUPTI: tracing copies: CUPTI_ERROR_NOT_INITIALIZED (15)");
  EXPECT_EQ(CopyTrace::Take().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CopyTrace::Begin("libno_such_library.so").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(CopyTrace::Begin("libm.so.6").message(),
            "CUPTI: libm.so.6: has no cuptiActivityEnable");
}

}  // namespace
}  // namespace vrp
