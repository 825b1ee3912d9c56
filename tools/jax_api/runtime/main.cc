// SPDX-License-Identifier: Apache-2.0
// Runs recorded calls of JAX: main ROWS [ID...] reads rows (as tools/jax_api/records.py writes them), runs the form of each
// and prints "begin ID", then "passed ID" or "failed ID why".
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
  or_throw(config().update("jax_enable_x64", row.x64));
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

void run(const std::string& line) {
  std::cout << "begin " << line.substr(0, line.find(' ')) << std::endl;
  std::string id = line.substr(0, line.find(' ')), why;
  try {
    why = outcome(read_row(line));
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
  if (argc != 2) {
    std::cerr << "usage: main ROWS\n";
    return 2;
  }
  std::ifstream rows(argv[1]);
  for (std::string line; std::getline(rows, line);) hilo::jax_api::run(line);
  return 0;
}
