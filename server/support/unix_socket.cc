#include "server/support/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

absl::Status WrongSocketPath(const std::string& path, std::string_view problem) {
  return absl::InvalidArgumentError(Concat("listen: unix:", path, ": ", problem));
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

OpenFile NewSocket() {
  return OpenFile(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Returns 0 if a connection succeeds, else its errno. A full backlog counts as success.
int ConnectError(const std::string& path) {
  const sockaddr_un address = AddressOf(path);
  const OpenFile file = NewSocket();
  if (file.descriptor() < 0) return errno;
  const bool connected =
      connect(file.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  return connected || errno == EAGAIN ? 0 : errno;
}

// Removes the socket of a dead daemon from `path`. Returns an error if `path` cannot be used.
absl::Status ClearSocketPath(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (errno == ENOENT && (folder.empty() || std::filesystem::is_directory(folder, error))) {
      return absl::OkStatus();
    }
    return WrongSocketPath(
        path, Concat("its folder does not exist or cannot be searched: ", Quoted(folder.string()),
                     "; create the folder or choose another path"));
  }
  if (!S_ISSOCK(status.st_mode)) {
    return WrongSocketPath(path,
                           "is a file but not a socket; choose another path or remove the file");
  }
  const int error = ConnectError(path);
  if (error == 0) {
    return absl::UnavailableError(Concat("listen: another process listens on unix:", path,
                                         "; stop it or choose another path"));
  }
  if (error != ECONNREFUSED) {
    return WrongSocketPath(
        path, Concat("cannot determine whether a process listens: ", std::strerror(error),
                     "; remove the socket or choose another path"));
  }
  if (unlink(path.c_str()) == 0) return absl::OkStatus();
  return WrongSocketPath(path, Concat("a dead daemon's socket cannot be removed: ",
                                      std::strerror(errno), "; remove it or choose another path"));
}

}  // namespace

absl::StatusOr<OpenFile> ListenOnUnixSocket(const std::string& path) {
  VRP_RETURN_IF_ERROR(ClearSocketPath(path));
  // With this mask, no other user can connect before the mode is set. The mask applies to the whole
  // process, so files that other threads create meanwhile are also private.
  const mode_t before = umask(0077);
  const absl::Cleanup restore = [before] { umask(before); };
  const sockaddr_un address = AddressOf(path);
  OpenFile listener = NewSocket();
  if (bind(listener.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
          0 ||
      listen(listener.descriptor(), SOMAXCONN) != 0) {
    return WrongSocketPath(
        path, Concat("cannot listen: ", std::strerror(errno), "; choose another path"));
  }
  if (chmod(path.c_str(), 0600) == 0) return listener;
  return WrongSocketPath(path, Concat("its mode cannot be set to 0600: ", std::strerror(errno),
                                      "; choose another path"));
}

}  // namespace vrp
