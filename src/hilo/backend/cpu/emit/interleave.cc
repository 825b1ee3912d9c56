// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/interleave.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/settled.h"
#include "hilo/base/sizes.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

/// A lane of one of several vectors.
struct Place {
  size_t vector;
  int lane;
};

/// Elements in registers. Element p is at places[p].
struct Stream {
  Values vectors;
  std::vector<Place> places;
};

/// Returns the vector of these elements, with one shuffle for each two vectors that have some of them. Element -1 is
/// any.
Value* pick(llvm::IRBuilder<>& ir, const Stream& stream, std::span<const int64_t> elements) {
  const int lanes = static_cast<int>(elements.size());
  std::vector<size_t> sources;
  for (int64_t p : elements) {
    if (p >= 0 && std::ranges::find(sources, stream.places[p].vector) == sources.end())
      sources.push_back(stream.places[p].vector);
  }
  Value* picked = nullptr;
  std::vector<int> order(elements.size(), -1);
  for (size_t k = 0; k < std::max<size_t>(sources.size(), 2); ++k) {
    const size_t source = sources[std::min(k, sources.size() - 1)];
    Value* const vector = stream.vectors[source];
    for (int i = 0; i < lanes; ++i) {
      if (elements[i] >= 0 && stream.places[elements[i]].vector == source)
        order[i] = stream.places[elements[i]].lane + (k == 0 || sources.size() == 1 ? 0 : lanes);
    }
    if (k > 0) picked = ir.CreateShuffleVector(picked, vector, order);
    else picked = vector;
    for (int i = 0; i < lanes && k > 0; ++i) order[i] = order[i] < 0 ? -1 : i;
  }
  return settled(ir, picked);
}

/// Returns every second element from `first` on, up to `count`.
Stream halved(llvm::IRBuilder<>& ir, const Stream& stream, int64_t first, int64_t count, int lanes) {
  Stream half;
  for (int64_t begin = 0; begin < count; begin += lanes) {
    std::vector<int64_t> elements;
    for (int64_t q = begin; q < begin + lanes; ++q) elements.push_back(q < count ? first + 2 * q : -1);
    for (int i = 0; i < lanes && begin + i < count; ++i) half.places.push_back({half.vectors.size(), i});
    half.vectors.push_back(pick(ir, stream, elements));
  }
  return half;
}

/// Fills `result` with the columns. An even stride is halved first: every second vector then has every second column.
void split(llvm::IRBuilder<>& ir, const Stream& stream, int64_t stride, std::span<const int64_t> columns, int lanes,
           std::span<Value*> result) {
  if (stride % 2 != 0 || stride == 2 || columns.size() == 1) {
    for (size_t k = 0; k < columns.size(); ++k) {
      std::vector<int64_t> elements;
      for (int i = 0; i < lanes; ++i) elements.push_back(columns[k] + i * stride);
      result[k] = pick(ir, stream, elements);
    }
    return;
  }
  for (int64_t parity : {0, 1}) {
    std::vector<int64_t> some;
    for (int64_t c : columns) {
      if (c % 2 == parity) some.push_back(c / 2);
    }
    if (some.empty()) continue;
    const int64_t count = (lanes - 1) * (stride / 2) + some.back() + 1;
    Values found(some.size());
    split(ir, halved(ir, stream, parity, count, lanes), stride / 2, some, lanes, found);
    for (size_t k = 0, next = 0; k < columns.size(); ++k) {
      if (columns[k] % 2 == parity) result[k] = found[next++];
    }
  }
}

/// Loads `count` elements from `pointer` on. The last vector ends at the last element.
Stream load_stream(llvm::IRBuilder<>& ir, llvm::Type* scalar, Value* pointer, int64_t count, int lanes,
                   llvm::Align align) {
  Stream stream;
  auto* const type = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
  for (int64_t begin = 0; begin < count; begin += lanes) {
    const int64_t first = std::min(begin, count - lanes);
    Value* const place = ir.CreateConstGEP1_64(scalar, pointer, static_cast<uint64_t>(first));
    for (int64_t p = begin; p < std::min(begin + lanes, count); ++p)
      stream.places.push_back({stream.vectors.size(), static_cast<int>(p - first)});
    stream.vectors.push_back(ir.CreateAlignedLoad(type, place, align));
  }
  return stream;
}

/// Returns the columns' elements in turn, as vectors.
Values joined(llvm::IRBuilder<>& ir, const Values& columns, int lanes) {
  const int64_t count = std::ssize(columns);
  if (count == 1) return columns;
  Stream stream;
  std::vector<int64_t> first;  // per column: the number of its lane 0
  if (count % 2 == 0 && count > 2) {
    Values even, odd;
    for (int64_t c = 0; c < count; ++c) (c % 2 == 0 ? even : odd).push_back(columns[c]);
    const Values halves[] = {joined(ir, even, lanes), joined(ir, odd, lanes)};
    for (const Values& half : halves) {
      first.push_back(std::ssize(stream.places));
      for (Value* vector : half) {
        for (int i = 0; i < lanes; ++i) stream.places.push_back({stream.vectors.size(), i});
        stream.vectors.push_back(vector);
      }
    }
  } else {
    for (Value* column : columns) {
      first.push_back(std::ssize(stream.places));
      for (int i = 0; i < lanes; ++i) stream.places.push_back({stream.vectors.size(), i});
      stream.vectors.push_back(column);
    }
  }
  const int64_t ways = std::ssize(first);
  Values vectors;
  for (int64_t v = 0; v < count; ++v) {
    std::vector<int64_t> elements;
    for (int64_t p = v * lanes; p < (v + 1) * lanes; ++p) elements.push_back(first[p % ways] + p / ways);
    vectors.push_back(pick(ir, stream, elements));
  }
  return vectors;
}

