// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/location_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "hilo/base/text.h"

namespace hilo::hlo::text {
namespace {

constexpr std::string_view kLocationKeys[] = {"file_name_id", "function_name_id", "line",
                                              "end_line",     "column",           "end_column"};
constexpr std::string_view kFrameKeys[] = {"file_location_id", kParentFrame};
constexpr LocationTable kTables[] = {
    {"FileNames", {}}, {"FunctionNames", {}}, {"FileLocations", kLocationKeys}, {"StackFrames", kFrameKeys}};

/// A number in a row that refers to a row of another table.
struct Reference {
  std::string_view key, table;
  bool optional;  ///< 0 means none
};
constexpr Reference kReferences[] = {{"file_name_id", "FileNames", false},
                                     {"function_name_id", "FunctionNames", true},
                                     {"file_location_id", "FileLocations", false}};

class TableReader {
 public:
  TableReader(Cursor& cursor, Module& module) : cursor_(cursor), module_(module) {}

  Status read() {
    for (const LocationTable& table : kTables) {
      if (cursor_.accept_word(table.word)) HILO_RETURN_IF_ERROR(read_table(table));
    }
    return check_parents();
  }

 private:
  struct Parent {
    int64_t frame;  ///< 0 for none
    size_t position;
  };

  Status read_table(const LocationTable& table) {
    const size_t begin = cursor_.position();
    size_t end = begin;
    int64_t& rows = rows_[table.word];
    while (cursor_.peek() >= '0' && cursor_.peek() <= '9') {
      const size_t position = cursor_.position();
      HILO_ASSIGN_OR_RETURN(const int64_t number, cursor_.integer("a row number"));
      if (number != ++rows)
        return cursor_.error(position, fmt::format("{}: got row {}; wanted row {}", table.word, number, rows));
      HILO_RETURN_IF_ERROR(table.keys.empty() ? cursor_.quoted(table.word).status() : read_row(table));
      end = cursor_.last_position();
    }
    module_.other_attributes.emplace_back(table.word, trimmed(cursor_.between(begin, end)));
    return ok_status();
  }

  /// Reads `{file_name_id=1 line=3}`.
  Status read_row(const LocationTable& table) {
    const size_t begin = cursor_.position();
    std::map<std::string_view, int64_t> row;
    HILO_RETURN_IF_ERROR(cursor_.expect('{', "before a row of", table.word));
    while (cursor_.peek() != '}') {
      const size_t position = cursor_.position();
      const std::string_view key = cursor_.identifier();
      if (std::ranges::find(table.keys, key) == table.keys.end()) return unknown_key(table, key, position);
      HILO_RETURN_IF_ERROR(cursor_.expect('=', "after", key));
      HILO_ASSIGN_OR_RETURN(const int64_t value, cursor_.integer(key));
      if (value < 0 || value > std::numeric_limits<int32_t>::max())
        return cursor_.error(position, fmt::format("{} is out of range; got {}", key, value));
      if (!row.emplace(key, value).second)
        return cursor_.error(position, fmt::format("{} appears twice in a row of {}", key, table.word));
      cursor_.accept(',');
    }
    HILO_RETURN_IF_ERROR(cursor_.expect('}', "after a row of", table.word));
    return check_references(table, row, begin);
  }

  Status unknown_key(const LocationTable& table, std::string_view key, size_t position) {
    return cursor_.error(position, fmt::format("{} is not a key of {}; wanted {}.{}", quote(key), table.word,
                                               fmt::join(table.keys, ", "), did_you_mean(key, table.keys)));
  }

  /// Checks that the numbers of a row refer to existing rows.
  Status check_references(const LocationTable& table, std::map<std::string_view, int64_t>& row, size_t position) {
    for (const Reference& reference : kReferences) {
      if (std::ranges::find(table.keys, reference.key) == table.keys.end()) continue;
      const int64_t id = row[reference.key], rows = rows_[reference.table];
      if ((id == 0 && reference.optional) || (id >= 1 && id <= rows)) continue;
      return cursor_.error(position, fmt::format("{} names no row of {}; got {}; wanted one of 1 to {}", reference.key,
                                                 reference.table, id, rows));
    }
    if (table.word == "StackFrames") parents_.push_back({std::max<int64_t>(row[kParentFrame], 1) - 1, position});
    return ok_status();
  }

  /// Checks that the parents of every frame end at a frame without one. Visits each frame once.
  Status check_parents() {
    std::vector<size_t> seen_by(parents_.size());  // number of the walk that visited the frame; 0 for none
    for (size_t start = 0; start < parents_.size(); ++start) {
      size_t frame = start;
      for (;;) {
        const auto& [parent, position] = parents_[frame];
        if (parent > std::ssize(parents_))
          return cursor_.error(position, fmt::format("{} names no row of StackFrames; got {}; wanted one of 1 to {}",
                                                     kParentFrame, parent + 1, parents_.size() + 1));
        if (seen_by[frame] == start + 1)
          return cursor_.error(position, fmt::format("frame {} is its own ancestor", frame + 1));
        if (seen_by[frame] != 0) break;
        seen_by[frame] = start + 1;
        if (parent == 0) break;
        frame = static_cast<size_t>(parent) - 1;
      }
    }
    return ok_status();
  }

  Cursor& cursor_;
  Module& module_;
  std::map<std::string_view, int64_t> rows_;  // by table
  std::vector<Parent> parents_;               // by frame
};

}  // namespace

std::span<const LocationTable> location_tables() { return kTables; }

bool is_location_table(std::string_view word) {
  return std::ranges::find(kTables, word, &LocationTable::word) != std::end(kTables);
}

Status read_location_tables(Cursor& cursor, Module& module) { return TableReader(cursor, module).read(); }

}  // namespace hilo::hlo::text
