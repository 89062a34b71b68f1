#include "interrupt.hpp"

#include <csignal>

namespace replay {
namespace {

volatile std::sig_atomic_t asked = 0;

void onSignal(int signal) {
    asked = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

void watchForInterrupt() {
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
}

bool interrupted() { return asked != 0; }

}  // namespace replay
