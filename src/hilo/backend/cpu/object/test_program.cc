// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/test_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace hilo::cpu {
namespace {

/// Returns the bytes of the unsigned integers in which the test stores an array: those of its C type.
size_t unit_bytes(const CArray& array) {
  if (array.type == "double") return 8;
  if (array.type == "float") return 4;
  return static_cast<size_t>(element_size_bytes(array.shape.element_type()));
}

/// Returns the bits of infinity: a greater magnitude is NaN. 0 for types that have the same NaN on each processor.
uint64_t infinity_bits(const CArray& array) {
  if (array.type == "double") return uint64_t{0x7ff} << 52;
  if (array.type == "float") return 0x7f800000;
  const ElementType type = array.shape.element_type();
  return type == ElementType::kF16 ? 0x7c00 : type == ElementType::kBf16 ? 0x7f80 : 0;
}

constexpr std::string_view kIsNan =
    R"(/* Whether a number is NaN, of a type whose infinity has these bits. Processors choose the sign of a NaN. */
static int is_nan(const void* number, size_t unit, uint64_t infinity) {
  uint64_t bits = 0;
  size_t k;
  for (k = unit; k-- > 0;) bits = bits << 8 | ((const unsigned char*)number)[k];
  return infinity != 0 && (bits & (((uint64_t)1 << (8 * unit - 1)) - 1)) > infinity;
}

)";
constexpr std::string_view kBothNan =
    "    if (is_nan((const char*)got + k, unit, infinity) && is_nan((const char*)wanted + k, unit, infinity)) "
    "continue;\n";

/// Writes an array as the bits of its elements.
std::string bits_of(const CArray& array, const Literal& value, std::string_view suffix) {
  const std::span<const std::byte> bytes = value.bytes();
  const size_t unit = unit_bytes(array);
  std::string text = fmt::format("static const uint{}_t {}{}[] = {{", 8 * unit, array.name, suffix);
  constexpr size_t kLine = 72;  // characters of numbers in a line
  size_t length = kLine;
  for (size_t at = 0; at + unit <= bytes.size(); at += unit) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, unit);
    const std::string number = fmt::format("{:#x}{},", bits, unit == 8 ? "u" : "");
    if (length + number.size() > kLine) text += "\n  ", length = 0;
    else text += " ";
    text += number;
    length += number.size() + 1;
  }
  text.pop_back();
  return text + "};\n";
}

}  // namespace

StatusOr<std::string> test_program(const ProgramSignature& signature, const ObjectOptions& options,
                                   std::span<const Literal> results) {
  HILO_ASSIGN_OR_RETURN(const CInterface interface, c_interface(signature, options));
  const std::vector<Literal>& arguments = options.test_arguments;
  const bool any_nan = options.target == "aarch64";  // the recorded NaNs are of x86-64; with --exact they are the same
  std::string data, args, outs, compares;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const CArray& array = interface.arguments[k];
    const bool empty = array.extent.empty();
    if (!empty) data += bits_of(array, arguments[k], "_given");
    args += empty ? "0, " : array.name + "_given, ";
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const CArray& array = interface.results[k];
    const bool empty = array.extent.empty();
    outs += empty ? "0, " : array.name + "_got, ";
    if (empty) continue;
    data += bits_of(array, results[k], "_wanted");
    data += fmt::format("static uint{}_t {}_got[sizeof {}_wanted / {}];\n", 8 * unit_bytes(array), array.name,
                        array.name, unit_bytes(array));
    compares += fmt::format("  differ |= compare(\"{0}\", {0}_got, {0}_wanted, sizeof {0}_got, {1}{2});\n", array.name,
                            unit_bytes(array), any_nan ? fmt::format(", {:#x}u", infinity_bits(array)) : "");
  }
  return fmt::format(
      R"(/* Calls {0} on recorded arguments. Exits with 0 if the results have the recorded bits. */
#include <stdio.h>
#include <string.h>

{2}
static unsigned char memory[{1}_ARENA_BYTES + {1}_ARENA_ALIGN];

{6}static int compare(const char* name, const void* got, const void* wanted, size_t bytes, size_t unit{7}) {{
  size_t k;
  for (k = 0; k < bytes; k += unit) {{
    if (memcmp((const char*)got + k, (const char*)wanted + k, unit) == 0) continue;
{8}    printf("{0}: %s differs at element %lu\n", name, (unsigned long)(k / unit));
    return 1;
  }}
  return 0;
}}

int main(void) {{
  const void* args[] = {{{3}0}};
  void* results[] = {{{4}0}};
  unsigned char* arena = memory + ({1}_ARENA_ALIGN - (uintptr_t)memory % {1}_ARENA_ALIGN) % {1}_ARENA_ALIGN;
  int differ = {0}_call(args, results, arena, 0);
  if (differ != HILO_OK) {{
    printf("{0}: code %d\n", differ);
    return 1;
  }}
{5}  (void)compare;
  return differ;
}}
)",
      interface.name, interface.prefix, data, args, outs, compares, any_nan ? kIsNan : "",
      any_nan ? ", uint64_t infinity" : "", any_nan ? kBothNan : "");
}

}  // namespace hilo::cpu
