// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/base/text.h"

namespace hilo::nn::summary_detail {
namespace {

using Row = std::array<std::string, 5>;

Row row_of(const std::string& path, const Array& array) {
  const Shape& shape = array.aval_shape();
  return {path.empty() ? "(the array)" : path, dimensions_to_string(shape.dimensions()),
          std::string(element_type_name(shape.element_type())), std::to_string(shape.element_count()),
          bytes_text(static_cast<uint64_t>(shape.byte_size()))};
}

/// Aligns text to the left and numbers to the right.
std::string line(const Row& row, const std::array<size_t, 5>& widths) {
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}", row[0], widths[0], row[1], widths[1], row[2],
                                 widths[2], row[3], widths[3], row[4], widths[4]);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

/// Formats a count: "1.23 M".
std::string counted(double count) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  for (; count >= 1000 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return fmt::format("{:.{}f}{}", count, unit == 0 ? 0 : 2, kUnits[unit]);
}

std::string cost_text(const Cost& cost) {
  const auto bytes = [](int64_t count) { return bytes_text(static_cast<uint64_t>(std::max<int64_t>(count, 0))); };
  return fmt::format(
      "a call: {} operations, {} transcendentals{}; memory: {} of arguments, {} of results, {} between\n",
      counted(cost.count.flops), counted(cost.count.transcendentals),
      cost.count.exact ? "" : " (loops of unknown length count once)", bytes(cost.memory.argument_size_in_bytes),
      bytes(cost.memory.output_size_in_bytes), bytes(cost.memory.temp_size_in_bytes));
}

}  // namespace

std::string table(const std::vector<std::pair<std::string, Array>>& parameters, const Cost* cost) {
  std::vector<Row> rows = {{"parameter", "shape", "type", "count", "memory"}};
  int64_t count = 0, bytes = 0;
  for (const auto& [path, array] : parameters) {
    rows.push_back(row_of(path, array));
    count += array.size();
    bytes += array.aval_shape().byte_size();
  }
  rows.push_back({"total", "", "", std::to_string(count), bytes_text(static_cast<uint64_t>(bytes))});
  std::array<size_t, 5> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) text += line(row, widths);
  return cost == nullptr ? text : text + cost_text(*cost);
}

}  // namespace hilo::nn::summary_detail
