#include "engine/explorer/store/sqlite.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace sluice::inline explorer::store {
namespace {

/// How long a process waits for another one that writes.
constexpr int patience_ms = 30'000;

/// "file:/a/b?query": no name is taken for a URI by itself.
std::string uriOf(const std::filesystem::path& file, const std::string& query) {
  std::error_code ignored;
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file, ignored).string()) {
    const bool plain = c != '%' && c != '?' && c != '#';
    const auto byte = static_cast<unsigned char>(c);
    uri += plain ? std::string(1, c)
                 : std::string("%") + "0123456789ABCDEF"[byte >> 4] + "0123456789ABCDEF"[byte & 15];
  }
  return uri + (query.empty() ? "" : "?" + query);
}

}  // namespace

Diagnostic sqliteProblem(const std::filesystem::path& file, int code, const std::string& message) {
  const auto because = [&](Code what, std::string cause, std::string fix) {
    return error(what, Location(Where::Store, file.string()), std::move(cause), std::move(fix));
  };
  switch (code & 0xff) {
    case SQLITE_FULL:
      return because("file-unwritable", "the disk is full; every point that was reported as stored is safe",
                     "free some space, then go on with --resume");
    case SQLITE_READONLY:
      return because("file-unwritable", "it is read-only (" + message + ")",
                     "change the permissions of the file and its folder, or name another store");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return because("file-unwritable", "it cannot be opened or created: " + message,
                     "the folder must exist and be writable: create it, or name another store");
    case SQLITE_CORRUPT:
      return because("store-damaged", "the file is damaged: " + message,
                     "move it away; `sqlite3 FILE .recover` saves what can be read of it");
    case SQLITE_NOTADB:
      return because("wrong-format", "this is not a result store: " + message,
                     "name another file; a new store is made where there is none");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return because(
          "store-locked", "another process has held it for " + std::to_string(patience_ms / 1000) + " s",
          "end that process, or give each a store of its own and join them with `sluice-cli merge`");
    case SQLITE_IOERR:
      if (code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMMAP || code == SQLITE_IOERR_WRITE)
        return because("file-unwritable",
                       "the disk does not take what is written (" + message + "): it may be full",
                       "free some space or name a store on another disk, then go on with --resume");
      return because("file-unreadable", "the disk reports an error: " + message,
                     "copy the file to another disk");
    default:
      return because("store-damaged", message, "name another store; if that does not help, report this");
  }
}

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(handle_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, double value) {
  if (std::isnan(value)) return bindNull(index);
  sqlite3_bind_double(handle_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  sqlite3_bind_text64(handle_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bindNull(int index) {
  sqlite3_bind_null(handle_.get(), index);
  return *this;
}

int Statement::run() {
  const int code = step();
  reset();
  return code;
}

double Statement::real(int column) const {
  return null(column) ? std::numeric_limits<double>::quiet_NaN()
                      : sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes ? std::string(bytes, size) : std::string();
}

Result<Database> Database::open(const std::filesystem::path& file, int flags, const std::string& query) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(uriOf(file, query).c_str(), &handle,
                                   flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI, nullptr);
  Database database(file, query, handle);
  if (code != SQLITE_OK)
    return sqliteProblem(file, code, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, patience_ms);
  return database;
}

std::string Database::readOnlyUri() const {
  return uriOf(file_, query_.empty() ? "mode=ro" : query_);
}

Result<Done> Database::execute(const std::string& sql) {
  // SQLite itself does not wait where two would wait for each other, as when both begin a new file's log.
  const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  int code = SQLITE_OK;
  do {
    code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if ((code & 0xFF) != SQLITE_BUSY || !sqlite3_get_autocommit(handle_.get())) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (std::chrono::steady_clock::now() < last);
  if (code != SQLITE_OK) return problem(code);
  return Done{};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return problem(code);
  return Statement(statement);
}

Result<std::optional<std::int64_t>> Database::number(const std::string& sql) {
  SLUICE_TRY(Statement statement, prepare(sql));
  const int code = statement.step();
  if (code == SQLITE_DONE) return std::optional<std::int64_t>();
  if (code != SQLITE_ROW) return problem(code);
  return std::optional(statement.integer(0));
}

Diagnostic Database::problem(int code) const {
  return sqliteProblem(
      file_, sqlite3_extended_errcode(handle_.get()) ? sqlite3_extended_errcode(handle_.get()) : code,
      sqlite3_errmsg(handle_.get()));
}

Result<Transaction> Transaction::begin(Database& database) {
  SLUICE_CHECK(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // After some errors (a full disk) SQLite has rolled back by itself; then there is nothing to do.
  if (database_) (void)database_->execute("ROLLBACK");
}

Result<Done> Transaction::commit() {
  const Result<Done> committed = database_->execute("COMMIT");
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace sluice::inline explorer::store
