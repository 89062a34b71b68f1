#include "trace.hpp"

#define CSV_IO_NO_THREAD
#include <libfccp/csv.h>

#include <charconv>
#include <cstring>
#include <optional>

namespace replay {
namespace {

using Reader = io::CSVReader<4, io::trim_chars<' ', '\t'>, io::no_quote_escape<','>, io::throw_on_overflow,
                             io::single_and_empty_line_comment<'#'>>;

constexpr std::uint64_t recordedSize = 1024;
constexpr std::int64_t latestUs = never / nsPerUs;

std::optional<std::uint8_t> hexDigit(char digit) {
    if (digit >= '0' && digit <= '9') {
        return static_cast<std::uint8_t>(digit - '0');
    }
    if (digit >= 'a' && digit <= 'f') {
        return static_cast<std::uint8_t>(digit - 'a' + 10);
    }
    if (digit >= 'A' && digit <= 'F') {
        return static_cast<std::uint8_t>(digit - 'A' + 10);
    }
    return std::nullopt;
}

std::optional<Key> fromHex(const std::string& text) {
    Key key;
    if (text.size() != 2 * key.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < key.size(); ++i) {
        const auto high = hexDigit(text[2 * i]);
        const auto low = hexDigit(text[2 * i + 1]);
        if (!high || !low) {
            return std::nullopt;
        }
        key[i] = static_cast<std::uint8_t>(*high << 4U | *low);
    }
    return key;
}

std::optional<EventKind> opNamed(const std::string& name) {
    if (name == "PUT" || name == "put") {
        return EventKind::Put;
    }
    if (name == "ACK" || name == "ack") {
        return EventKind::Ack;
    }
    return std::nullopt;
}

/// The fields of one line, checked against the line before it.
class LineChecker {
  public:
    LineChecker(const std::string& path, Trace& trace) : path_(path), trace_(trace) {}

    void add(unsigned line, const char* time, const std::string& op, const std::string& guid, const char* size) {
        const std::int64_t timeUs = wholeNumber(line, "time_us", time);
        if (wholeNumber(line, "size", size) < 0) {
            fail(line, std::string("size ") + size + " is negative");
        }
        if (timeUs < 0 || timeUs > latestUs) {
            fail(line, "time_us " + std::to_string(timeUs) + " is not between 0 and " + std::to_string(latestUs));
        }
        if (timeUs < lastUs_) {
            fail(line, "time_us " + std::to_string(timeUs) + " is before " + std::to_string(lastUs_) +
                           " on an earlier line; times must be in order");
        }
        const auto kind = opNamed(op);
        if (!kind) {
            fail(line, "op '" + op + "' is neither PUT nor ACK");
        }
        const auto key = fromHex(guid);
        if (!key) {
            fail(line, "guid '" + guid + "' is not 32 hex digits");
        }
        lastUs_ = timeUs;
        trace_.events.push_back({*kind, timeUs * nsPerUs, trace_.keys.size()});
        trace_.keys.push_back(*key);
        trace_.puts += *kind == EventKind::Put ? 1 : 0;
    }

  private:
    std::int64_t wholeNumber(unsigned line, const char* column, const char* text) const {
        std::int64_t number = 0;
        const char* end = text + std::strlen(text);
        const auto [stop, error] = std::from_chars(text, end, number);
        if (error != std::errc() || stop != end) {
            fail(line, std::string(column) + " '" + text + "' is not a whole number");
        }
        return number;
    }

    [[noreturn]] void fail(unsigned line, const std::string& what) const {
        throw TraceError(path_ + ", line " + std::to_string(line) + ": " + what);
    }

    const std::string& path_;
    Trace& trace_;
    std::int64_t lastUs_ = 0;
};

}  // namespace

double Trace::putsPerS() const {
    return lengthNs() > 0 ? static_cast<double>(puts) / toSeconds(lengthNs()) : static_cast<double>(puts);
}

Trace readTrace(const std::string& path) {
    Trace trace;
    LineChecker checker(path, trace);
    try {
        Reader reader(path);
        reader.read_header(io::ignore_no_column, "time_us", "op", "guid", "size");
        const char* time = nullptr;
        std::string op;
        std::string guid;
        const char* size = nullptr;
        while (reader.read_row(time, op, guid, size)) {
            checker.add(reader.get_file_line(), time, op, guid, size);
        }
    } catch (const io::error::base& error) {
        throw TraceError(error.what());
    }
    if (trace.puts == 0) {
        throw TraceError(path + ": there is no PUT in it");
    }
    return trace;
}

std::string toHex(const Key& key) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * key.size());
    for (const std::uint8_t byte : key) {
        text += digits[byte >> 4U];
        text += digits[byte & 0xfU];
    }
    return text;
}

TraceWriter::TraceWriter(const std::string& path) : path_(path), file_(path, std::ios::trunc) {
    file_ << "time_us,op,guid,size\n";
}

void TraceWriter::write(const Event& event, const KeySource& keys) {
    if (event.kind == EventKind::Put) {
        file_ << event.atNs / nsPerUs << ",PUT," << toHex(keys.keyOf(event.subject)) << ',' << recordedSize << '\n';
    } else if (event.kind == EventKind::Ack) {
        file_ << event.atNs / nsPerUs << ",ACK," << toHex(keys.keyOf(event.subject)) << ",0\n";
    }
}

void TraceWriter::finish() {
    file_.flush();
    if (!file_) {
        throw TraceError(path_ + ": could not be written");
    }
}

}  // namespace replay
