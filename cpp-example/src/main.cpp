// queuecore-replay: see --help.
#include "command_line.hpp"
#include "cursor/cursor_output.hpp"
#include "cursor/cursor_program.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "terminal.hpp"
#include "trace.hpp"
#include "usage_scenario_output.hpp"
#include "usage_scenario_run.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <variant>

namespace {

constexpr int exitInterrupted = 130;

int usageCommand(const replay::Command& command) {
    replay::checkWritable(command.outDirectory);
    replay::watchForInterrupt();
    replay::Progress progress(command.quiet);
    replay::UsageReport report = replay::runUsage(*command.usage, progress);
    report.command = command.typed;
    progress.clear();
    replay::printUsage(report, std::cout);
    replay::writeUsageFiles(report, command.outDirectory);
    std::cout << "\nwritten: " << command.outDirectory << "/usage.json and usage.csv\n";
    return report.interrupted ? exitInterrupted : EXIT_SUCCESS;
}

int cursorCommand(const replay::Command& command) {
    replay::checkWritable(command.outDirectory);
    replay::watchForInterrupt();
    replay::Progress progress(command.quiet);
    replay::CursorReport report = replay::runCursor(*command.cursor, command.storeDirectory, progress);
    report.command = command.typed;
    progress.clear();
    replay::printCursor(report, std::cout);
    replay::writeCursorFiles(report, command.outDirectory);
    std::cout << "\nwritten: " << command.outDirectory << "/cursor.json, cursor.csv and cursor_timeseries.csv\n";
    return report.interrupted ? exitInterrupted : EXIT_SUCCESS;
}

int replayCommand(replay::Command command) {
    std::optional<replay::Trace> trace;
    if (!command.tracePath.empty()) {
        trace = replay::readTrace(command.tracePath);
        replay::adoptTrace(command, *trace);
    }
    replay::checkWritable(command.outDirectory);
    replay::watchForInterrupt();
    replay::Progress progress(command.quiet);
    const replay::Report report = replay::execute(command, trace ? &*trace : nullptr, progress);
    progress.clear();
    replay::printReport(report, std::cout);
    replay::writeFiles(report, command.outDirectory);
    std::cout << "\nwritten: " << command.outDirectory << "/summary.json and the CSV files beside it\n";
    return report.interrupted ? exitInterrupted : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto parsed = replay::parseCommandLine(argc, argv);
        if (const auto* exit = std::get_if<replay::Exit>(&parsed)) {
            return exit->code;
        }
        const auto& command = std::get<replay::Command>(parsed);
        return command.usage ? usageCommand(command) : command.cursor ? cursorCommand(command) : replayCommand(command);
    } catch (const replay::CalibrationError& error) {
        std::cerr << "queuecore-replay: " << error.what() << '\n';
        return replay::interrupted() ? exitInterrupted : EXIT_FAILURE;
    } catch (const std::bad_alloc&) {
        std::cerr << "queuecore-replay: out of memory; try fewer --passes, a lower --rate or a shorter --duration\n";
    } catch (const std::exception& error) {
        std::cerr << "queuecore-replay: " << error.what() << '\n';
    }
    return EXIT_FAILURE;
}
