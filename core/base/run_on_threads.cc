#include "core/base/run_on_threads.h"

#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace vrp {

int32_t RunOnThreads(int32_t threads, absl::FunctionRef<void(int32_t)> body) {
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(threads));
  const auto run = [&](int32_t index) {
    // An exception that leaves a thread would end the program.
    try {
      body(index);
    } catch (...) {
      thrown[static_cast<size_t>(index)] = std::current_exception();
    }
  };
  std::vector<std::thread> workers;
  workers.reserve(static_cast<size_t>(threads));
  int32_t started = 1;
  for (; started < threads; ++started) {
    try {
      workers.emplace_back(run, started);
    } catch (const std::system_error&) {
      break;
    } catch (const std::bad_alloc&) {
      break;
    }
  }
  run(0);
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& exception : thrown) {
    if (exception != nullptr) std::rethrow_exception(exception);
  }
  return started;
}

}  // namespace vrp
