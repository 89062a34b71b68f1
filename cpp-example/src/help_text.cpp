#include "help_text.hpp"

#include "cursor/cursor_scenario.hpp"
#include "policy.hpp"
#include "presets.hpp"
#include "usage_scenario.hpp"

#include <sstream>

namespace replay::help {

std::string folded(const std::string& text) {
    constexpr std::size_t width = 86;
    std::string folded;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        folded += folded.empty() ? "" : "\n";
        std::size_t column = 0;
        std::istringstream words(line);
        for (std::string word; words >> word; column += word.size()) {
            const bool breaks = column > 0 && column + 1 + word.size() > width;
            folded += breaks ? "\n" : column > 0 ? " " : "";
            column = breaks ? 0 : column + (column > 0 ? 1 : 0);
            folded += word;
        }
    }
    return folded;
}

const char* const description =
    "Replays a broker's dispatcher that is one stall away from losing control of its de-duplication history.\n\n"
    "One thread handles events from one FIFO: PUTs come at --rate by the producers' own clock, each is acknowledged\n"
    "a moment after it was handled, and a tick now and then asks for garbage collection of the history. Each PUT\n"
    "costs what the history takes plus the broker's other work. That other work is calibrated so that a dispatcher\n"
    "with the stand-in for the broker's own map can do exactly --capacity PUTs per second. At --rate = --capacity it\n"
    "has no slack: after a stall, GC events wait behind the backlog, each collects 1000 entries while tens of\n"
    "thousands are inserted, and the history grows without end.\n\n"
    "With --scenario usage, something else: threads that produce and threads that consume share one memory limit,\n"
    "which producers reach at once and then wait at. It tells what the wait costs with each way to meter: how much\n"
    "gets through, how long producers are blocked, and how far above the limit they get in spite of it.\n\n"
    "With --scenario cursor, a third one: consumers take a backlog that is far larger than the memory of its queue from\n"
    "an SQLite store. Their prefetch is larger than that memory, so each ack frees room for one message; what it costs\n"
    "to fill that room at once, by whole pages, or by whole pages after more of it has come together. And whether a\n"
    "queue gets anything while another one, whose consumers are gone, sits on the memory that both share.\n\n"
    "Times are written 250us, 100ms, 2.5s, 5m; a bare number means seconds.\n";

const char* const footer =
    "\nExamples\n"
    "  queuecore-replay                                   the incident, its two alternatives, and queuecore\n"
    "  queuecore-replay --find-capacity                   the same, then the highest rate that each sustains\n"
    "  queuecore-replay --cost fixed                      the same bytes on every machine, no measuring\n"
    "  queuecore-replay --policy steady --engine stl      would inline collection alone have been enough?\n"
    "  queuecore-replay --ack-outage 20s,90s              consumers gone for longer than the window\n"
    "  queuecore-replay --run steady/queuecore --clock real --rate 50000 --capacity 60000 --duration 30\n"
    "  queuecore-replay --run steady/queuecore --record broker.csv --duration 5 --no-stall\n"
    "  queuecore-replay --trace broker.csv\n"
    "  queuecore-replay --scenario usage                  producers that wait for space, metered in four ways\n"
    "  queuecore-replay --scenario usage --resume-below 90 --limit 8MiB --meter atomic,queuecore\n"
    "  queuecore-replay --scenario cursor                 a backlog paged in three ways, and a starved queue\n"
    "  queuecore-replay --scenario cursor --part backlog --backlog 1000000 --turns 3\n"
    "  queuecore-replay --scenario cursor --part faults --fault fail,too-many --fault-every 2\n"
    "\nExit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted (what there is is printed and written).\n";

const char* const preset =
    "Scenario that the other flags change. incident: 100k PUT/s, window 60 s, pre-filled, a stall of 100 ms at 10 s, "
    "240 s. seed: 80k PUT/s, window 300 s, from empty, 300 s; nothing has expired by its end, so what it holds is "
    "mostly the window itself";
const char* const rate = "PUTs per second that the producers send, whether or not the dispatcher keeps up";
const char* const capacity =
    "PUTs per second that the dispatcher can handle with the stand-in's history; sets the other work";
const char* const window = "How long a message is remembered, from its insert";
const char* const duration =
    "Length of the run on its own clock; with --scenario usage, of the turns of one meter together (there 4s)";
const char* const ackDelay = "From the handling of a PUT to its ACK at the tail of the FIFO (default 10ms)";
const char* const ttl = "Removes messages that no ACK reached for so long; 0 = off (default)";
const char* const stall = "The dispatcher does nothing else for TIME from START on; may be given several times";
const char* const noStall = "No stall at all";
const char* const ackOutage =
    "No ACK comes for TIME from START on; they all come at its end. Longer than the window, it leaves live entries "
    "that are older than the window";
const char* const queueLimit =
    "A PUT that finds this many events waiting is refused: a NACK that leaves no trace (default 500000)";

