// The data files of tests/data: comma separated, one header line; a cell in quotes may hold commas.
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/matrix.hpp"

namespace support {

struct CsvFile {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  std::int64_t column(const std::string& name) const {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) throw std::runtime_error("no column " + name);
    return found - header.begin();
  }
};

inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

inline CsvFile read_csv(const std::string& name) {
  const std::string path = std::string(FREERIDGE_TEST_DATA) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  CsvFile out;
  std::string line;
  for (bool first = true; std::getline(file, line); first = false) {
    const std::vector<std::string> cells = split_csv(line);
    if (first)
      out.header = cells;
    else
      out.rows.push_back(cells);
    if (cells.size() != out.header.size()) throw std::runtime_error(path + ": a line of another length: " + line);
  }
  return out;
}

// The given columns as numbers.
inline Matrix numbers(const CsvFile& file, const std::vector<std::string>& columns) {
  Matrix out(static_cast<std::int64_t>(file.rows.size()), static_cast<std::int64_t>(columns.size()));
  for (std::int64_t j = 0; j < out.cols; ++j) {
    const auto from = static_cast<std::size_t>(file.column(columns[static_cast<std::size_t>(j)]));
    for (std::int64_t i = 0; i < out.rows; ++i) out(i, j) = std::stod(file.rows[static_cast<std::size_t>(i)][from]);
  }
  return out;
}

}  // namespace support
