// A table for the terminal: the first column to the left, the others to the right, as wide as their longest cell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace replay {

class TextTable {
  public:
    explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }

    void add(std::vector<std::string> cells) {
        widths_.resize(std::max(widths_.size(), cells.size()), 0);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths_[i] = std::max(widths_[i], cells[i].size());
        }
        rows_.push_back(std::move(cells));
    }

    void print(std::ostream& out) const {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            printRow(rows_[r], out);
            if (r == 0) {
                printRule(out);
            }
        }
    }

  private:
    void printRow(const std::vector<std::string>& cells, std::ostream& out) const {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string padding(widths_[i] - cells[i].size(), ' ');
            out << (i == 0 ? cells[i] + (i + 1 < cells.size() ? padding : "") : "  " + padding + cells[i]);
        }
        out << '\n';
    }

    void printRule(std::ostream& out) const {
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            out << (i == 0 ? "" : "  ") << std::string(widths_[i], '-');
        }
        out << '\n';
    }

    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> widths_;
};

}  // namespace replay
