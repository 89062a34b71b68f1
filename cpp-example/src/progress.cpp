#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace replay {
namespace {

constexpr double silentS = 2.0;
constexpr double redrawS = 0.1;
constexpr double lineEveryS = 15.0;
constexpr int barWidth = 32;

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

double Progress::secondsSince(Clock::time_point then) const {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

void Progress::step(const std::string& what, double fromPart, double toPart) {
    what_ = what;
    fromPart_ = fromPart;
    toPart_ = toPart;
    update(0.0);
}

void Progress::update(double part) {
    if (quiet_ || secondsSince(start_) < silentS || secondsSince(last_) < (terminal_ ? redrawS : lineEveryS)) {
        return;
    }
    last_ = Clock::now();
    draw(fromPart_ + (toPart_ - fromPart_) * std::clamp(part, 0.0, 1.0));
}

void Progress::describe(const std::string& what, double part) {
    what_ = what;
    update(part);
}

void Progress::draw(double part) {
    if (!terminal_) {
        std::fprintf(stderr, "%3.0f %%  %s\n", part * 100.0, what_.c_str());
        return;
    }
    std::string bar(barWidth, '.');
    std::fill_n(bar.begin(), static_cast<std::size_t>(part * barWidth), '#');
    std::fprintf(stderr, "\r[%s] %3.0f %%  %.0f s  %-40.40s", bar.c_str(), part * 100.0, secondsSince(start_),
                 what_.c_str());
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::clear() {
    if (drawn_) {
        std::fprintf(stderr, "\r\033[K");
        std::fflush(stderr);
        drawn_ = false;
    }
}

}  // namespace replay
