// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/error.h"

namespace hilo {
namespace {

thread_local SourceLine call_line;
thread_local SourceLine transformation_line;

SourceLine line_of(const std::source_location& location) { return {location.file_name(), location.line()}; }

}  // namespace

void or_throw(const Status& status) {
  if (!status.ok()) throw Error(status);
}

LocationScope::LocationScope() : call_(call_line), transformation_(transformation_line) {}

LocationScope::~LocationScope() {
  call_line = call_;
  transformation_line = transformation_;
}

UserLocation::UserLocation(const std::source_location& location) {
  if (call_line.line == 0) call_line = line_of(location);
}

SourceLine UserLocation::current() { return call_line.line != 0 ? call_line : transformation_line; }

std::string UserLocation::describe() { return describe_location(current()); }

InstructionLocation::InstructionLocation(const SourceLine& line) {
  if (line.line != 0) call_line = line;
}

TransformationLocation::TransformationLocation(const std::source_location& location) {
  transformation_line = line_of(location);
}

std::string describe_location(const SourceLine& line) {
  if (line.line == 0) return "";
  std::string_view file = line.file;
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(line.line);
}

std::string describe_location(const std::source_location& location) { return describe_location(line_of(location)); }

std::string at_user_line(std::string_view what) {
  const std::string where = UserLocation::describe();
  return std::string(what) + (where.empty() ? "" : " (" + where + ")");
}

}  // namespace hilo
