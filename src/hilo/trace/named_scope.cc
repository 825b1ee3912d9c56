// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/named_scope.h"

#include "hilo/array/error.h"
#include "hilo/trace/annotations.h"

namespace hilo {
namespace {

thread_local std::string names;

std::string inside(const std::string& outer, const std::string& name) {
  return outer.empty() ? name : outer + "/" + name;
}

}  // namespace

NamedScope::NamedScope() : before_(names) {}

NamedScope::NamedScope(std::string name) : before_(names) {
  if (name.empty()) or_throw(invalid_argument("named_scope: the name is empty; wanted some text"));
  names = inside(before_, name);
}

NamedScope::~NamedScope() { names = std::move(before_); }

const std::string& NamedScope::current() { return names; }

InstructionNames::InstructionNames(const hlo::Instruction& instruction) {
  if (instruction.annotations == nullptr || instruction.annotations->op_name.empty()) return;
  const std::string& own = instruction.annotations->op_name;
  // traced again in the scope in which it was traced first
  const bool inside_already = own == names || own.starts_with(names + "/");
  names = inside_already || names.empty() ? own : inside(names, own);
}

}  // namespace hilo
