// SPDX-License-Identifier: Apache-2.0
// The sort algorithms by line length: insertion, merge, radix with digits of 8 bits and more, counting.
#include <fmt/format.h>

#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// Random bits for half of the elements. The others repeat the least and greatest values and their neighbours.
Literal elements_of(const Shape& shape, unsigned seed) {
  std::mt19937_64 random(seed);
  Literal literal(shape);
  const auto width = static_cast<size_t>(element_size_bytes(shape.element_type()));
  const std::span<std::byte> bytes = literal.mutable_bytes();
  for (size_t at = 0; at < bytes.size(); at += width) {
    const uint64_t top = uint64_t{1} << (8 * width - 1),
                   few[] = {0, 1, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2};
    const uint64_t value = random() % 2 == 0 ? random() : few[random() % std::size(few)];
    std::memcpy(bytes.data() + at, &value, width);  // little-endian: the low bytes are first
  }
  return literal;
}

/// Sorts lines along a dimension, alone or with positions as payload.
void sorts(const std::string& type, int64_t lines, int64_t length, bool with_payload, const char* direction) {
  const std::string shape = fmt::format("{}[{},{}]", type, lines, length),
                    payload = fmt::format("s32[{},{}]", lines, length);
  const char* order = type[0] == 'f' || type[0] == 'b' ? ", type=TOTALORDER" : "";
  const std::string text = fmt::format(
      "HloModule sort\n\nbefore {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n{1}"
      "  ROOT c = pred[] compare(a, b), direction={2}{3}\n}}\n\nENTRY main {{\n  x = {4} parameter(0)\n{5}"
      "  ROOT y = {6} sort({7}), dimensions={{1}}, is_stable=true, to_apply=before\n}}\n",
      type, with_payload ? "  p = s32[] parameter(2)\n  q = s32[] parameter(3)\n" : "", direction, order, shape,
      with_payload ? fmt::format("  i = {} parameter(1)\n", payload) : "",
      with_payload ? fmt::format("({}, {})", shape, payload) : shape, with_payload ? "x, i" : "x");
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  std::vector<Literal> arguments = {elements_of(*hlo::parse_shape(shape), static_cast<unsigned>(length))};
  if (with_payload) arguments.push_back(elements_of(*hlo::parse_shape(payload), 7));
  check(*module, arguments, 0);
}

TEST(Sort, LinesOfEveryLengthAtWhichTheWayChanges) {
  for (const std::string type : {"s8", "u8", "s16", "bf16", "s32", "u32", "f32", "s64", "u64", "f64"}) {
    for (const int64_t length : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 257}) {
      sorts(type, 3, length, true, "LT");
      sorts(type, 3, length, false, "GT");
    }
  }
}

TEST(Sort, LongLines) {
  for (const std::string type : {"s16", "s32", "f32", "s64", "f64"}) {
    for (const int64_t length : {2047, 2048, 2049, 4095, 4096, 4097}) {
      sorts(type, 1, length, true, "LT");
      sorts(type, 2, length, false, "LT");
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
