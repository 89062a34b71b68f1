// A progress bar on standard error, from the third second on. Where that is no terminal: a line now and then instead.
#pragma once

#include <chrono>
#include <string>

namespace replay {

class Progress {
  public:
    explicit Progress(bool quiet);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    /// What is going on from now on, and how much of the whole program's work lies before and after it (0..1).
    void step(const std::string& what, double fromPart, double toPart);
    /// How far the present step is, 0..1.
    void update(double part);
    /// The same, and says in other words what is going on.
    void describe(const std::string& what, double part);
    /// Removes the bar, for whoever wants to print.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;

    void draw(double part);
    double secondsSince(Clock::time_point then) const;

    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    std::string what_;
    double fromPart_ = 0.0;
    double toPart_ = 1.0;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

}  // namespace replay