/// Returns the lanes that are shuffled together: those of one register, or of half of one for bytes with AVX-512, which
/// has no instruction for 64 of them.
int lanes_at_once(const SimdBuilder& b, ElementType type) {
  constexpr int kMaxBytes = 32;
  const int bytes = static_cast<int>(element_size_bytes(type)), lanes = vector_bytes(b.isa()) / bytes;
  return std::min({b.lanes(), lanes, bytes == 1 ? kMaxBytes : lanes});
}

}  // namespace

Value* part_of(llvm::IRBuilder<>& ir, Value* vector, int first, int count) {
  const auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  if (static_cast<int>(type->getNumElements()) == count) return vector;
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(first + i);
  return ir.CreateShuffleVector(vector, order);
}

Value* whole_of(llvm::IRBuilder<>& ir, Values parts) {
  while (parts.size() > 1) {
    const auto* type = llvm::cast<llvm::FixedVectorType>(parts[0]->getType());
    std::vector<int> order;
    for (int i = 0; i < 2 * static_cast<int>(type->getNumElements()); ++i) order.push_back(i);
    Values longer;
    for (size_t k = 0; k < parts.size(); k += 2)
      longer.push_back(ir.CreateShuffleVector(parts[k], parts[k + 1], order));
    parts = std::move(longer);
  }
  return parts[0];
}

Values load_columns(SimdBuilder& b, ElementType type, Value* pointer, Value* at, int64_t stride,
                    std::span<const int64_t> columns) {
  auto& ir = b.ir();
  if (is_complex(type)) {  // two columns of real numbers each
    std::vector<int64_t> parts;
    for (int64_t c : columns) parts.insert(parts.end(), {2 * c, 2 * c + 1});
    const Values loaded = load_columns(b, real_type_of(type), pointer, ir.CreateShl(at, 1), 2 * stride, parts);
    Values result;
    for (size_t k = 0; k < columns.size(); ++k) result.push_back(join(b, {loaded[2 * k], loaded[2 * k + 1]}));
    return result;
  }
  llvm::Type* const scalar = b.memory_scalar(type);
  const int lanes = lanes_at_once(b, type);
  const llvm::Align align(static_cast<uint64_t>(element_size_bytes(type)));
  std::vector<Values> parts(columns.size());
  for (int64_t first = 0; first < b.lanes(); first += lanes) {
    Value* const place = ir.CreateGEP(scalar, pointer, ir.CreateAdd(at, b.index(first * stride)));
    const int64_t count = (lanes - 1) * stride + columns.back() + 1;
    Values found(columns.size());
    split(ir, load_stream(ir, scalar, place, count, lanes, align), stride, columns, lanes, found);
    for (size_t k = 0; k < columns.size(); ++k) parts[k].push_back(found[k]);
  }
  Values result;
  for (Values& of_column : parts) result.push_back(b.from_memory(type, whole_of(ir, std::move(of_column))));
  return result;
}

void store_columns(SimdBuilder& b, ElementType type, const Values& columns, Value* pointer, Value* at) {
  auto& ir = b.ir();
  if (is_complex(type)) {
    Values parts;
    for (Value* column : columns) {
      const ComplexParts of = parts_of(b, column);
      parts.insert(parts.end(), {of.real, of.imag});
    }
    return store_columns(b, real_type_of(type), parts, pointer, ir.CreateShl(at, 1));
  }
  llvm::Type* const scalar = b.memory_scalar(type);
  const int lanes = lanes_at_once(b, type);
  const llvm::Align align(static_cast<uint64_t>(element_size_bytes(type)));
  Values raw;
  for (Value* column : columns) raw.push_back(b.to_memory(type, column));
  int64_t stored = 0;
  for (int first = 0; first < b.lanes(); first += lanes) {
    Values parts;
    for (Value* column : raw) parts.push_back(part_of(ir, column, first, lanes));
    for (Value* vector : joined(ir, parts, lanes)) {
      ir.CreateAlignedStore(vector, ir.CreateGEP(scalar, pointer, ir.CreateAdd(at, b.index(stored))), align);
      stored += lanes;
    }
  }
}

int64_t interleaving_shuffles(int64_t count) {
  if (count == 1) return 0;
  if (count % 2 == 0 && count > 2) return 2 * interleaving_shuffles(count / 2) + count;
  return count * (count - 1);
}

}  // namespace hilo::cpu
