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

/// Fills two arrays with all pairs of numbers, and with products of pairs, so that large and small ones share vectors.
template <typename T>
void check_pairs() {
  using Wide = std::make_unsigned_t<T>;
  std::vector<T> numbers;
  for (int shift = 0; shift < std::numeric_limits<Wide>::digits; ++shift) {
    const Wide power = static_cast<Wide>(Wide{1} << shift);
    for (const Wide x : {power, static_cast<Wide>(power - 1), static_cast<Wide>(power + 1)}) {
      numbers.push_back(static_cast<T>(x));
      if (std::is_signed_v<T>) numbers.push_back(static_cast<T>(Wide{0} - x));
    }
  }
  std::vector<T> x, y;
  for (const T a : numbers) {
    for (const T b : numbers) {
      const T multiple = static_cast<T>(uint64_t{static_cast<Wide>(a)} * static_cast<Wide>(b));
      for (const T dividend : {a, multiple, static_cast<T>(static_cast<Wide>(multiple) - 1)}) {
        x.push_back(dividend);
        y.push_back(b);
      }
    }
  }
  const Shape shape = Shape::array(element_type_of<T>, {std::ssize(x)});
  Literal dividends(shape), divisors(shape);
  std::ranges::copy(x, dividends.data<T>().begin());
  std::ranges::copy(y, divisors.data<T>().begin());
  const std::string text = fmt::format(R"(HloModule pairs
ENTRY main {{
  x = {0} parameter(0)
  y = {0} parameter(1)
  q = {0} divide(x, y)
  r = {0} remainder(x, y)
  ROOT both = ({0}, {0}) tuple(q, r)
}}
)",
                                       shape.to_string());
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  check(*module, {dividends, divisors}, 0);
}

TEST(EmitInteger, DividesNumbersNearPowersOfTwoAndMultiples) {
  check_pairs<int8_t>();
  check_pairs<uint8_t>();
  check_pairs<int16_t>();
  check_pairs<uint16_t>();
  check_pairs<int32_t>();
  check_pairs<uint32_t>();
  check_pairs<int64_t>();
  check_pairs<uint64_t>();
}

}  // namespace
}  // namespace hilo::cpu
