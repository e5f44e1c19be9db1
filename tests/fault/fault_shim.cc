// A shim for LD_PRELOAD that injects faults at every change that a process makes to the files of
// one folder.
//
// Each create, write, fsync, truncate, rename, unlink and mkdir below VRP_FAULT_ROOT is a point.
// Its name is the operation and the path with ids as `*` and numbers as `#`: `fsync jobs.db-wal`,
// `rename jobs/*/checkpoint/step-#`. Calls of libraries count too, above all SQLite's commits.
// Writes by stdio and memory maps do not count.
//
//   VRP_FAULT_TRACE=FILE          appends each point's name, one line per hit
//   VRP_FAULT_POINT=NAME          the point of the fault; without it, readonly holds from the start
//   VRP_FAULT_OCCURRENCE=N        the hit at which the fault happens, from 1
//   VRP_FAULT_HIT=FILE            is created when the fault happens
//   VRP_FAULT_ACTION=kill         SIGKILL instead of the operation; a write other than writev
//                                 first stores half of its data
//   VRP_FAULT_ACTION=full         from then on the disk is full: ENOSPC for calls that need space
//   VRP_FAULT_ACTION=readonly     from then on changes and opens for writing fail with EROFS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <string>
#include <string_view>

namespace {

constexpr size_t kMinIdLength = 16;  // number of characters from which a part counts as an id

template <typename Function>
Function* Real(Function* /*replaced*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
// Returns the libc function that the function `name` of this file replaces.
#define VRP_REAL(name) Real(&(name), #name)

std::string Setting(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

struct Settings {
  std::string root = Setting("VRP_FAULT_ROOT");
  std::string point = Setting("VRP_FAULT_POINT");
  std::string hit = Setting("VRP_FAULT_HIT");
  int occurrence = atoi(Setting("VRP_FAULT_OCCURRENCE").c_str());
  bool kills = Setting("VRP_FAULT_ACTION") == "kill";
  bool forbids = Setting("VRP_FAULT_ACTION") == "readonly";
  int trace = OpenTrace();

  static int OpenTrace();
};

// Returns the settings. They are never destroyed, because threads write until the process ends.
const Settings& GetSettings() {
  static const auto* const settings = new Settings;
  return *settings;
}

std::atomic<int> hits = 0;
std::atomic<bool> fault_happened = false;  // whether a fault that does not kill has happened

// Returns `*` for an id, `#` for a number, or the part itself.
std::string Generalise(std::string_view part) {
  bool number = !part.empty();
  bool id = part.size() >= kMinIdLength;
  for (const char c : part) {
    number = number && isdigit(static_cast<unsigned char>(c)) != 0;
    id = id && isalnum(static_cast<unsigned char>(c)) != 0;
  }
  if (number) return "#";
  return id ? "*" : std::string(part);
}

std::string PointName(std::string_view operation, std::string_view path) {
  std::string name(operation);
  name += ' ';
  size_t begin = 0;
  for (size_t at = 0; at <= path.size(); ++at) {
    if (at < path.size() && std::string_view("/.-_").find(path[at]) == std::string_view::npos) {
      continue;
    }
    name += Generalise(path.substr(begin, at - begin));
    if (at < path.size()) name += path[at];
    begin = at + 1;
  }
  return name;
}

// Returns the path relative to the root; empty if the path is not below the root.
std::string RelativePath(const std::string& path) {
  const std::string& root = GetSettings().root;
  if (root.empty() || path.size() <= root.size() || !path.starts_with(root)) return "";
  return path[root.size()] == '/' ? path.substr(root.size() + 1) : "";
}

std::string PathOf(int descriptor) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), path, sizeof(path));
  return length <= 0 ? "" : std::string(path, static_cast<size_t>(length));
}

std::string Absolute(int folder, const char* path) {
  if (path[0] == '/' || folder == AT_FDCWD) return path;
  return PathOf(folder) + "/" + path;
}

enum class Verdict { kGoOn, kKill, kFail };

// Records a hit of the point of `operation` on `path`, and decides the operation's outcome.
Verdict RecordHit(std::string_view operation, const std::string& path, bool needs_space) {
  const std::string below = RelativePath(path);
  if (below.empty()) return Verdict::kGoOn;
  const Settings& settings = GetSettings();
  const std::string name = PointName(operation, below);
  if (settings.trace >= 0) {
    const std::string line = name + "\n";
    (void)!VRP_REAL(write)(settings.trace, line.data(), line.size());
  }
  if (name == settings.point && ++hits == settings.occurrence) {
    close(open(settings.hit.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (settings.kills) return Verdict::kKill;
    fault_happened = true;
  }
  const bool fails = fault_happened || (settings.forbids && settings.point.empty());
  return fails && (needs_space || settings.forbids) ? Verdict::kFail : Verdict::kGoOn;
}

[[noreturn]] void Die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

int Error() { return GetSettings().forbids ? EROFS : ENOSPC; }

// Returns whether the operation may continue. If not, sets errno. Does not return from a kill.
bool Allowed(std::string_view operation, const std::string& path, bool needs_space) {
  const Verdict verdict = RecordHit(operation, path, needs_space);
  if (verdict == Verdict::kKill) Die();
  if (verdict == Verdict::kFail) errno = Error();
  return verdict == Verdict::kGoOn;
}

// Runs a write and returns its result. A kill leaves half of the data. `write_some(n)` writes at
// most n bytes.
template <typename WriteSome>
ssize_t Write(int descriptor, size_t bytes, const WriteSome& write_some) {
  switch (RecordHit("write", PathOf(descriptor), true)) {
    case Verdict::kGoOn:
      return write_some(bytes);
    case Verdict::kKill:
      (void)write_some(bytes / 2);
      Die();
    case Verdict::kFail:
      break;
  }
  errno = Error();
  return -1;
}

template <typename Function>
int Open(Function* real, int folder, const char* path, int flags, mode_t mode) {
  const std::string absolute = Absolute(folder, path);
  const bool creates = (flags & O_CREAT) != 0 && access(absolute.c_str(), F_OK) != 0;
  if (creates && !Allowed("create", absolute, true)) return -1;
  const bool changes = (flags & (O_WRONLY | O_RDWR)) != 0;
  if (changes && GetSettings().forbids && !Allowed("open", absolute, false)) return -1;
  return real(folder, path, flags, mode);
}

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

int Settings::OpenTrace() {
  const std::string path = Setting("VRP_FAULT_TRACE");
  if (path.empty()) return -1;
  return VRP_REAL(openat)(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(VRP_REAL(openat), AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(VRP_REAL(openat64), AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(VRP_REAL(openat), folder, path, flags, mode);
}

ssize_t write(int descriptor, const void* data, size_t bytes) {
  return Write(descriptor, bytes, [=](size_t n) { return VRP_REAL(write)(descriptor, data, n); });
}

ssize_t pwrite64(int descriptor, const void* data, size_t bytes, off64_t offset) {
  return Write(descriptor, bytes,
               [=](size_t n) { return VRP_REAL(pwrite64)(descriptor, data, n, offset); });
}

ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t offset) {
  return pwrite64(descriptor, data, bytes, offset);
}

// Handles writes of the C++ library's streams. A kill leaves none of the data.
ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  if (!Allowed("write", PathOf(descriptor), true)) return -1;
  return VRP_REAL(writev)(descriptor, parts, count);
}

int fsync(int descriptor) {
  return Allowed("fsync", PathOf(descriptor), false) ? VRP_REAL(fsync)(descriptor) : -1;
}

int fdatasync(int descriptor) {
  return Allowed("fsync", PathOf(descriptor), false) ? VRP_REAL(fdatasync)(descriptor) : -1;
}

int ftruncate64(int descriptor, off64_t length) {
  if (!Allowed("truncate", PathOf(descriptor), false)) return -1;
  return VRP_REAL(ftruncate64)(descriptor, length);
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int rename(const char* from, const char* to) {
  return Allowed("rename", Absolute(AT_FDCWD, to), false) ? VRP_REAL(rename)(from, to) : -1;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) {
  if (!Allowed("rename", Absolute(to_folder, to), false)) return -1;
  return VRP_REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) {
  return Allowed("unlink", Absolute(AT_FDCWD, path), false) ? VRP_REAL(unlink)(path) : -1;
}

int unlinkat(int folder, const char* path, int flags) {
  if (!Allowed("unlink", Absolute(folder, path), false)) return -1;
  return VRP_REAL(unlinkat)(folder, path, flags);
}

int mkdir(const char* path, mode_t mode) {
  return Allowed("mkdir", Absolute(AT_FDCWD, path), true) ? VRP_REAL(mkdir)(path, mode) : -1;
}

}  // extern "C"
