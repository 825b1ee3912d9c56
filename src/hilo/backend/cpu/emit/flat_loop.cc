// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/flat_loop.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

struct FlatLoop {
  SimdBuilder& b;
  std::span<const Stream> inputs;
  std::span<const Stream> outputs;
  const std::function<StatusOr<Values>(const Values&)>& body;
  Values buffers;  // one of W elements per stream, inputs first
  Status status;

  std::size_t stream_count() const { return inputs.size() + outputs.size(); }
  const Stream& stream(std::size_t k) const { return k < inputs.size() ? inputs[k] : outputs[k - inputs.size()]; }
  std::int64_t element_bytes(std::size_t k) const { return element_size_bytes(stream(k).type); }

  void make_buffers() {
    for (std::size_t k = 0; k < stream_count(); ++k) buffers.push_back(b.stack(element_bytes(k) * b.lanes()));
  }

  /// The stream's elements from `start` on, `count` of them, to its buffer or from it.
  void copy(std::size_t k, Value* start, Value* count, bool to_buffer) {
    auto& ir = b.ir();
    Value* memory = ir.CreateGEP(b.memory_scalar(stream(k).type), stream(k).pointer, start);
    Value* bytes = ir.CreateMul(count, b.index(element_bytes(k)));
    Value* from = to_buffer ? memory : buffers[k];
    Value* to = to_buffer ? buffers[k] : memory;
    ir.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
  }

  void fill_buffers(Value* start, Value* count) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      llvm::Type* type = b.wide(b.memory_scalar(inputs[k].type));
      b.ir().CreateAlignedStore(llvm::Constant::getNullValue(type), buffers[k], llvm::Align(1));
      copy(k, start, count, true);
    }
  }

  void empty_buffers(Value* start, Value* count) {
    for (std::size_t k = inputs.size(); k < stream_count(); ++k) copy(k, start, count, false);
  }

  void turn(const Values& pointers, Value* at) {
    Values operands;
    for (std::size_t k = 0; k < inputs.size(); ++k) operands.push_back(b.load(inputs[k].type, pointers[k], at));
    StatusOr<Values> results = body(operands);
    if (!results.ok()) {
      status = results.status();
      return;
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      b.store(outputs[k].type, (*results)[k], pointers[inputs.size() + k], at);
    }
  }
};

}  // namespace

// Two passes over one loop: the first over the arrays, the second, one turn long and only if something is left, over
// the buffers.
Status emit_flat_loop(SimdBuilder& b, Value* count, std::span<const Stream> inputs, std::span<const Stream> outputs,
                      const std::function<StatusOr<Values>(const Values&)>& body) {
  auto& ir = b.ir();
  FlatLoop loop{b, inputs, outputs, body, {}, {}};
  Value* whole = ir.CreateAnd(count, b.index(-b.lanes()));
  Value* left = ir.CreateSub(count, whole);
  Value* has_tail = ir.CreateICmpNE(left, b.index(0));
  Value* passes = ir.CreateSelect(has_tail, b.index(2), b.index(1));
  loop.make_buffers();
  Values pointers;
  for (std::size_t k = 0; k < loop.stream_count(); ++k) pointers.push_back(loop.stream(k).pointer);
  pointers.push_back(whole);
  b.counted_loop(b.index(0), passes, b.index(1), pointers, [&](Value*, const Values& carried) {
    b.counted_loop(b.index(0), carried.back(), b.index(b.lanes()), {}, [&](Value* at, const Values&) {
      loop.turn(carried, at);
      return Values{};
    });
    auto fill = [&] {
      loop.fill_buffers(whole, left);
      return Values{};
    };
    b.if_else(has_tail, fill, [] { return Values{}; });
    Values next = loop.buffers;
    next.push_back(b.index(b.lanes()));
    return next;
  });
  auto empty = [&] {
    loop.empty_buffers(whole, left);
    return Values{};
  };
  b.if_else(has_tail, empty, [] { return Values{}; });
  return loop.status;
}

}  // namespace hilo::cpu