std::string run() {
    std::string text = "What to replay, several with commas. Default:";
    for (const Contender& contender : usualContenders()) {
        text += " " + contender.name();
    }
    return text;
}

std::string policy() {
    std::string text = "Only these policies, on both engines unless --engine is given.";
    for (const Policy& one : allPolicies()) {
        text += "\n" + one.name + ": " + one.summary;
    }
    return text;
}

const char* const engine = "Only these engines: queuecore, or stl, the stand-in for the broker's own map";
const char* const gcInterval = "Time between GC ticks (default 5s)";
const char* const idleGc =
    "Also collect 1000 entries whenever the FIFO is empty, as some brokers do; under overload it never is";
const char* const cold = "Start with an empty history instead of one that already holds rate x window";
const char* const start = "prefilled, cold, or both one after the other";

const char* const clock =
    "virtual: one dispatcher whose time advances by what each step costs. real: producer threads, and a dispatcher "
    "that spins for its other work";
const char* const cost =
    "measured: what each call into the history takes, at most the shortest of three identical passes + 2 us. fixed: "
    "round constants, the same to the byte on every machine (duplicate check and insert / ACK / collection per "
    "entry: stl 400/60/47 ns, queuecore 180/60/16 ns)";
const char* const passes =
    "Identical passes that measured costs are compared over; each holds a whole history in memory";
const char* const seed = "Of the library's hash; fixed, so that the passes are alike";
const char* const otherWork = "The broker's other work per PUT, instead of calibrating it";
const char* const producers = "Producer threads of the real clock, and of --scenario usage (there 16)";

const char* const findCapacity =
    "Afterwards, find the highest rate that scheduled-1000/stl, inline-1000/stl and steady/queuecore sustain over "
    "240 s with a stall of 1 s every 30 s: no NACK, and at the end a history of at most 1.15 x rate x window that "
    "grows by less than 5000/s. To 0.5 %";
const char* const predictCapacity =
    "As --find-capacity, by a model at the costs measured in a steady state alone: seconds instead of many minutes, "
    "and no measured run has the last word";
const char* const capacityOnly = "--find-capacity without the replay before it";
const char* const trace =
    "Replay what a broker recorded instead: CSV with the columns time_us,op,guid,size and op PUT or ACK. Starts "
    "empty; no stall unless --stall is given";
const char* const record = "Write the PUTs and ACKs of the run in that format";
const char* const out = "Where summary.json and the CSV files go";
const char* const sample = "Time between samples of the time series (default 250ms)";
const char* const quiet = "No progress bar";

const char* const scenario =
    "dispatcher: the incident, as above. usage: producers that wait for space under one limit; of the other flags it "
    "takes --producers, --duration, --seed, --out and --quiet. cursor: a backlog in a store; of the other flags it takes "
    "--limit, --message-size (one size), --out and --quiet";
const char* const consumers = "Threads that take messages, work on them and give their bytes back (default 4)";
const char* const limit =
    "Memory that all messages share, as in 64MiB (the default) or 100kb; with --scenario cursor that of a queue";
const char* const messageSize =
    "Sizes of messages, evenly between the two (default 1KiB,16KiB; with --scenario cursor one size, 1KiB)";
const char* const work = "What a consumer does with each message, in processor time (default 1us)";
const char* const resumeBelow =
    "Producers that wait for space go on when the percent is below this (default 100: as soon as it is not full). "
    "Lower, they sleep longer and wake less often. A reservation has its turn instead";

std::string meter() {
    std::string text = "Which meters, several with commas. Default: all.";
    for (const MeterKind kind : allMeters()) {
        text += "\n" + meterName(kind) + ": " + meterSummary(kind);
    }
    return text;
}

template <typename Kind>
static std::string listed(std::string text, const std::vector<Kind>& kinds, std::string (*name)(Kind),
                   std::string (*summary)(Kind)) {
    for (const Kind kind : kinds) {
        text += "\n" + name(kind) + ": " + summary(kind);
    }
    return text;
}

std::string cursorPart() {
    return listed("What to run, several with commas. Default: all.", allCursorParts(), cursorPartName,
                  cursorPartSummary);
}

std::string refill() {
    return listed("Which policies, several with commas. Default: all.", allRefills(), refillName, refillSummary);
}

std::string fault() {
    return listed("How the store misbehaves in the part `faults`, several with commas, which take turns. Default: all.",
                  allFaults(), faultName, faultSummary);
}

const char* const backlog = "Messages that are there before consumers come (default 200000); a tenth more come later";
const char* const prefetch = "Messages that consumers have in hand at most (default 100000)";
const char* const fetchDelay = "What a slow store adds to each fetch, in processor time (default 100us)";
const char* const faultEvery = "Every so many fetches one misbehaves (default 7)";
const char* const turns = "How often each policy runs, in turns; figures are medians (default 1)";
const char* const store = "Where the stores' files are while they are in use (default: the folder store of --out)";

}  // namespace replay::help
