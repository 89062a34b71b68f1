// Ctrl-C: the first one asks the replay to stop and print what it has, the second one ends the process.
#pragma once

namespace replay {

void watchForInterrupt();
bool interrupted();

}  // namespace replay
