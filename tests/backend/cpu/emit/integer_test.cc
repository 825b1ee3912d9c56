// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders by constants, which LLVM computes by multiplication, on every instruction set.
#include <fmt/format.h>

#include <cstring>
#include <random>

#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// Random bits, and the least and greatest values with their neighbours.
Literal integers_of(const Shape& shape) {
  std::mt19937_64 random(5);
  Literal literal(shape);
  const auto width = static_cast<size_t>(element_size_bytes(shape.element_type()));
  const std::span<std::byte> bytes = literal.mutable_bytes();
  const uint64_t top = uint64_t{1} << (8 * width - 1), few[] = {0, 1, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2};
  for (size_t at = 0; at < bytes.size(); at += width) {
    const uint64_t value = at / width < std::size(few) ? few[at / width] : random() >> (at / width % 60);
    std::memcpy(bytes.data() + at, &value, width);  // little-endian: the low bytes are first
  }
  return literal;
}

void check_division(const std::string& type, const std::string& divisor) {
  const std::string text = fmt::format(R"(HloModule division
ENTRY main {{
  x = {0}[301] parameter(0)
  c = {0}[] constant({1})
  y = {0}[301] broadcast(c), dimensions={{}}
  q = {0}[301] divide(x, y)
  r = {0}[301] remainder(x, y)
  ROOT both = ({0}[301], {0}[301]) tuple(q, r)
}}
)",
                                       type, divisor);
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  check(*module, {integers_of(*hlo::parse_shape(type + "[301]"))}, 0);
}

TEST(EmitInteger, DividesByConstants) {
  for (const std::string type : {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (const std::string divisor : {"0", "1", "2", "3", "7", "10", "100", "127"}) check_division(type, divisor);
    if (type[0] != 's') continue;
    for (const std::string divisor : {"-1", "-2", "-3", "-10", "-128"}) check_division(type, divisor);
  }
  for (const std::string divisor : {"-2147483648", "2147483647", "1000003"}) check_division("s32", divisor);
  for (const std::string divisor : {"4294967295", "2147483648"}) check_division("u32", divisor);
}

}  // namespace
}  // namespace hilo::cpu
