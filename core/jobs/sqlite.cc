#include "core/jobs/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr int kBusyTimeoutMs = 10'000;  // maximum wait for a lock of another connection
constexpr char kDamaged[] =
    "; the file is damaged or belongs to another program: restore a copy of it, without its -wal "
    "and -shm, or move it aside and begin without jobs (vrpd --forget-jobs)";

// Returns the system's error number behind an error; 0 if unknown.
int SystemErrno(sqlite3* handle, int code) {
  if (handle == nullptr) return 0;
  const int reported = sqlite3_system_errno(handle);
  if (reported != 0 || (code & 0xff) != SQLITE_IOERR) return reported;
  // SQLite does not report the system's error for a commit, which writes to the write-ahead log.
  // Reads the error of that log instead.
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
  int system_error = 0;
  if (log != nullptr && log->pMethods != nullptr) {
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &system_error);
  }
  return system_error;
}

}  // namespace

Query::Query(Query&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

absl::Status Query::BindOne(int position, int64_t value) {
  return database_.ToStatus(sqlite3_bind_int64(statement_, position, value), "bind");
}

absl::Status Query::BindOne(int position, std::string_view value) {
  // An empty view may hold a null pointer, which SQLite would store as NULL.
  const char* data = value.empty() ? "" : value.data();
  return database_.ToStatus(
      sqlite3_bind_text64(statement_, position, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
      "bind");
}

absl::Status Query::BindOne(int position, Blob value) {
  const char* data = value.bytes.empty() ? "" : value.bytes.data();
  return database_.ToStatus(
      sqlite3_bind_blob64(statement_, position, data, value.bytes.size(), SQLITE_TRANSIENT),
      "bind");
}

absl::Status Query::BindNull(int position) {
  return database_.ToStatus(sqlite3_bind_null(statement_, position), "bind");
}

absl::StatusOr<bool> Query::Next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_.ToStatus(code, "read or write");
}

absl::Status Query::Run() {
  VRP_ASSIGN_OR_RETURN(const bool row, Next());
  if (row)
    return absl::InternalError(
        Concat(database_.path(), ": got a row from a statement, wanted none"));
  return absl::OkStatus();
}

int64_t Query::Integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Query::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return "";
  return std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

std::string Query::Bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return "";
  return std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

std::optional<int64_t> Query::OptionalInteger(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return Integer(column);
}

std::optional<std::string> Query::OptionalText(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return Text(column);
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenPlain(const std::string& path) {
  // Creates the file here, because SQLite would make it readable by all. SQLite gives -wal and -shm
  // this file's mode.
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, Concat("open ", path));
  close(descriptor);
  std::unique_ptr<Database> database(new Database(path));
  const int code = sqlite3_open_v2(path.c_str(), &database->handle_,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  VRP_RETURN_IF_ERROR(database->ToStatus(code, "open"));
  sqlite3_extended_result_codes(database->handle_, 1);
  sqlite3_busy_timeout(database->handle_, kBusyTimeoutMs);
  return database;
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<Database> database, OpenPlain(path));
  VRP_RETURN_IF_ERROR(database->Execute(
      "PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON"));
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

absl::Status Database::Execute(const std::string& sql) {
  return ToStatus(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr), "read or write");
}

absl::StatusOr<Query> Database::Prepare(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return Query(*this, found->second);
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  VRP_RETURN_IF_ERROR(ToStatus(code, "prepare"));
  statements_.emplace(sql, statement);
  return Query(*this, statement);
}

absl::Status Database::Check() {
  VRP_ASSIGN_OR_RETURN(Query query, Prepare("PRAGMA quick_check(1)"));
  VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
  const std::string found = row ? query.Text(0) : "nothing";
  if (found == "ok") return absl::OkStatus();
  return absl::DataLossError(Concat(path_, ": failed the integrity check: got ", Quoted(found),
                                    ", wanted \"ok\"", kDamaged));
}

absl::Status Database::CopyTo(const std::string& path) {
  absl::Cleanup remover = [&path] { unlink(path.c_str()); };
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<Database> copy, OpenPlain(path));
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle_, "main", handle_, "main");
  if (backup == nullptr) return copy->ToStatus(sqlite3_errcode(copy->handle_), "copy to");
  // Copies in one step: a copy in several steps restarts whenever another connection has written.
  int code = sqlite3_backup_step(backup, -1);
  if (code == SQLITE_DONE) code = SQLITE_OK;
  const int finished = sqlite3_backup_finish(backup);
  VRP_RETURN_IF_ERROR(copy->ToStatus(code == SQLITE_OK ? finished : code, "copy to"));
  std::move(remover).Cancel();
  return absl::OkStatus();
}

absl::Status Database::SetDurability(Durability durability) {
  if (durability_ == durability) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(Execute(durability == Durability::kFull ? "PRAGMA synchronous=FULL"
                                                              : "PRAGMA synchronous=NORMAL"));
  durability_ = durability;
  return absl::OkStatus();
}

absl::Status Database::ToStatus(int code, std::string_view operation) const {
  if (code == SQLITE_OK) return absl::OkStatus();
  const char* detail = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  const int system_error = SystemErrno(handle_, code);
  const std::string reason =
      system_error == 0 ? "" : Concat(" (", std::strerror(system_error), ")");
  const std::string text = Concat(path_, ": cannot ", operation, ": ", Escaped(detail), reason);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(Concat(text, "; free some space"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(Concat(text, kDamaged));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return absl::FailedPreconditionError(
          Concat(text, "; the folder and the file must be writable and the disk not full"));
    case SQLITE_CONSTRAINT:
      return absl::AlreadyExistsError(text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(Concat(
          text,
          "; another connection locks the file: try again, or stop other programs that use it"));
    case SQLITE_IOERR:
      if (system_error == EROFS)
        return absl::FailedPreconditionError(Concat(text, "; the file system must be writable"));
      return absl::UnavailableError(
          Concat(text, "; a quota or file size limit may be exceeded, or the disk is failing"));
    default:
      return absl::InternalError(text);
  }
}

absl::StatusOr<Transaction> Transaction::Begin(Database& database, Durability durability) {
  VRP_RETURN_IF_ERROR(database.SetDurability(durability));
  VRP_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // A failed statement may have rolled everything back already.
  if (database_ == nullptr || sqlite3_get_autocommit(database_->handle_) != 0) return;
  database_->Execute("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() { return database_->Execute("COMMIT"); }

}  // namespace vrp
