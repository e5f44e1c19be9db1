#include "server/worker/worker_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr size_t kMaxLines = 12;      // lines of output that are kept
constexpr int kCannotExecute = 127;   // exit code, as a shell's
constexpr int kFirstInheritable = 3;  // file descriptors below are the standard streams
constexpr absl::Duration kExitPoll = absl::Milliseconds(20);

// Becomes the program. Runs in the child, where only async-signal-safe functions may be called.
[[noreturn]] void Become(const char* path, char* const* arguments, char* const* environment,
                         int output) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // The lock of the state folder must not survive the daemon.
  close_range(kFirstInheritable, ~0U, 0);
  execve(path, arguments, environment);
  _exit(kCannotExecute);
}

// Returns `texts` as C strings, which must not outlive them, before a null pointer.
std::vector<char*> CStrings(const std::vector<std::string>& texts) {
  std::vector<char*> strings;
  for (const std::string& text : texts) strings.push_back(const_cast<char*>(text.c_str()));
  strings.push_back(nullptr);
  return strings;
}

// Returns `variables` before those of this process; the first of a name counts.
std::vector<char*> EnvironmentWith(const std::vector<std::string>& variables) {
  std::vector<char*> all = CStrings(variables);
  all.pop_back();
  for (char** variable = environ; *variable != nullptr; ++variable) all.push_back(*variable);
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::optional<std::string> FindProgram(const std::string& program) {
  const auto runs = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (program.find('/') != std::string::npos) {
    return runs(program) ? std::optional(program) : std::nullopt;
  }
  const char* const path = std::getenv("PATH");
  const std::vector<std::string> folders = absl::StrSplit(path == nullptr ? "" : path, ':');
  for (const std::string& folder : folders) {
    const std::string found = Concat(folder, "/", program);
    if (!folder.empty() && runs(found)) return found;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(
    const std::vector<std::string>& arguments, const std::vector<std::string>& variables) {
  const std::optional<std::string> path = FindProgram(arguments.front());
  if (!path) return absl::UnavailableError(Concat(arguments.front(), ": not found on PATH"));
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return absl::UnavailableError(Concat("pipe: ", std::strerror(errno)));
  }
  OpenFile output(pipe[0]);
  const OpenFile input(pipe[1]);
  fcntl(output.descriptor(), F_SETFL, O_NONBLOCK);
  const std::vector<char*> words = CStrings(arguments);
  const std::vector<char*> environment = EnvironmentWith(variables);
  const pid_t pid = fork();
  if (pid < 0) return absl::UnavailableError(Concat("fork: ", std::strerror(errno)));
  if (pid == 0) Become(path->c_str(), words.data(), environment.data(), input.descriptor());
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, std::move(output)));
}

WorkerProcess::~WorkerProcess() { Stop(absl::ZeroDuration()); }

std::optional<std::string> WorkerProcess::Ended() {
  ReadOutput();
  if (ended_) return ended_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  ended_ = WIFSIGNALED(status) ? Concat("signal ", WTERMSIG(status))
                               : Concat("exit code ", WEXITSTATUS(status));
  return ended_;
}

void WorkerProcess::ReadOutput() {
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t count = read(output_.descriptor(), bytes.data(), bytes.size());
    if (count <= 0) return;
    unfinished_.append(bytes.data(), static_cast<size_t>(count));
    for (size_t end = unfinished_.find('\n'); end != std::string::npos;
         end = unfinished_.find('\n')) {
      lines_.push_back(unfinished_.substr(0, end));
      unfinished_.erase(0, end + 1);
      if (lines_.size() > kMaxLines) lines_.pop_front();
    }
  }
}

std::string WorkerProcess::LastLines() {
  ReadOutput();
  return absl::StrJoin(lines_, "\n");
}

void WorkerProcess::Stop(absl::Duration grace) {
  if (Ended()) return;
  kill(pid_, SIGTERM);
  const absl::Time kill_at = SteadyNow() + grace;
  while (!Ended() && SteadyNow() < kill_at) absl::SleepFor(kExitPoll);
  if (!Ended()) kill(pid_, SIGKILL);
  while (!Ended()) absl::SleepFor(kExitPoll);
}

}  // namespace vrp
