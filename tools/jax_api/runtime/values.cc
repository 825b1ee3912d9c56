// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <array>
#include <stdexcept>

namespace hilo::jax_api {

namespace {

using Kind = Value::Kind;

constexpr std::array<std::pair<std::string_view, ElementType>, 28> kTypes = {{
    {"bool", ElementType::kPred},
    {"int2", ElementType::kS2},
    {"int4", ElementType::kS4},
    {"int8", ElementType::kS8},
    {"int16", ElementType::kS16},
    {"int32", ElementType::kS32},
    {"int64", ElementType::kS64},
    {"uint2", ElementType::kU2},
    {"uint4", ElementType::kU4},
    {"uint8", ElementType::kU8},
    {"uint16", ElementType::kU16},
    {"uint32", ElementType::kU32},
    {"uint64", ElementType::kU64},
    {"float16", ElementType::kF16},
    {"bfloat16", ElementType::kBf16},
    {"float32", ElementType::kF32},
    {"float64", ElementType::kF64},
    {"complex64", ElementType::kC64},
    {"complex128", ElementType::kC128},
    {"float8_e5m2", ElementType::kF8E5M2},
    {"float8_e4m3fn", ElementType::kF8E4M3Fn},
    {"float8_e4m3", ElementType::kF8E4M3},
    {"float8_e3m4", ElementType::kF8E3M4},
    {"float8_e4m3b11fnuz", ElementType::kF8E4M3B11Fnuz},
    {"float8_e5m2fnuz", ElementType::kF8E5M2Fnuz},
    {"float8_e4m3fnuz", ElementType::kF8E4M3Fnuz},
    {"float8_e8m0fnu", ElementType::kF8E8M0Fnu},
    {"float4_e2m1fn", ElementType::kF4E2M1Fn},
}};

Value number(Kind kind, std::complex<double> x) {
  Value value;
  value.kind = kind;
  value.number = x;
  return value;
}

std::string joined(const std::vector<Value>& items) {
  std::string text;
  for (const Value& item : items) text += (text.empty() ? "" : ", ") + describe(item);
  return text;
}

}  // namespace

Value value_of(const Array& x) {
  Value value;
  value.kind = Kind::kArray;
  value.array = x;
  return value;
}

Value value_of(const random::Key& x) {
  Value value;
  value.kind = Kind::kKey;
  value.array = x.data;
  return value;
}

Value value_of(ElementType x) {
  Value value;
  value.kind = Kind::kType;
  value.type = x;
  return value;
}

Value value_of(const ScalarType& x) { return value_of(x.type); }

Value value_of(const std::string& x) {
  Value value;
  value.kind = Kind::kText;
  value.text = x;
  return value;
}

Value value_of(const Range& x) { return list_of({value_of(x.start), value_of(x.stop), value_of(x.step)}); }

Value value_of(const Indexer& x) {
  switch (x.kind()) {
    case Indexer::Kind::kInteger: return value_of(x.integer());
    case Indexer::Kind::kRange: return value_of(x.range());
    case Indexer::Kind::kArray: return value_of(x.array());
    case Indexer::Kind::kEllipsis: return value_of(std::string("..."));
    case Indexer::Kind::kAbsent:
    case Indexer::Kind::kNewAxis: break;
  }
  return Value();
}

Value value_of(std::nullopt_t) { return Value(); }
Value value_of(numpy::TypeKind) {
  Value value;
  value.kind = Kind::kOpaque;
  return value;
}

Value value_of_bool(bool x) {
  Value value = number(Kind::kBool, x);
  value.integer = x;
  return value;
}
Value value_of_integer(int64_t x) {
  Value value = number(Kind::kInteger, static_cast<double>(x));
  value.integer = x;
  return value;
}
Value value_of_real(double x) { return number(Kind::kReal, x); }
Value value_of_complex(std::complex<double> x) { return number(Kind::kComplex, x); }

Value list_of(std::vector<Value> items) {
  Value value;
  value.kind = Kind::kList;
  value.items = std::move(items);
  return value;
}

std::vector<Array> arrays_of(const Value& value) {
  if (value.kind == Kind::kArray) return {*value.array};
  std::vector<Array> arrays;
  for (const Value& item : value.items) {
    const std::vector<Array> more = arrays_of(item);
    arrays.insert(arrays.end(), more.begin(), more.end());
  }
  return arrays;
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Kind::kNone: return "None";
    case Kind::kBool: return value.integer != 0 ? "true" : "false";
    case Kind::kInteger: return std::to_string(value.integer);
    case Kind::kReal: return std::to_string(value.number.real());
    case Kind::kComplex: return std::to_string(value.number.real()) + "+" + std::to_string(value.number.imag()) + "i";
    case Kind::kText: return '"' + value.text + '"';
    case Kind::kType: return name_of_type(value.type);
    case Kind::kArray: return value.array->aval_shape().to_string();
    case Kind::kKey: return "key " + value.array->aval_shape().to_string();
    case Kind::kList: return "[" + joined(value.items) + "]";
    case Kind::kOpaque: return "an opaque value";
  }
  return "";
}

ElementType type_of_name(const std::string& name) {
  for (const auto& [known, type] : kTypes)
    if (known == name) return type;
  throw std::runtime_error("unknown type " + name);
}

std::string name_of_type(ElementType type) {
  for (const auto& [name, known] : kTypes)
    if (known == type) return std::string(name);
  return "?";
}

}  // namespace hilo::jax_api
