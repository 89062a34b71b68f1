#include "cursor/sqlite_store.hpp"

#include <sqlite3.h>

#include <string>

namespace replay {
namespace sqlite {

void CloseConnection::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
void EndStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

}  // namespace sqlite

namespace {

/// Resets a statement when its use is over, however it ended.
class Use {
  public:
    explicit Use(const sqlite::Statement& statement) : statement_(statement.get()) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { sqlite3_reset(statement_); }

    void bind(int at, std::uint64_t number) {
        check(sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(number)));
    }
    void bindBody(int at, const std::byte* body, std::size_t bytes) {
        check(sqlite3_bind_blob64(statement_, at, body, bytes, SQLITE_STATIC));
    }
    /// Whether there is a row.
    bool step() {
        const int code = sqlite3_step(statement_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) {
            check(code);
        }
        return code == SQLITE_ROW;
    }
    std::uint64_t number(int column) { return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column)); }

  private:
    void check(int code) {
        if (code != SQLITE_OK) {
            throw StoreFailure(std::string("SQLite: ") + sqlite3_errmsg(sqlite3_db_handle(statement_)));
        }
    }

    sqlite3_stmt* statement_;
};

sqlite::Connection opened(const std::filesystem::path& file, int flags) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    sqlite::Connection connection(raw);
    if (code != SQLITE_OK) {
        throw StoreFailure(file.string() + ": " + (raw != nullptr ? sqlite3_errmsg(raw) : "no memory"));
    }
    sqlite3_busy_timeout(raw, 5'000);
    return connection;
}

void run(const sqlite::Connection& connection, const char* sql) {
    if (sqlite3_exec(connection.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw StoreFailure(std::string("SQLite, ") + sql + ": " + sqlite3_errmsg(connection.get()));
    }
}

sqlite::Statement prepared(const sqlite::Connection& connection, const char* sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v3(connection.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK) {
        throw StoreFailure(std::string("SQLite, ") + sql + ": " + sqlite3_errmsg(connection.get()));
    }
    return sqlite::Statement(raw);
}

}  // namespace

