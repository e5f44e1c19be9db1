// Ends a program on a CPU that lacks its baseline, x86-64-v3, before any code for that baseline
// runs. CMake compiles this file for plain x86-64 and links it to vrpd and vrpctl. This file uses
// no inline functions of headers, since the linker may keep a copy of such a function that was
// compiled for the baseline.
#include <unistd.h>

namespace {

constexpr int kCannotExecute = 126;  // the shells' exit code for a program that cannot be executed
constexpr char kMessage[] =
    ": error: this CPU lacks the instructions of x86-64-v3 (AVX2, BMI2, FMA, F16C, LZCNT, MOVBE), "
    "which Intel's Xeons since Haswell and AMD's CPUs since Excavator have. Run the program on "
    "such a CPU; in a virtual machine, choose the host's CPU model.\n";

bool HasBaseline() {
  __builtin_cpu_init();
#ifdef __clang__  // clang 16 does not know the levels by name
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
#else
  return __builtin_cpu_supports("x86-64-v3");
#endif
}

void Write(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  // Ignores a closed stderr, because the exit code still tells the caller.
  if (write(STDERR_FILENO, text, size) < 0) return;
}

void RequireBaseline(int /*count*/, char** arguments, char** /*environment*/) {
  if (HasBaseline()) return;
  Write(arguments[0] == nullptr ? "vrp" : arguments[0]);
  Write(kMessage);
  _exit(kCannotExecute);
}

// The loader calls this function before the constructors of the program and of its libraries.
__attribute__((section(".preinit_array"),
               used)) void (*const require_baseline)(int, char**, char**) = RequireBaseline;

}  // namespace
