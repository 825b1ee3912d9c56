// SPDX-License-Identifier: Apache-2.0
// Runs recorded calls of JAX: main ROWS [MODE] reads rows (as tools/jax_api/records.py writes them), runs the form of
// each and prints "begin ID", then "passed ID", "failed ID why" or "skipped ID why". MODE says what is compared:
// results and tangents with the row's (none), vmap of the call with a loop (mapped), reverse with forward mode
// (transposed).
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "compare.h"
#include "hilo/trace/trace.h"

namespace hilo::jax_api {

Form form_of(int64_t number);  // generated

namespace {

using Kind = Value::Kind;

struct Row {
  std::string id;
  int64_t form = 0;
  bool x64 = false;
  Tolerance tolerance;
  Inputs inputs;
  bool fails = false;
  Value wanted;
  std::vector<size_t> varied;  ///< the numbers of the arrays with tangents
  std::vector<Array> tangents;
  std::vector<Value> derivatives;
};

std::vector<std::byte> bytes_of_hex(const std::string& text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
  return bytes;
}

/// TYPE STORED WEAK RANK EXTENT... xBYTES: the bytes hold STORED, which is cast to TYPE.
Array read_array(std::istream& in) {
  std::string type, stored, bytes;
  bool weak = false;
  size_t rank = 0;
  in >> type >> stored >> weak >> rank;
  std::vector<int64_t> dimensions(rank);
  for (int64_t& extent : dimensions) in >> extent;
  in >> bytes;
  const Shape shape = Shape::array(type_of_name(stored), dimensions);
  const Array array = Array::from_literal(Literal::from_bytes(shape, bytes_of_hex(bytes.substr(1))));
  const Array cast = stored == type ? array : numpy::astype(array, type_of_name(type));
  return weak ? with_weak_type(cast, true) : cast;
}

std::string read_text(std::istream& in) {
  std::string hex;
  in >> hex;
  const std::vector<std::byte> bytes = bytes_of_hex(hex.substr(1));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

double read_real(std::istream& in) {
  std::string word;
  in >> word;
  return std::strtod(word.c_str(), nullptr);
}

Value read_value(std::istream& in) {
  std::string kind;
  in >> kind;
  if (kind == "none") return {};
  if (kind == "bool" || kind == "int") {
    int64_t x = 0;
    in >> x;
    return kind == "int" ? value_of(x) : value_of(x != 0);
  }
  if (kind == "real") return value_of(read_real(in));
  if (kind == "complex") {
    const double real = read_real(in);
    return value_of(std::complex<double>(real, read_real(in)));
  }
  if (kind == "text") return value_of(read_text(in));
  if (kind == "type") {
    std::string name;
    in >> name;
    return value_of(type_of_name(name));
  }
  if (kind == "array") return value_of(read_array(in));
  if (kind == "key") return value_of(random::Key{read_array(in)});
  if (kind == "list") {
    size_t count = 0;
    in >> count;
    std::vector<Value> items(count);
    for (Value& item : items) item = read_value(in);
    return list_of(std::move(items));
  }
  Value opaque;
  opaque.kind = Kind::kOpaque;
  return opaque;
}

/// GENERATOR ARRAY.
random::Key read_key(std::istream& in) {
  std::string name;
  in >> name;
  return random::wrap_key_data(read_array(in), {.impl = name.c_str()});
}

/// ID FORM X64 NAME CLASS RANDOM ERR64 ARRAYS KEYS WANTED VARIED TANGENTS DERIVATIVES, on one line.
Row read_row(const std::string& line) {
  std::istringstream in(line);
  Row row;
  size_t count = 0;
  std::string fails;
  in >> row.id >> row.form >> row.x64 >> row.tolerance.name >> row.tolerance.row_class >> row.tolerance.random >>
      row.tolerance.err64;
  config().update("jax_enable_x64", row.x64);
  for (in >> count; count > 0; --count) row.inputs.arrays.push_back(read_array(in));
  for (in >> count; count > 0; --count) row.inputs.keys.push_back(read_key(in));
  in >> fails;
  row.fails = fails == "fails";
  if (!row.fails) row.wanted = read_value(in);
  in >> count;
  row.varied.resize(count);
  for (size_t& number : row.varied) in >> number;
  for (size_t i = 0; i < row.varied.size(); ++i) row.tangents.push_back(read_array(in));
  for (in >> count; count > 0; --count) row.derivatives.push_back(read_value(in));
  return row;
}

/// The arrays that the form gives, as a function of those that vary.
std::vector<Array> call_with(const Row& row, const std::vector<Array>& varied) {
  Inputs inputs = row.inputs;
  for (size_t i = 0; i < varied.size(); ++i) inputs.arrays.at(row.varied[i]) = varied[i];
  return arrays_of(form_of(row.form)(inputs));
}

std::string derivative_difference(const Row& row) {
  std::vector<Array> primals;
  for (const size_t number : row.varied) primals.push_back(row.inputs.arrays.at(number));
  const auto f = [&row](const std::vector<Array>& varied) { return call_with(row, varied); };
  const std::vector<Array> tangents = jvp(f, std::tuple(primals), std::tuple(row.tangents)).second;
  if (tangents.size() != row.derivatives.size())
    return "jvp: " + std::to_string(tangents.size()) + " tangents, wanted " + std::to_string(row.derivatives.size());
  Tolerance tolerance = row.tolerance;
  if (tolerance.row_class == "exact" || tolerance.row_class == "arith") tolerance.row_class = "transcendental";
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (row.derivatives[i].kind == Kind::kNone) continue;  // of integers
    const std::string text = array_difference(tangents[i], *row.derivatives[i].array, tolerance);
    if (!text.empty()) return "jvp: result " + std::to_string(i) + ": " + text;
  }
  return "";
}

std::string outcome(const Row& row) {
  Value got;
  try {
    got = form_of(row.form)(row.inputs);
    for (const Array& array : arrays_of(got)) array.to_literal();  // an error may come with the value
  } catch (const Error& error) {
    return row.fails ? "" : std::string("error: ") + error.what();
  }
  if (row.fails) return "no error: got " + describe(got);
  const std::string text = difference(got, row.wanted, row.tolerance);
  return text.empty() && !row.varied.empty() ? derivative_difference(row) : text;
}

/// Why a row has nothing to do in this mode.
struct Skipped {
  std::string why;
};

bool says(const Error& error, std::string_view what) {
  return std::string_view(error.what()).find(what) != std::string_view::npos;
}

/// Some units in the last place of f32.
constexpr double kLastBit = 3e-7;

/// The call, as a function of arrays of the row alone, in this order.
std::vector<Array> call_of(const Row& row, const std::vector<size_t>& numbers, const std::vector<Array>& arrays) {
  Inputs inputs = row.inputs;
  for (size_t i = 0; i < numbers.size(); ++i) inputs.arrays.at(numbers[i]) = arrays[i];
  return arrays_of(form_of(row.form)(inputs));
}

/// Compares vmap of the call over two examples with the call of each: the row's floats, and half of each of them.
std::string mapped_outcome(const Row& row) {
  std::vector<size_t> numbers;
  std::vector<Array> first, second, both;
  for (size_t i = 0; i < row.inputs.arrays.size(); ++i) {
    const Array& x = row.inputs.arrays[i];
    if (!is_floating(x.dtype()) && !is_complex(x.dtype())) continue;
    numbers.push_back(i);
    first.push_back(x);
    second.push_back(x * 0.5);
    both.push_back(numpy::stack({first.back(), second.back()}));
  }
  if (row.fails || numbers.empty()) throw Skipped{"no floats to map over"};
  const std::vector<Array> a = call_of(row, numbers, first);
  if (a.empty()) throw Skipped{"no array as result"};
  std::vector<Array> b = a;
  bool has_second = true;
  try {
    b = call_of(row, numbers, second);
    has_second = b.size() == a.size();
    for (size_t i = 0; has_second && i < a.size(); ++i) has_second = std::ranges::equal(a[i].shape(), b[i].shape());
  } catch (const Error&) {
    has_second = false;  // half of it is no argument of this function
  }
  if (!has_second)
    for (size_t i = 0; i < both.size(); ++i) both[i] = numpy::stack({first[i], first[i]});
  const auto f = [&](const std::vector<Array>& arrays) { return call_of(row, numbers, arrays); };
  std::vector<Array> got;
  try {
    got = vmap(f)(both);
  } catch (const Error& error) {
    if (!says(error, "a value was asked of a tracer")) throw;
    throw Skipped{"its result depends on values that vmap has none of"};
  }
  Tolerance tolerance = row.tolerance;
  if (tolerance.row_class == "exact" || tolerance.row_class == "arith") tolerance.row_class = "transcendental";
  for (size_t i = 0; i < got.size(); ++i) {
    for (int64_t k = 0; k < 2; ++k) {
      const Array& wanted = k == 0 || !has_second ? a[i] : b[i];
      const std::string text = array_difference(got[i][k], wanted, tolerance);
      if (!text.empty()) return "vmap: result " + std::to_string(i) + " of example " + std::to_string(k) + ": " + text;
    }
  }
  return "";
}

/// The sum of the products of both lists' elements: its real part, which is what transposition keeps where real numbers
/// become complex ones or complex ones real; and the sum of the products' sizes.
struct Pairing {
  double value = 0, size = 0;
};
Pairing paired(const std::vector<Array>& xs, const std::vector<Array>& ys) {
  Pairing out;
  for (size_t i = 0; i < xs.size(); ++i) {
    const ElementType wide = element_type_info(xs[i].dtype()).bits > 64 || xs[i].dtype() == ElementType::kF64
                                 ? ElementType::kC128
                                 : ElementType::kC64;
    const Array product = numpy::astype(xs[i], wide) * numpy::astype(ys[i], wide);
    for (const std::complex<double> part : product.to_vector<std::complex<double>>()) {
      out.value += part.real();
      out.size += std::abs(part);
    }
  }
  return out;
}

/// Ones; for complex results a number whose parts differ.
std::vector<Array> cotangents_for(const std::vector<Array>& results) {
  std::vector<Array> out;
  for (const Array& x : results)
    out.push_back(is_complex(x.dtype()) ? numpy::astype(numpy::full_like(x, std::complex<double>(1, 0.5)), x.dtype())
                                        : numpy::ones_like(x));
  return out;
}

/// Compares c' (J t) with (c' J) t. What an error in the last bit of the arguments changes in one of them may differ.
std::string transposed_outcome(const Row& row) {
  if (row.varied.empty()) throw Skipped{"no tangents"};
  std::vector<Array> primals;
  for (const size_t number : row.varied) primals.push_back(row.inputs.arrays.at(number));
  const auto f = [&row](const std::vector<Array>& varied) {
    std::vector<Array> floats;
    for (const Array& x : call_with(row, varied))
      if (is_floating(x.dtype()) || is_complex(x.dtype())) floats.push_back(x);
    return floats;
  };
  int64_t bits = 64;  // of the narrowest type
  const auto narrow = [&](const Array& x) { bits = std::min<int64_t>(bits, element_type_info(x.dtype()).bits); };
  const auto forward_at = [&](const std::vector<Array>& at) {
    const auto [results, tangents] = jvp(f, std::tuple(at), std::tuple(row.tangents));
    std::ranges::for_each(results, narrow);
    return paired(tangents, cotangents_for(results));
  };
  std::ranges::for_each(primals, narrow);
  const Pairing forward = forward_at(primals);
  Pairing reverse;
  try {
    const auto [results, pull] = vjp(f, primals);
    reverse = paired(std::get<0>(pull(cotangents_for(results))), row.tangents);
  } catch (const Error& error) {
    for (const char* refusal : {"Reverse-mode differentiation does not work for lax.while_loop",
                                "required for backwards mode automatic differentiation"})
      if (says(error, refusal)) throw Skipped{"no reverse mode, as JAX says in the same words"};
    throw;
  }
  if (!std::isfinite(forward.size)) throw Skipped{"a derivative that isn't finite"};
  if (bits < 16) throw Skipped{"derivatives that are rounded to 8 bits or fewer"};
  const double size = forward.size + reverse.size, apart = std::abs(forward.value - reverse.value);
  if (apart <= (bits < 32 ? 3e-2 : 1e-4) * size + 1e-6) return "";
  std::vector<Array> beside;
  for (const Array& x : primals) {
    const Array errors = kLastBit * numpy::cos(numpy::reshape(numpy::arange(x.size()), x.shape()));
    beside.push_back(numpy::astype(x * (1 + errors), x.dtype()));
  }
  if (apart <= 10 * std::abs(forward_at(beside).value - forward.value)) return "";
  return "vjp: the products are " + std::to_string(forward.value) + " and " + std::to_string(reverse.value) +
         " in a sum of " + std::to_string(size);
}

std::string outcome_in(const std::string& mode, const Row& row) {
  return mode == "mapped" ? mapped_outcome(row) : mode == "transposed" ? transposed_outcome(row) : outcome(row);
}

void run(const std::string& line, const std::string& mode) {
  std::cout << "begin " << line.substr(0, line.find(' ')) << std::endl;
  std::string id = line.substr(0, line.find(' ')), why;
  try {
    why = outcome_in(mode, read_row(line));
  } catch (const Skipped& skipped) {
    std::cout << "skipped " << id << " " << skipped.why << std::endl;
    return;
  } catch (const std::exception& error) {
    why = std::string("error: ") + error.what();
  }
  for (char& c : why)
    if (c == '\n') c = ' ';
  std::cout << (why.empty() ? "passed " : "failed ") << id << " " << why << std::endl;
}

}  // namespace
}  // namespace hilo::jax_api

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: main ROWS [mapped | transposed]\n";
    return 2;
  }
  std::ifstream rows(argv[1]);
  for (std::string line; std::getline(rows, line);) hilo::jax_api::run(line, argc == 3 ? argv[2] : "");
  return 0;
}