SqliteStore::SqliteStore(const std::filesystem::path& file, BodyPool& bodies, unsigned batch)
    : bodies_(bodies), batch_(batch), writer_(opened(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {
    // Pages for a dozen bodies. Nothing is flushed to the disk: a store that outlives the process is enough here, and how
    // long a disk takes would be in every figure.
    run(writer_, "PRAGMA page_size = 16384");
    run(writer_, "PRAGMA journal_mode = WAL");
    run(writer_, "PRAGMA synchronous = OFF");
    run(writer_, "CREATE TABLE IF NOT EXISTS message(sequence INTEGER PRIMARY KEY, body BLOB NOT NULL)");
    reader_ = opened(file, SQLITE_OPEN_READONLY);
    begin_ = prepared(writer_, "BEGIN IMMEDIATE");
    commit_ = prepared(writer_, "COMMIT");
    rollback_ = prepared(writer_, "ROLLBACK");
    insert_ = prepared(writer_, "INSERT INTO message(sequence, body) VALUES(?1, ?2)");
    removeOne_ = prepared(writer_, "DELETE FROM message WHERE sequence = ?1");
    removeRange_ = prepared(writer_, "DELETE FROM message WHERE sequence <= ?1");
    select_ = prepared(reader_,
                       "SELECT sequence, body FROM message WHERE sequence > ?1 AND sequence <= ?2 "
                       "ORDER BY sequence LIMIT ?3");
    committedSequence_ = summary().lastSequence;
    nextSequence_ = committedSequence_ + 1;
}

SqliteStore::~SqliteStore() {
    try {
        commit();
    } catch (const StoreFailure&) {
        // Nobody is left to tell; SQLite rolls back what is open.
    }
}

void SqliteStore::countChange() {
    if (nextSequence_ - 1 - committedSequence_ + removed_.size() >= batch_) {
        commit();
    }
}

std::uint64_t SqliteStore::append(const std::byte* body) {
    appended_.insert(appended_.end(), body, body + bodies_.bodyBytes());
    const std::uint64_t sequence = nextSequence_++;
    countChange();
    return sequence;
}

void SqliteStore::remove(std::uint64_t sequence) {
    removed_.push_back(sequence);
    countChange();
}

std::uint64_t SqliteStore::removeUpTo(std::uint64_t sequence) { return write(sequence); }

void SqliteStore::commit() {
    if (!appended_.empty() || !removed_.empty()) {
        write(0);
    }
}

/// The batch, in one transaction.
std::uint64_t SqliteStore::write(std::uint64_t removeUpTo) {
    Use(begin_).step();
    std::uint64_t rangeRemoved = 0;
    try {
        insertBodies();
        for (const std::uint64_t sequence : removed_) {
            Use remove(removeOne_);
            remove.bind(1, sequence);
            remove.step();
        }
        if (removeUpTo > 0) {
            Use remove(removeRange_);
            remove.bind(1, removeUpTo);
            remove.step();
            rangeRemoved = static_cast<std::uint64_t>(sqlite3_changes64(writer_.get()));
        }
        Use(commit_).step();
    } catch (const StoreFailure&) {
        if (sqlite3_get_autocommit(writer_.get()) == 0) {
            Use(rollback_).step();
        }
        throw;
    }
    appended_.clear();
    removed_.clear();
    ++commits_;
    committedSequence_ = nextSequence_ - 1;
    return rangeRemoved;
}

void SqliteStore::insertBodies() {
    const std::size_t bytes = bodies_.bodyBytes();
    std::uint64_t sequence = committedSequence_;
    for (std::size_t at = 0; at < appended_.size(); at += bytes) {
        Use insert(insert_);
        insert.bind(1, ++sequence);
        insert.bindBody(2, &appended_[at], bytes);
        insert.step();
    }
}

void SqliteStore::readBody(std::vector<PagedMessage>& page) {
    const auto bytes = static_cast<std::uint32_t>(sqlite3_column_bytes(select_.get(), 1));
    const void* const body = sqlite3_column_blob(select_.get(), 1);
    if (bytes != bodies_.bodyBytes() || body == nullptr) {
        throw StoreFailure("a body of " + std::to_string(bytes) + " bytes is in the store, not of " +
                           std::to_string(bodies_.bodyBytes()));
    }
    const std::uint64_t slot = bodies_.take();
    std::memcpy(bodies_.at(slot), body, bytes);
    page.push_back({static_cast<std::uint64_t>(sqlite3_column_int64(select_.get(), 0)), slot, bytes});
}

void SqliteStore::fetch(const PageRequest& request, std::vector<PagedMessage>& page) {
    page.clear();
    try {
        Use select(select_);
        select.bind(1, request.after);
        select.bind(2, request.upTo);
        select.bind(3, request.maxMessages);
        std::uint64_t bytes = 0;
        while (page.size() < request.maxMessages && select.step()) {
            bytes += static_cast<std::uint64_t>(sqlite3_column_bytes(select_.get(), 1));
            if (!page.empty() && bytes > request.maxBytes) {
                break;
            }
            readBody(page);
        }
    } catch (...) {
        for (const PagedMessage& message : page) {
            bodies_.giveBack(message.body);
        }
        page.clear();
        throw;
    }
}

StoredSummary SqliteStore::summary() {
    const sqlite::Statement count =
        prepared(reader_, "SELECT count(*), total(length(body)), max(sequence) FROM message");
    Use use(count);
    use.step();
    return {use.number(0), use.number(1), use.number(2)};
}

void deleteStoreFiles(const std::filesystem::path& file) {
    for (const char* ending : {"", "-wal", "-shm"}) {
        std::error_code ignored;
        std::filesystem::remove(file.string() + ending, ignored);
    }
}

}  // namespace replay
